// opsrun_compat/proto_bytes.h: lists and maps in messages: RepeatedField, RepeatedPtrField and Map; serializes and
// parses messages in the format of Protocol Buffers.
//
// Source of the format: the page "Encoding" of the Protocol Buffers documentation. Message::VisitFields(message,
// fields) calls fields.Field(number, name, message, field) for each field. Unknown fields are skipped. Parsing fails if
// the bytes are truncated, nested deeper than kMaxDepth or otherwise invalid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_compat/basics.h"
#include "opsrun_compat/coding.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The methods of both kinds of lists in addition to the names of the standard library.
template <typename T, typename List>
class RepeatedBase : public List {
 public:
  using List::List;

  int size() const { return static_cast<int>(List::size()); }
  decltype(auto) Get(int i) const { return (*this)[static_cast<size_t>(i)]; }
  void RemoveLast() { this->pop_back(); }
  void Clear() { this->clear(); }
  void CopyFrom(const RepeatedBase& other) { *this = other; }
  void MergeFrom(const RepeatedBase& other) { this->insert(this->end(), other.begin(), other.end()); }
  void Swap(RepeatedBase* other) { this->swap(*other); }
};

}  // namespace internal

namespace protobuf {

// A list of numbers.
template <typename T>
class RepeatedField : public internal::RepeatedBase<T, std::vector<T>> {
 public:
  using internal::RepeatedBase<T, std::vector<T>>::RepeatedBase;

  void Add(T value) { this->push_back(value); }
  void Set(int i, T value) { (*this)[static_cast<size_t>(i)] = value; }
  T* Mutable(int i) { return &(*this)[static_cast<size_t>(i)]; }
  T* mutable_data() { return this->data(); }
  void Reserve(int n) { this->reserve(static_cast<size_t>(n)); }
  void Resize(int n, T value) { this->resize(static_cast<size_t>(n), value); }
  void Truncate(int n) { this->resize(static_cast<size_t>(n)); }
};

// A list of texts or messages. Elements are not moved when more are added.
template <typename T>
class RepeatedPtrField : public internal::RepeatedBase<T, std::deque<T>> {
 public:
  using internal::RepeatedBase<T, std::deque<T>>::RepeatedBase;

  T* Add() { return &this->emplace_back(); }
  void Add(T value) { this->push_back(std::move(value)); }
  T* Mutable(int i) { return &(*this)[static_cast<size_t>(i)]; }
  void Reserve(int) {}
};

template <typename Key, typename T>
class Map : public std::map<Key, T> {
 public:
  using std::map<Key, T>::map;

  bool contains(const Key& key) const { return this->count(key) > 0; }
};

}  // namespace protobuf

namespace internal {

using protobuf::Map, protobuf::RepeatedField, protobuf::RepeatedPtrField;

// A message field, which may be absent. T may be incomplete where it is declared.
template <typename T>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned& other) : value_(other.value_ == nullptr ? nullptr : new T(*other.value_)) {}
  Owned(Owned&&) noexcept = default;
  Owned& operator=(Owned other) noexcept {
    value_.swap(other.value_);
    return *this;
  }

  bool empty() const { return value_ == nullptr; }
  // Returns an empty message if it is absent.
  const T& get() const {
    static const T* empty = new T;
    return value_ == nullptr ? *empty : *value_;
  }
  T* mutable_get() {
    if (value_ == nullptr) value_.reset(new T);
    return value_.get();
  }

 private:
  std::unique_ptr<T> value_;
};
template <typename T>
using OwnedMap = Owned<Map<std::string, T>>;

template <typename T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

enum class Wire : uint32 { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The wire format of a number. Enumerations are numbers; a negative int32 takes ten bytes.
template <typename T>
struct NumberBytes {
  static constexpr Wire kWire = std::is_same_v<T, float>    ? Wire::kFixed32
                                : std::is_same_v<T, double> ? Wire::kFixed64
                                                            : Wire::kVarint;
  static void Append(std::string* to, T value) {
    if constexpr (kWire == Wire::kVarint) {
      core::PutVarint64(to, static_cast<uint64>(static_cast<int64>(value)));
    } else {
      to->append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
  }
  static bool Take(StringPiece* from, T* value) {
    if constexpr (kWire == Wire::kVarint) {
      uint64 number = 0;
      const bool ok = core::GetVarint64(from, &number);
      *value = std::is_same_v<T, bool> ? static_cast<T>(number != 0) : static_cast<T>(number);
      return ok;
    } else {
      if (from->size() < sizeof(*value)) return false;
      memcpy(value, from->data(), sizeof(*value));
      from->remove_prefix(sizeof(*value));
      return true;
    }
  }
};

// The fields of a message that may all be set. A number is set unless it is 0, a text or list unless it is empty.
struct PlainFields {
  template <typename T>
  bool Has(int /*number*/, const T& field) const {
    if constexpr (is_number<T>) {
      return field != T();
    } else {
      return !field.empty();
    }
  }
  void Select(int /*number*/) {}
  template <typename T>
  void ClearField(int /*number*/, T* field) {
    *field = T();
  }
};

class ProtoWriter {
 public:
  explicit ProtoWriter(std::string* to) : to_(to) {}

  template <typename Self, typename T>
  void Field(int number, const char* /*name*/, const Self& message, const T& field) {
    if (message.Has(number, field)) Value(number, field);
  }

 private:
  // A number or a message.
  template <typename T>
  void Value(int number, const T& value) {
    if constexpr (is_number<T>) {
      Tag(number, NumberBytes<T>::kWire);
      NumberBytes<T>::Append(to_, value);
    } else {
      std::string bytes;
      ProtoWriter writer(&bytes);
      T::VisitFields(value, writer);
      Value(number, bytes);
    }
  }
  void Value(int number, const std::string& bytes) {
    Tag(number, Wire::kBytes);
    core::PutVarint64(to_, bytes.size());
    to_->append(bytes);
  }
  template <typename T>
  void Value(int number, const Owned<T>& message) {
    Value(number, message.get());
  }
  template <typename T>
  void Value(int number, const RepeatedField<T>& values) {
    std::string packed;
    for (const T value : values) NumberBytes<T>::Append(&packed, value);
    Value(number, packed);
  }
  template <typename T>
  void Value(int number, const RepeatedPtrField<T>& values) {
    for (const T& value : values) Value(number, value);
  }
  // A map is a list of messages with the key as field 1 and the value as field 2.
  template <typename T>
  void Value(int number, const OwnedMap<T>& map) {
    for (const auto& [key, value] : map.get()) {
      std::string entry;
      ProtoWriter writer(&entry);
      writer.Value(1, key);
      writer.Value(2, value);
      Value(number, entry);
    }
  }
  void Tag(int number, Wire wire) {
    core::PutVarint32(to_, static_cast<uint32>(number) << 3 | static_cast<uint32>(wire));
  }

  std::string* to_;
};

// Reads the value after one tag into the field with its number.
class ProtoReader {
 public:
  static constexpr int kMaxDepth = 100;

  // Merges the bytes into the message. False: the bytes are not a valid message.
  template <typename T>
  static bool Read(StringPiece bytes, T* message, int depth = 0) {
    if (depth > kMaxDepth) return false;
    while (!bytes.empty()) {
      uint64 tag = 0;
      if (!core::GetVarint64(&bytes, &tag) || tag >> 3 == 0 || tag > kuint32max) return false;
      ProtoReader reader(&bytes, static_cast<uint32>(tag >> 3), static_cast<Wire>(tag & 7), depth);
      T::VisitFields(*message, reader);
      if (!(reader.is_taken_ ? reader.ok_ : reader.Skip())) return false;
    }
    return true;
  }

  template <typename Self, typename T>
  void Field(int number, const char* /*name*/, Self& message, T& field) {
    if (static_cast<uint32>(number) != number_ || !Accepts(field)) return;
    is_taken_ = true;
    message.Select(number);
    ok_ = Take(&field);
  }

 private:
  template <typename T>
  struct Entry : PlainFields {
    template <typename Self, typename Fields>
    static void VisitFields(Self& self, Fields& fields) {
      fields.Field(1, "key", self, self.key);
      fields.Field(2, "value", self, self.value);
    }
    std::string key;
    Owned<T> value;
  };

  ProtoReader(StringPiece* from, uint32 number, Wire wire, int depth)
      : from_(from), number_(number), wire_(wire), depth_(depth) {}

  template <typename T>
  bool Accepts(const T&) const {
    if constexpr (is_number<T>) {
      return wire_ == NumberBytes<T>::kWire;
    } else {
      return wire_ == Wire::kBytes;
    }
  }
  // Numbers may be packed or separate.
  template <typename T>
  bool Accepts(const RepeatedField<T>&) const {
    return wire_ == Wire::kBytes || wire_ == NumberBytes<T>::kWire;
  }

  // A number or a message.
  template <typename T>
  bool Take(T* value) {
    if constexpr (is_number<T>) {
      return NumberBytes<T>::Take(from_, value);
    } else {
      std::string_view bytes;
      return TakeBytes(&bytes) && Read(bytes, value, depth_ + 1);
    }
  }
  bool Take(std::string* text) {
    std::string_view bytes;
    const bool ok = TakeBytes(&bytes);
    text->assign(bytes);
    return ok;
  }
  template <typename T>
  bool Take(Owned<T>* message) {
    return Take(message->mutable_get());
  }
  template <typename T>
  bool Take(RepeatedField<T>* values) {
    std::string_view packed;
    if (wire_ == Wire::kBytes && !TakeBytes(&packed)) return false;
    StringPiece rest = packed;
    StringPiece* const from = wire_ == Wire::kBytes ? &rest : from_;
    for (bool is_first = wire_ != Wire::kBytes; is_first || !rest.empty(); is_first = false) {
      T value{};
      if (!NumberBytes<T>::Take(from, &value)) return false;
      values->Add(value);
    }
    return true;
  }
  template <typename T>
  bool Take(RepeatedPtrField<T>* values) {
    return Take(values->Add());
  }
  template <typename T>
  bool Take(OwnedMap<T>* map) {
    Entry<T> entry;
    const bool ok = Take(&entry);
    if (ok) (*map->mutable_get())[entry.key] = entry.value.get();
    return ok;
  }
  bool TakeBytes(std::string_view* bytes) {
    uint64 size = 0;
    if (!core::GetVarint64(from_, &size) || size > from_->size()) return false;
    *bytes = from_->substr(0, static_cast<size_t>(size));
    from_->remove_prefix(static_cast<size_t>(size));
    return true;
  }
  bool Skip() {
    uint64 number = 0;
    std::string_view bytes;
    float four_bytes = 0;
    double eight_bytes = 0;
    switch (wire_) {
      case Wire::kVarint:
        return Take(&number);
      case Wire::kBytes:
        return TakeBytes(&bytes);
      case Wire::kFixed32:
        return Take(&four_bytes);
      case Wire::kFixed64:
        return Take(&eight_bytes);
    }
    return false;  // groups, which TensorFlow's messages do not use
  }

  StringPiece* from_;
  const uint32 number_;
  const Wire wire_;
  const int depth_;
  bool is_taken_ = false;
  bool ok_ = true;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

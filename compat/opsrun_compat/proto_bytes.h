// opsrun_compat/proto_bytes.h: serializes and parses messages in the format of Protocol Buffers.
//
// Source of the format: the page "Encoding" of the Protocol Buffers documentation. A message class lists its fields
// once, in a function VisitFields(message, fields); `fields` is one of the classes below, or the one in proto_text.h.
// Unknown fields are skipped. Parsing fails if the bytes are truncated, nested deeper than kMaxDepth or otherwise
// invalid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/types.h"
#include "opsrun_compat/coding.h"
#include "opsrun_compat/proto_containers.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

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
      if (!core::GetVarint64(from, &number)) return false;
      if constexpr (std::is_same_v<T, bool>) {
        *value = number != 0;
      } else {
        *value = static_cast<T>(number);
      }
      return true;
    } else {
      if (from->size() < sizeof(*value)) return false;
      memcpy(value, from->data(), sizeof(*value));
      from->remove_prefix(sizeof(*value));
      return true;
    }
  }
};
template <typename T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ProtoWriter {
 public:
  explicit ProtoWriter(std::string* to) : to_(to) {}

  // A number or text is written unless it is 0 or empty, a message if it is set.
  template <typename T>
  void Field(uint32 number, const char* /*name*/, const T& value) {
    if constexpr (is_number<T>) {
      if (value != T()) Number(number, value);
    } else {
      if (!value.empty()) Bytes(number, value);
    }
  }
  template <typename T>
  void Field(uint32 number, const char* /*name*/, const Owned<T>& message) {
    if (message.is_set()) Message(number, message.get());
  }
  template <typename T>
  void Field(uint32 number, const char* /*name*/, const RepeatedField<T>& values) {
    if (values.empty()) return;
    std::string packed;
    for (const T value : values) NumberBytes<T>::Append(&packed, value);
    Bytes(number, packed);
  }
  template <typename T>
  void Field(uint32 number, const char* /*name*/, const RepeatedPtrField<T>& values) {
    for (const T& value : values) Element(number, value);
  }
  // A map is a list of messages with the key as field 1 and the value as field 2.
  template <typename T>
  void Field(uint32 number, const char* /*name*/, const Owned<Map<std::string, T>>& map) {
    for (const auto& [key, value] : map.get()) {
      std::string entry;
      ProtoWriter writer(&entry);
      writer.Bytes(1, key);
      writer.Message(2, value);
      Bytes(number, entry);
    }
  }
  // A field of a oneof. It is written if it is the one that is set, whatever its value.
  template <typename Self, typename Case, typename T>
  void Choice(uint32 number, const char* name, Self& message, Case one, const T& value) {
    if (message.value_case() != one) return;
    if constexpr (is_number<T>) {
      Number(number, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      Bytes(number, value);
    } else {
      Field(number, name, value);
    }
  }

 private:
  template <typename T>
  void Number(uint32 number, T value) {
    Tag(number, NumberBytes<T>::kWire);
    NumberBytes<T>::Append(to_, value);
  }
  void Bytes(uint32 number, std::string_view bytes) {
    Tag(number, Wire::kBytes);
    core::PutVarint64(to_, bytes.size());
    to_->append(bytes.data(), bytes.size());
  }
  template <typename T>
  void Message(uint32 number, const T& message) {
    std::string bytes;
    ProtoWriter writer(&bytes);
    T::VisitFields(message, writer);
    Bytes(number, bytes);
  }
  template <typename T>
  void Element(uint32 number, const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      Bytes(number, value);
    } else {
      Message(number, value);
    }
  }
  void Tag(uint32 number, Wire wire) { core::PutVarint32(to_, number << 3 | static_cast<uint32>(wire)); }

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
      if (!reader.is_taken_) reader.Skip();
      if (!reader.ok_) return false;
    }
    return true;
  }

  template <typename T>
  void Field(uint32 number, const char* /*name*/, T& value) {
    if constexpr (is_number<T>) {
      if (Is(number, NumberBytes<T>::kWire)) ok_ = NumberBytes<T>::Take(from_, &value);
    } else {
      StringPiece bytes;
      if (Is(number, Wire::kBytes) && TakeBytes(&bytes)) value.assign(bytes.data(), bytes.size());
    }
  }
  template <typename T>
  void Field(uint32 number, const char* /*name*/, Owned<T>& message) {
    StringPiece bytes;
    if (Is(number, Wire::kBytes) && TakeBytes(&bytes)) ok_ = Read(bytes, message.mutable_get(), depth_ + 1);
  }
  // Numbers may be packed or separate.
  template <typename T>
  void Field(uint32 number, const char* /*name*/, RepeatedField<T>& values) {
    StringPiece packed;
    if (Is(number, NumberBytes<T>::kWire)) return TakeNumber(from_, &values);
    if (!Is(number, Wire::kBytes) || !TakeBytes(&packed)) return;
    while (ok_ && !packed.empty()) TakeNumber(&packed, &values);
  }
  template <typename T>
  void Field(uint32 number, const char* /*name*/, RepeatedPtrField<T>& values) {
    StringPiece bytes;
    if (!Is(number, Wire::kBytes) || !TakeBytes(&bytes)) return;
    if constexpr (std::is_same_v<T, std::string>) {
      values.Add()->assign(bytes.data(), bytes.size());
    } else {
      ok_ = Read(bytes, values.Add(), depth_ + 1);
    }
  }
  template <typename T>
  void Field(uint32 number, const char* /*name*/, Owned<Map<std::string, T>>& map) {
    StringPiece bytes;
    if (!Is(number, Wire::kBytes) || !TakeBytes(&bytes)) return;
    Entry<T> entry;
    ok_ = Read(bytes, &entry, depth_ + 1);
    if (ok_) (*map.mutable_get())[entry.key] = entry.value.get();
  }
  template <typename Self, typename Case, typename T>
  void Choice(uint32 number, const char* name, Self& message, Case one, T& value) {
    if (number != number_) return;
    if (message.value_case() != one) message.Choose(one);
    Field(number, name, value);
  }

 private:
  template <typename T>
  struct Entry {
    template <typename Self, typename Fields>
    static void VisitFields(Self& self, Fields& fields) {
      fields.Field(1, "key", self.key);
      fields.Field(2, "value", self.value);
    }
    std::string key;
    Owned<T> value;
  };

  ProtoReader(StringPiece* from, uint32 number, Wire wire, int depth)
      : from_(from), number_(number), wire_(wire), depth_(depth) {}

  bool Is(uint32 number, Wire wire) {
    const bool is = number == number_ && wire == wire_ && !is_taken_;
    is_taken_ = is_taken_ || is;
    return is;
  }
  bool TakeBytes(StringPiece* bytes) {
    uint64 size = 0;
    ok_ = core::GetVarint64(from_, &size) && size <= from_->size();
    if (!ok_) return false;
    *bytes = StringPiece(from_->data(), static_cast<size_t>(size));
    from_->remove_prefix(static_cast<size_t>(size));
    return true;
  }
  template <typename T>
  void TakeNumber(StringPiece* from, RepeatedField<T>* values) {
    T value{};
    ok_ = NumberBytes<T>::Take(from, &value);
    if (ok_) values->Add(value);
  }
  void Skip() {
    uint64 number = 0;
    StringPiece bytes;
    switch (wire_) {
      case Wire::kVarint:
        ok_ = core::GetVarint64(from_, &number);
        return;
      case Wire::kBytes:
        TakeBytes(&bytes);
        return;
      case Wire::kFixed32:
        ok_ = NumberBytes<float>::Take(from_, reinterpret_cast<float*>(&number));
        return;
      case Wire::kFixed64:
        ok_ = NumberBytes<double>::Take(from_, reinterpret_cast<double*>(&number));
        return;
    }
    ok_ = false;  // groups, which TensorFlow's messages do not use
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

// opsrun_compat/proto_message.h: the base class of messages, and macros for the accessors of their fields.
//
// The messages are classes of the SDK with TensorFlow's names and serialized form, without the Protocol Buffers
// library. A class derives from internal::ProtoMessage<itself>, or from ProtoOneof<itself> if its fields exclude each
// other, and names its fields by the macros at the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_compat/data_types.h"
#include "opsrun_compat/proto_bytes.h"
#include "opsrun_compat/str_util.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The text format, for debugging: one field per line, with fields of messages indented by two spaces; or everything on
// one line.
class ProtoText {
 public:
  ProtoText(std::string* to, bool on_one_line) : to_(to), on_one_line_(on_one_line) {}

  template <typename Self, typename T>
  void Field(int number, const char* name, const Self& message, const T& field) {
    if (message.Has(number, field)) Value(name, field);
  }

 private:
  // A number or a message.
  template <typename T>
  void Value(const char* name, const T& value) {
    if constexpr (is_number<T>) {
      Line(name, ": ", Number(value));
    } else {
      Open(name);
      T::VisitFields(value, *this);
      Close();
    }
  }
  void Value(const char* name, const std::string& text) { Line(name, ": ", '"' + str_util::CEscape(text) + '"'); }
  template <typename T>
  void Value(const char* name, const Owned<T>& message) {
    Value(name, message.get());
  }
  template <typename T>
  void Value(const char* name, const RepeatedField<T>& values) {
    for (const T value : values) Value(name, value);
  }
  template <typename T>
  void Value(const char* name, const RepeatedPtrField<T>& values) {
    for (const T& value : values) Value(name, value);
  }
  template <typename T>
  void Value(const char* name, const OwnedMap<T>& map) {
    for (const auto& [key, value] : map.get()) {
      Open(name);
      Value("key", key);
      Value("value", value);
      Close();
    }
  }

  static std::string Number(bool value) { return value ? "true" : "false"; }
  static std::string Number(DataType type) {
    const std::string text = DataType_Name(type);
    const bool is_unknown = DataTypeSize(type) == 0 && text.find(' ') != std::string::npos;
    return is_unknown ? std::to_string(static_cast<int>(type)) : text;
  }
  // With 6 or 9, or with 15 or 17, digits: the fewest that are read back as the same number.
  static std::string Number(float value) {
    const std::string text = Format("%.6g", static_cast<double>(value));
    return strtof(text.c_str(), nullptr) == value ? text : Format("%.9g", static_cast<double>(value));
  }
  static std::string Number(double value) {
    const std::string text = Format("%.15g", value);
    return strtod(text.c_str(), nullptr) == value ? text : Format("%.17g", value);
  }
  template <typename T>
  static std::string Number(T value) {
    return std::to_string(value);
  }
  void Open(const char* name) {
    Line(name, " {", "");
    ++depth_;
  }
  void Close() {
    --depth_;
    Line("}", "", "");
  }
  void Line(const char* name, const char* between, const std::string& value) {
    if (!on_one_line_) to_->append(2 * depth_, ' ');
    if (on_one_line_ && !to_->empty()) *to_ += ' ';
    *to_ += name + (between + value);
    if (!on_one_line_) *to_ += '\n';
  }

  std::string* to_;
  const bool on_one_line_;
  size_t depth_ = 0;
};

template <int kNumber>
struct FieldNumber {};

template <typename Self>
class ProtoMessage : public PlainFields {
 public:
  static const Self& default_instance() {
    static const Self* empty = new Self;
    return *empty;
  }

  // Always true: there is no size limit.
  bool SerializeToString(std::string* bytes) const {
    bytes->clear();
    return AppendToString(bytes);
  }
  bool AppendToString(std::string* bytes) const {
    ProtoWriter writer(bytes);
    VisitFields(self(), writer);
    return true;
  }
  std::string SerializeAsString() const {
    std::string bytes;
    AppendToString(&bytes);
    return bytes;
  }
  size_t ByteSizeLong() const { return SerializeAsString().size(); }

  // False: the bytes are not a valid message. Fields that were read before the error are kept.
  bool ParseFromString(StringPiece bytes) {
    Clear();
    return ProtoReader::Read(bytes, &self());
  }
  bool ParseFromArray(const void* bytes, int size) {
    return size >= 0 && ParseFromString({static_cast<const char*>(bytes), static_cast<size_t>(size)});
  }

  void Clear() { self() = Self(); }
  void CopyFrom(const Self& other) { self() = other; }
  // Appends to lists; other fields are replaced if they are set in `other`.
  void MergeFrom(const Self& other) { ProtoReader::Read(other.SerializeAsString(), &self()); }
  void Swap(Self* other) { std::swap(self(), *other); }

  // For debugging: one field per line, or everything on one line.
  std::string DebugString() const { return Text(false); }
  std::string ShortDebugString() const { return Text(true); }

  // Calls fields.Field(number, name, message, field) for each field, in the order of the numbers.
  template <typename Message, typename Fields>
  static void VisitFields(Message& message, Fields& fields) {
    VisitAll(message, fields, std::make_integer_sequence<int, kMaxFieldNumber + 1>());
  }

 protected:
  static constexpr int kMaxFieldNumber = 18;

 private:
  template <typename Message, typename Fields, int... kNumbers>
  static void VisitAll(Message& message, Fields& fields, std::integer_sequence<int, kNumbers...>) {
    (Visit(FieldNumber<kNumbers>(), message, fields, 0), ...);
  }
  template <typename Number, typename Message, typename Fields>
  static auto Visit(Number number, Message& message, Fields& fields, int)
      -> decltype(std::remove_const_t<Message>::VisitField(number, message, fields)) {
    Self::VisitField(number, message, fields);
  }
  // For numbers that no field has.
  template <typename Number, typename Message, typename Fields>
  static void Visit(Number, Message&, Fields&, long) {}

  std::string Text(bool on_one_line) const {
    std::string text;
    ProtoText writer(&text, on_one_line);
    VisitFields(self(), writer);
    return text;
  }
  const Self& self() const { return static_cast<const Self&>(*this); }
  Self& self() { return static_cast<Self&>(*this); }
};

// A message of which at most one field is set, whatever its value; setting a field clears the others.
template <typename Self>
class ProtoOneof : public ProtoMessage<Self> {
 public:
  template <typename T>
  bool Has(int number, const T& /*field*/) const {
    return set_field_ == number;
  }
  void Select(int number) {
    if (set_field_ != number) this->Clear();
    set_field_ = number;
  }
  template <typename T>
  void ClearField(int number, T* /*field*/) {
    if (set_field_ == number) this->Clear();
  }

 protected:
  int set_field_ = 0;
};

}  // namespace internal

// Messages as elements of tensors. False: the bytes are not a valid message.
template <typename Message>
bool SerializeToTString(const internal::ProtoMessage<Message>& message, tstring* bytes) {
  *bytes = message.SerializeAsString();
  return true;
}
template <typename Message>
bool ParseFromTString(StringPiece bytes, internal::ProtoMessage<Message>* message) {
  return message->ParseFromString(bytes);
}
template <typename Message>
bool ParseProtoUnlimited(internal::ProtoMessage<Message>* message, StringPiece bytes) {
  return message->ParseFromString(bytes);
}
template <typename Message>
bool ParseProtoUnlimited(internal::ProtoMessage<Message>* message, const void* bytes, size_t size) {
  return message->ParseFromString(StringPiece(static_cast<const char*>(bytes), size));
}

}  // namespace OPSRUN_HIDDEN

// The field `name`: its member name_, and the accessors of fields of all kinds, named as Protocol Buffers names them.
#define OPSRUN_FIELD(number, Type, name)                                              \
  template <typename Self, typename Fields>                                           \
  static void VisitField(internal::FieldNumber<number>, Self& self, Fields& fields) { \
    static_assert(number <= Self::kMaxFieldNumber);                                   \
    fields.Field(number, #name, self, self.name##_);                                  \
  }                                                                                   \
  bool has_##name() const {                                                           \
    return Has(number, name##_);                                                      \
  }                                                                                   \
  void clear_##name() {                                                               \
    ClearField(number, &name##_);                                                     \
  }                                                                                   \
                                                                                      \
 private:                                                                             \
  Type name##_{};                                                                     \
                                                                                      \
 public:
#define OPSRUN_NUMBER_FIELD(number, Type, name) \
  OPSRUN_FIELD(number, Type, name)              \
  Type name() const {                           \
    return name##_;                             \
  }                                             \
  void set_##name(Type value) {                 \
    Select(number);                             \
    name##_ = value;                            \
  }
#define OPSRUN_TEXT_FIELD(number, name)                             \
  OPSRUN_FIELD(number, std::string, name)                           \
  const std::string& name() const {                                 \
    return name##_;                                                 \
  }                                                                 \
  std::string* mutable_##name() {                                   \
    Select(number);                                                 \
    return &name##_;                                                \
  }                                                                 \
  void set_##name(StringPiece text) {                               \
    mutable_##name()->assign(text);                                 \
  }                                                                 \
  void set_##name(const void* bytes, size_t size) {                 \
    set_##name(StringPiece(static_cast<const char*>(bytes), size)); \
  }
// Of a message or a map, which is absent unless it is set.
#define OPSRUN_OWNED_FIELD(number, Type, name)      \
  OPSRUN_FIELD(number, internal::Owned<Type>, name) \
  const Type& name() const {                        \
    return name##_.get();                           \
  }                                                 \
  Type* mutable_##name() {                          \
    Select(number);                                 \
    return name##_.mutable_get();                   \
  }
#define OPSRUN_MAP_FIELD(number, Type, name) \
  OPSRUN_OWNED_FIELD(number, Type, name)     \
  int name##_size() const {                  \
    return static_cast<int>(name().size());  \
  }
// Of lists: of numbers, of messages and of texts.
#define OPSRUN_LIST_FIELD(number, List, name) \
  OPSRUN_FIELD(number, List, name)            \
  int name##_size() const {                   \
    return name##_.size();                    \
  }                                           \
  decltype(auto) name(int i) const {          \
    return name##_.Get(i);                    \
  }                                           \
  const List& name() const {                  \
    return name##_;                           \
  }                                           \
  List* mutable_##name() {                    \
    return &name##_;                          \
  }
#define OPSRUN_NUMBERS_FIELD(number, Type, name)                 \
  OPSRUN_LIST_FIELD(number, protobuf::RepeatedField<Type>, name) \
  void set_##name(int i, Type value) {                           \
    name##_.Set(i, value);                                       \
  }                                                              \
  void add_##name(Type value) {                                  \
    name##_.Add(value);                                          \
  }
#define OPSRUN_MESSAGES_FIELD(number, Type, name)                   \
  OPSRUN_LIST_FIELD(number, protobuf::RepeatedPtrField<Type>, name) \
  Type* mutable_##name(int i) {                                     \
    return name##_.Mutable(i);                                      \
  }                                                                 \
  Type* add_##name() {                                              \
    return name##_.Add();                                           \
  }
#define OPSRUN_TEXTS_FIELD(number, name)                            \
  OPSRUN_MESSAGES_FIELD(number, std::string, name)                  \
  void set_##name(int i, StringPiece text) {                        \
    name##_.Mutable(i)->assign(text);                               \
  }                                                                 \
  void add_##name(StringPiece text) {                               \
    name##_.Add()->assign(text);                                    \
  }                                                                 \
  void add_##name(const void* bytes, size_t size) {                 \
    add_##name(StringPiece(static_cast<const char*>(bytes), size)); \
  }

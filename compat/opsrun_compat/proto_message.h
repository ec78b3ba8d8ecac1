// opsrun_compat/proto_message.h: the base class of messages, and macros for the accessors of their fields.
//
// The messages are classes of the SDK with TensorFlow's names and serialized form, without the Protocol Buffers
// library. A class derives from internal::ProtoMessage<itself> and lists its fields in VisitFields(message, fields).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun/tstring.h"
#include "opsrun_compat/proto_bytes.h"
#include "opsrun_compat/proto_containers.h"
#include "opsrun_compat/proto_text.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <typename Self>
class ProtoMessage {
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
    Self::VisitFields(self(), writer);
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
    if (size < 0) return false;
    return ParseFromString(StringPiece(static_cast<const char*>(bytes), static_cast<size_t>(size)));
  }

  void Clear() { self() = Self(); }
  void CopyFrom(const Self& other) { self() = other; }
  // Appends to lists; other fields are replaced if they are set in `other`.
  void MergeFrom(const Self& other) { ProtoReader::Read(other.SerializeAsString(), &self()); }
  void Swap(Self* other) { std::swap(self(), *other); }

  // For debugging: one field per line, or everything on one line.
  std::string DebugString() const { return Text(false); }
  std::string ShortDebugString() const { return Text(true); }

 private:
  std::string Text(bool on_one_line) const {
    std::string text;
    ProtoText writer(&text, on_one_line);
    Self::VisitFields(self(), writer);
    return text;
  }
  const Self& self() const { return static_cast<const Self&>(*this); }
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace internal

// Messages as elements of tensors. ParseProtoUnlimited and ParseFromTString: false if the bytes are not a valid
// message.
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

// VisitFields is private, so these classes are friends.
#define OPSRUN_PROTO_FRIENDS          \
  friend class internal::ProtoWriter; \
  friend class internal::ProtoReader; \
  friend class internal::ProtoText;   \
  template <typename>                 \
  friend class internal::ProtoMessage;

// Accessors of the field `name`, whose member is name_. The names are those that the Protocol Buffers compiler
// generates.
#define OPSRUN_NUMBER_FIELD(Type, name) \
  Type name() const {                   \
    return name##_;                     \
  }                                     \
  void set_##name(Type value) {         \
    name##_ = value;                    \
  }                                     \
  void clear_##name() {                 \
    name##_ = {};                       \
  }
#define OPSRUN_TEXT_FIELD(name)                            \
  const std::string& name() const {                        \
    return name##_;                                        \
  }                                                        \
  std::string* mutable_##name() {                          \
    return &name##_;                                       \
  }                                                        \
  void set_##name(StringPiece text) {                      \
    name##_.assign(text.data(), text.size());              \
  }                                                        \
  void set_##name(const void* bytes, size_t size) {        \
    name##_.assign(static_cast<const char*>(bytes), size); \
  }                                                        \
  void clear_##name() {                                    \
    name##_.clear();                                       \
  }
#define OPSRUN_MESSAGE_FIELD(Type, name) \
  bool has_##name() const {              \
    return name##_.is_set();             \
  }                                      \
  const Type& name() const {             \
    return name##_.get();                \
  }                                      \
  Type* mutable_##name() {               \
    return name##_.mutable_get();        \
  }                                      \
  void clear_##name() {                  \
    name##_.reset();                     \
  }
#define OPSRUN_NUMBERS_FIELD(Type, name)              \
  int name##_size() const {                           \
    return name##_.size();                            \
  }                                                   \
  Type name(int i) const {                            \
    return name##_.Get(i);                            \
  }                                                   \
  void set_##name(int i, Type value) {                \
    name##_.Set(i, value);                            \
  }                                                   \
  void add_##name(Type value) {                       \
    name##_.Add(value);                               \
  }                                                   \
  const protobuf::RepeatedField<Type>& name() const { \
    return name##_;                                   \
  }                                                   \
  protobuf::RepeatedField<Type>* mutable_##name() {   \
    return &name##_;                                  \
  }                                                   \
  void clear_##name() {                               \
    name##_.clear();                                  \
  }
#define OPSRUN_LIST_FIELD(Type, name)                    \
  int name##_size() const {                              \
    return name##_.size();                               \
  }                                                      \
  const Type& name(int i) const {                        \
    return name##_.Get(i);                               \
  }                                                      \
  Type* mutable_##name(int i) {                          \
    return name##_.Mutable(i);                           \
  }                                                      \
  Type* add_##name() {                                   \
    return name##_.Add();                                \
  }                                                      \
  const protobuf::RepeatedPtrField<Type>& name() const { \
    return name##_;                                      \
  }                                                      \
  protobuf::RepeatedPtrField<Type>* mutable_##name() {   \
    return &name##_;                                     \
  }                                                      \
  void clear_##name() {                                  \
    name##_.clear();                                     \
  }
#define OPSRUN_TEXTS_FIELD(name)                                  \
  OPSRUN_LIST_FIELD(std::string, name)                            \
  void set_##name(int i, StringPiece text) {                      \
    name##_.Mutable(i)->assign(text.data(), text.size());         \
  }                                                               \
  void add_##name(StringPiece text) {                             \
    name##_.Add()->assign(text.data(), text.size());              \
  }                                                               \
  void add_##name(const void* bytes, size_t size) {               \
    name##_.Add()->assign(static_cast<const char*>(bytes), size); \
  }
#define OPSRUN_MAP_FIELD(Type, name)                     \
  int name##_size() const {                              \
    return static_cast<int>(name().size());              \
  }                                                      \
  const protobuf::Map<std::string, Type>& name() const { \
    return name##_.get();                                \
  }                                                      \
  protobuf::Map<std::string, Type>* mutable_##name() {   \
    return name##_.mutable_get();                        \
  }                                                      \
  void clear_##name() {                                  \
    name##_.reset();                                     \
  }

// Accessors of a field of a oneof: value_case() says which one is set, and Choose(one) clears the others.
#define OPSRUN_NUMBER_CHOICE(Type, name, one) \
  bool has_##name() const {                   \
    return value_case() == (one);             \
  }                                           \
  Type name() const {                         \
    return name##_;                           \
  }                                           \
  void set_##name(Type value) {               \
    Choose(one);                              \
    name##_ = value;                          \
  }
#define OPSRUN_TEXT_CHOICE(name, one)                               \
  bool has_##name() const {                                         \
    return value_case() == (one);                                   \
  }                                                                 \
  const std::string& name() const {                                 \
    return name##_;                                                 \
  }                                                                 \
  void set_##name(StringPiece text) {                               \
    Choose(one);                                                    \
    name##_.assign(text.data(), text.size());                       \
  }                                                                 \
  void set_##name(const void* bytes, size_t size) {                 \
    set_##name(StringPiece(static_cast<const char*>(bytes), size)); \
  }                                                                 \
  std::string* mutable_##name() {                                   \
    if (!has_##name()) Choose(one);                                 \
    return &name##_;                                                \
  }
#define OPSRUN_MESSAGE_CHOICE(Type, name, one) \
  bool has_##name() const {                    \
    return value_case() == (one);              \
  }                                            \
  const Type& name() const {                   \
    return name##_.get();                      \
  }                                            \
  Type* mutable_##name() {                     \
    if (!has_##name()) Choose(one);            \
    return name##_.mutable_get();              \
  }

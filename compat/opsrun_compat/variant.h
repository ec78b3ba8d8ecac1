// opsrun_compat/variant.h: Variant, an element of a variant tensor: empty, or a value of a type of the plugin;
// TypeIndex, the identity of a type in this plugin, without run-time type information.
//
// Copies are independent. For the host it is a handle of an object that only its plugin can read: a value of another
// plugin can be passed on, but has no type here. If a value is shared, get<T>() copies it first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/resource_call.h"
#include "opsrun/register_types.h"
#include "opsrun/resource_mgr.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class TypeIndex {
 public:
  template <typename T>
  static TypeIndex Make() {
    return TypeIndex(internal::TypeText<T>().data());
  }

  // The compiler's spelling of the type; NUL-terminated, and valid as long as the plugin is loaded.
  const char* name() const { return name_; }
  uint64_t hash_code() const { return reinterpret_cast<uintptr_t>(name_); }
  bool operator==(const TypeIndex& other) const { return name_ == other.name_; }
  bool operator!=(const TypeIndex& other) const { return name_ != other.name_; }

 private:
  explicit TypeIndex(const char* name) : name_(name) {}

  const char* name_;  // unique per type
};

template <typename T>
TypeIndex MakeTypeIndex() {
  return TypeIndex::Make<T>();
}

// VariantTensorData, the encoded form of a value in a variant, and functions that encode and decode values of any type.
//
// A class has void Encode(VariantTensorData*) const and bool Decode(const VariantTensorData&). Numbers, other plain
// data and strings are encoded as the metadata; a Tensor as the only tensor.

class VariantTensorData {
 public:
  const std::string& type_name() const { return type_name_; }
  void set_type_name(const std::string& name) { type_name_ = name; }

  // The metadata: a string, or the bytes of a value of plain data.
  template <typename T>
  void set_metadata(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string>) {
      metadata_ = value;
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "metadata is a string or plain data");
      metadata_.assign(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  // False: the size of the metadata is not that of a T.
  template <typename T>
  bool get_metadata(T* value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      *value = metadata_;
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "metadata is a string or plain data");
      if (metadata_.size() != sizeof(T)) return false;
      memcpy(value, metadata_.data(), sizeof(T));
    }
    return true;
  }
  std::string& metadata_string() { return metadata_; }
  const std::string& metadata_string() const { return metadata_; }

  int tensors_size() const { return static_cast<int>(tensors_.size()); }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Tensor& tensors(int i) const { return tensors_[static_cast<size_t>(i)]; }
  Tensor* add_tensors() { return &tensors_.emplace_back(); }
  template <typename... Args>
  Tensor* add_tensor(Args&&... args) {
    return &tensors_.emplace_back(std::forward<Args>(args)...);
  }
  std::string DebugString() const {
    std::string tensors;
    for (const Tensor& tensor : tensors_) tensors += tensor.DebugString() + " ";
    return "type_name: " + type_name_ + " metadata: " + metadata_ + " tensors: " + tensors;
  }

 private:
  std::string type_name_, metadata_;
  std::vector<Tensor> tensors_;
};

namespace internal {

// Whether a class has the method that Call<T> calls.
template <template <typename> class Call, typename T, typename = void>
inline constexpr bool kHas = false;
template <template <typename> class Call, typename T>
inline constexpr bool kHas<Call, T, std::void_t<Call<T>>> = true;
template <typename T>
using Encoding = decltype(std::declval<const T&>().Encode(static_cast<VariantTensorData*>(nullptr)));
template <typename T>
using Decoding = decltype(std::declval<T&>().Decode(std::declval<VariantTensorData>()));
template <typename T>
using Naming = decltype(std::declval<const T&>().TypeName());
template <typename T>
using Describing = decltype(std::declval<const T&>().DebugString());

template <typename T>
constexpr bool kIsMetadata = std::is_same_v<T, std::string> || std::is_trivially_copyable_v<T>;

}  // namespace internal

// The name of an encoded type: its TypeName(), or the compiler's name.
template <typename T>
std::string TypeNameVariant(const T& value) {
  if constexpr (internal::kHas<internal::Naming, T>) return std::string(value.TypeName());
  return std::string(internal::TypeText<T>());
}

template <typename T>
std::string DebugStringVariant(const T& value) {
  if constexpr (internal::kHas<internal::Describing, T>) return std::string(value.DebugString());
  if constexpr (std::is_same_v<T, std::string>) return value;
  if constexpr (std::is_arithmetic_v<T>) return std::to_string(value);
  return "?";
}

// Values of types without an encoding leave a description as metadata, which cannot be decoded.
template <typename T>
void EncodeVariant(const T& value, VariantTensorData* data) {
  data->set_type_name(TypeNameVariant(value));
  if constexpr (internal::kHas<internal::Encoding, T>) {
    value.Encode(data);
  } else if constexpr (std::is_same_v<T, Tensor>) {
    data->add_tensor(value);
  } else if constexpr (internal::kIsMetadata<T>) {
    data->set_metadata(value);
  } else {
    data->set_metadata(DebugStringVariant(value));
  }
}

// False: it was not encoded from a T, or a T cannot be decoded.
template <typename T>
bool DecodeVariant(VariantTensorData* data, T* value) {
  if constexpr (internal::kHas<internal::Decoding, T>) {
    return value->Decode(*data);
  } else if constexpr (std::is_same_v<T, Tensor>) {
    if (data->tensors_size() != 1) return false;
    *value = data->tensors(0);
    return true;
  } else if constexpr (internal::kIsMetadata<T>) {
    return data->get_metadata(value);
  } else {
    return false;
  }
}

namespace internal {

// The object behind a Variant's handle.
class VariantValue : public ResourceBase {
 public:
  virtual VariantValue* Clone() const = 0;  // the caller owns a reference
  virtual TypeIndex Type() const = 0;
  virtual std::string TypeName() const = 0;
  virtual void Encode(VariantTensorData* data) const = 0;
  virtual bool Decode(VariantTensorData* data) = 0;
};

template <typename T>
class VariantValueOf final : public VariantValue {
 public:
  template <typename... Args>
  explicit VariantValueOf(std::in_place_t, Args&&... args) : value(std::forward<Args>(args)...) {}
  VariantValue* Clone() const override { return new VariantValueOf(std::in_place, value); }
  TypeIndex Type() const override { return TypeIndex::Make<T>(); }
  std::string TypeName() const override { return TypeNameVariant(value); }
  std::string DebugString() const override { return DebugStringVariant(value); }
  void Encode(VariantTensorData* data) const override { EncodeVariant(value, data); }
  bool Decode(VariantTensorData* data) override { return DecodeVariant(data, &value); }

  T value;
};

}  // namespace internal

class Variant {
  template <typename T>
  using Stored = std::remove_cv_t<std::remove_reference_t<T>>;
  template <typename T>
  using IfValue = std::enable_if_t<!std::is_same_v<Stored<T>, Variant> && std::is_copy_constructible_v<Stored<T>>>;

 public:
  Variant() = default;  // empty
  Variant(const Variant& other) : Variant(other.NewCopy()) {
    if (other.value() == nullptr) handle_ = other.handle_;
  }
  Variant(Variant&& other) noexcept = default;
  template <typename T, typename = IfValue<T>>
  Variant(T&& value) : Variant(NewValue<Stored<T>>(std::forward<T>(value))) {}
  Variant& operator=(Variant other) noexcept {
    swap(other);
    return *this;
  }
  // Returns a reference to the new value.
  template <typename T, typename... Args>
  T& emplace(Args&&... args) {
    *this = Variant(NewValue<T>(std::forward<Args>(args)...));
    return *get<T>();
  }

  void clear() noexcept { handle_ = {}; }
  void swap(Variant& other) noexcept { std::swap(handle_, other.handle_); }
  bool is_empty() const { return handle_.resource() == nullptr && handle_.unnamed() == nullptr; }

  // The value, which the Variant owns. NULL: it is empty, or its value is of another type.
  template <typename T>
  const T* get() const {
    const internal::VariantValue* held = value();
    if (held == nullptr || held->Type() != TypeIndex::Make<T>()) return nullptr;
    return &static_cast<const internal::VariantValueOf<T>*>(held)->value;
  }
  template <typename T>
  T* get() {
    if (std::as_const(*this).get<T>() == nullptr) return nullptr;
    if (IsShared()) *this = Variant(NewCopy());
    return const_cast<T*>(std::as_const(*this).get<T>());
  }

  // void, "" and descriptions for values that are empty or of another plugin.
  TypeIndex TypeId() const { return value() == nullptr ? TypeIndex::Make<void>() : value()->Type(); }
  std::string TypeName() const { return value() == nullptr ? "" : value()->TypeName(); }
  std::string SummarizeValue() const {
    if (is_empty()) return "[empty]";
    return value() == nullptr ? "[a value of another plugin]" : value()->DebugString();
  }
  std::string DebugString() const {
    if (is_empty()) return "Variant<type: none>";
    return "Variant<type: " + TypeName() + " value: " + SummarizeValue() + ">";
  }

  // Does nothing if there is no value that this plugin can read.
  void Encode(VariantTensorData* data) const {
    if (value() != nullptr) value()->Encode(data);
  }
  // False: there is no value that this plugin can read, or its type cannot be decoded from `data`.
  bool Decode(VariantTensorData data) {
    if (value() == nullptr) return false;
    if (IsShared()) *this = Variant(NewCopy());
    return const_cast<internal::VariantValue*>(value())->Decode(&data);
  }

 private:
  // Takes over the caller's reference. NULL: an empty Variant.
  explicit Variant(internal::VariantValue* value) {
    if (value != nullptr) handle_ = ResourceHandle::MakeRefCountingHandle<internal::VariantValue>(value, {});
  }
  template <typename T, typename... Args>
  static internal::VariantValue* NewValue(Args&&... args) {
    return new internal::VariantValueOf<T>(std::in_place, std::forward<Args>(args)...);
  }
  internal::VariantValue* NewCopy() const { return value() == nullptr ? nullptr : value()->Clone(); }
  const internal::VariantValue* value() const {
    const auto found = handle_.GetResource<internal::VariantValue>();
    return found.ok() ? found.value() : nullptr;
  }
  bool IsShared() const { return handle_.resource() != nullptr || !handle_.unnamed()->IsOnlyOne(); }

  ResourceHandle handle_;  // the only member: see kIsSlot in opsrun/internal/slot_tensor.h
};

static_assert(sizeof(Variant) == sizeof(ResourceHandle), "tensors of both have the same elements");

// Functions for values in variants are checked as in TensorFlow, but never called: opsrun lacks the ops that would.
enum VariantUnaryOp { INVALID_VARIANT_UNARY_OP = 0, ZEROS_LIKE_VARIANT_UNARY_OP = 1, CONJ_VARIANT_UNARY_OP = 2 };
enum VariantBinaryOp { INVALID_VARIANT_BINARY_OP = 0, ADD_VARIANT_BINARY_OP = 1 };
enum VariantDeviceCopyDirection {
  INVALID_DEVICE_COPY_DIRECTION = 0,
  HOST_TO_DEVICE = 1,
  DEVICE_TO_HOST = 2,
  DEVICE_TO_DEVICE = 3,
};

namespace internal {

// Copies a tensor between devices; passed to a function that is registered for a type.
using TensorCopier = std::function<Status(const Tensor& from, Tensor* to)>;

template <typename T>
constexpr bool IgnoredDecode() {
  static_assert(std::is_default_constructible_v<T>, "a value that is decoded is made empty first");
  return true;
}

template <typename T, typename Fn>
constexpr bool IgnoredUnary(VariantUnaryOp, const char*, const Fn&) {
  static_assert(std::is_invocable_r_v<Status, Fn, OpKernelContext*, const T&, T*>,
                "takes (OpKernelContext*, const T&, T*) and returns a Status");
  return true;
}

template <typename T, typename Fn>
constexpr bool IgnoredBinary(VariantBinaryOp, const char*, const Fn&) {
  static_assert(std::is_invocable_r_v<Status, Fn, OpKernelContext*, const T&, const T&, T*>,
                "takes (OpKernelContext*, const T&, const T&, T*) and returns a Status");
  return true;
}

template <typename T, typename Fn>
constexpr bool IgnoredCopy(VariantDeviceCopyDirection, const Fn&) {
  static_assert(std::is_invocable_r_v<Status, Fn, const T&, T*, TensorCopier>,
                "takes (const T&, T*, a function that copies tensors) and returns a Status");
  return true;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

template <>
struct std::hash<::OPSRUN_NAMESPACE::TypeIndex> {
  size_t operator()(const ::OPSRUN_NAMESPACE::TypeIndex& type) const { return type.hash_code(); }
};

// Replaces the empty macro of the SDK's own headers.
#undef TF_CALL_variant
#define TF_CALL_variant(m) m(::OPSRUN_NAMESPACE::Variant)

#define OPSRUN_IGNORED_VARIANT(CALL) OPSRUN_IGNORED_VARIANT_2(__COUNTER__, CALL)
#define OPSRUN_IGNORED_VARIANT_2(N, CALL) OPSRUN_IGNORED_VARIANT_3(N, CALL)
#define OPSRUN_IGNORED_VARIANT_3(N, CALL) \
  [[maybe_unused]] static const bool opsrun_ignored_variant_##N = ::OPSRUN_NAMESPACE::internal::CALL

#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(T, type_name) OPSRUN_IGNORED_VARIANT(IgnoredDecode<T>())
#define REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(op, device, T, ...) \
  OPSRUN_IGNORED_VARIANT(IgnoredUnary<T>(::OPSRUN_NAMESPACE::op, device, __VA_ARGS__))
#define REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(op, device, T, ...) \
  OPSRUN_IGNORED_VARIANT(IgnoredBinary<T>(::OPSRUN_NAMESPACE::op, device, __VA_ARGS__))
#define INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(T, direction, ...) \
  OPSRUN_IGNORED_VARIANT(IgnoredCopy<T>(direction, __VA_ARGS__))

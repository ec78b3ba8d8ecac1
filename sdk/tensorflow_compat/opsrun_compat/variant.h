// opsrun_compat/variant.h: Variant, an element of a variant tensor: empty, or a value of a type of the plugin.
//
// A Variant is a value: copies are independent. For the host it is a handle of an object that only its plugin can
// read: what another plugin made can be passed on, and is of no type here. What is in a tensor of a host does not
// change: get<T>() of a Variant that shares its value with others gives it a copy of its own first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/internal/resource_call.h"
#include "opsrun/register_types.h"
#include "opsrun/resource_mgr.h"
#include "opsrun_compat/variant_tensor_data.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
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
  // Returns the new value.
  template <typename T, typename... Args>
  T& emplace(Args&&... args) {
    *this = Variant(NewValue<T>(std::forward<Args>(args)...));
    return *get<T>();
  }

  void clear() noexcept { handle_ = {}; }
  void swap(Variant& other) noexcept { std::swap(handle_, other.handle_); }
  bool is_empty() const { return handle_.resource() == nullptr && handle_.unnamed() == nullptr; }

  // The value, owned by the Variant. NULL: it is empty, or its value is of another type.
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

  // void, "" and descriptions for what is empty or of another plugin.
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

  // Nothing if there is no value that this plugin can read.
  void Encode(VariantTensorData* data) const {
    if (value() != nullptr) value()->Encode(data);
  }
  // Replaces the value by another one of its type. False: there is no value that this plugin can read, or its type
  // cannot be decoded from this.
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

  ResourceHandle handle_;  // the only member: see SlotElement in opsrun/internal/slot_tensor.h
};

static_assert(sizeof(Variant) == sizeof(ResourceHandle), "tensors of both have the same elements");

}  // namespace OPSRUN_HIDDEN

// The SDK's own headers have no variants.
#undef TF_CALL_variant
#define TF_CALL_variant(m) m(::OPSRUN_NAMESPACE::Variant)

// opsrun_compat/variant_tensor_data.h: VariantTensorData, into which a value in a variant encodes itself, and the
// functions that encode and decode values of any type.
//
// A class encodes itself if it has void Encode(VariantTensorData*) const, and decodes itself with
// bool Decode(const VariantTensorData&). Numbers and other plain data are the metadata, strings too; a Tensor is the
// only tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor.h"
#include "opsrun_compat/type_index.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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
  // False: the metadata does not have the size of a T.
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

template <typename T, typename = void>
struct EncodesItself : std::false_type {};
template <typename T>
struct EncodesItself<T,
                     std::void_t<decltype(std::declval<const T&>().Encode(static_cast<VariantTensorData*>(nullptr)))>>
    : std::true_type {};

template <typename T, typename = void>
struct DecodesItself : std::false_type {};
template <typename T>
struct DecodesItself<T, std::void_t<decltype(std::declval<T&>().Decode(std::declval<VariantTensorData>()))>>
    : std::true_type {};

template <typename T, typename = void>
struct NamesItself : std::false_type {};
template <typename T>
struct NamesItself<T, std::void_t<decltype(std::declval<const T&>().TypeName())>> : std::true_type {};

template <typename T, typename = void>
struct DescribesItself : std::false_type {};
template <typename T>
struct DescribesItself<T, std::void_t<decltype(std::declval<const T&>().DebugString())>> : std::true_type {};

template <typename T>
constexpr bool kIsMetadata = std::is_same_v<T, std::string> || std::is_trivially_copyable_v<T>;

}  // namespace internal

// The name under which a value is encoded: what its TypeName() says, or the name of its type.
template <typename T>
std::string TypeNameVariant(const T& value) {
  if constexpr (internal::NamesItself<T>::value) return std::string(value.TypeName());
  return std::string(internal::TypeText<T>());
}

template <typename T>
std::string DebugStringVariant(const T& value) {
  if constexpr (internal::DescribesItself<T>::value) return std::string(value.DebugString());
  if constexpr (std::is_same_v<T, std::string>) return value;
  if constexpr (std::is_arithmetic_v<T>) return std::to_string(value);
  return "?";
}

// Values of types that cannot encode themselves leave a description as metadata, which nothing decodes.
template <typename T>
void EncodeVariant(const T& value, VariantTensorData* data) {
  data->set_type_name(TypeNameVariant(value));
  if constexpr (internal::EncodesItself<T>::value) {
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
  if constexpr (internal::DecodesItself<T>::value) {
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

}  // namespace OPSRUN_HIDDEN

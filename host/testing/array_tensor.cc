// host/testing/array_tensor.cc: see array_tensor.h, and what array.h leaves to the host.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/array_tensor.h"

#include <fmt/format.h>

#include <cstring>

#include "host/tensor/float16.h"

namespace opsrun::host {
namespace {

// How many elements the array has; -1 if its bytes are no whole number of them.
int64_t CountOf(const test::Array& array) {
  if (array.dtype == OPSRUN_DT_STRING) return static_cast<int64_t>(array.strings.size());
  const size_t size = DTypeSize(DTypeFromNumber(array.dtype));
  return array.bytes.size() % size == 0 ? static_cast<int64_t>(array.bytes.size() / size) : -1;
}

}  // namespace

Result<Tensor> ToTensor(const test::Array& array) {
  const DType dtype = DTypeFromNumber(array.dtype);
  if (!HasValues(dtype)) return InvalidArgument(fmt::format("an array cannot be of type {}", DTypeName(dtype)));
  Result<Tensor> tensor = Tensor::Create(dtype, array.shape);
  if (!tensor.ok()) return tensor;
  if (CountOf(array) != tensor->num_elements()) {
    return InvalidArgument(fmt::format("an array of shape {} has {} elements, and the test gives {}",
                                       ShapeText(array.shape), tensor->num_elements(), CountOf(array)));
  }
  if (dtype != DType::kString) {
    if (!array.bytes.empty()) std::memcpy(tensor->mutable_data(), array.bytes.data(), array.bytes.size());
    return tensor;
  }
  for (size_t i = 0; i < array.strings.size(); ++i) {
    const Status set = tensor->SetString(static_cast<int64_t>(i), array.strings[i]);
    if (!set.ok()) return set;
  }
  return tensor;
}

test::Array ToArray(const Tensor& tensor) {
  test::Array array{DTypeNumber(tensor.dtype()), tensor.shape(), {}, {}};
  if (tensor.dtype() != DType::kString) {
    array.bytes.assign(static_cast<const char*>(tensor.data()), tensor.num_bytes());
    return array;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) array.strings.emplace_back(tensor.string(i));
  return array;
}

}  // namespace opsrun::host

namespace opsrun::test {

Half::Half(double number) : bits_(host::HalfFromDouble(number)) {}
Half::operator float() const {
  return host::HalfToFloat(bits_);
}
Half Half::FromBits(uint16_t bits) {
  Half half;
  half.bits_ = bits;
  return half;
}

BFloat16::BFloat16(double number) : bits_(host::BFloat16FromDouble(number)) {}
BFloat16::operator float() const {
  return host::BFloat16ToFloat(bits_);
}
BFloat16 BFloat16::FromBits(uint16_t bits) {
  BFloat16 number;
  number.bits_ = bits;
  return number;
}

// A shape that no tensor has makes an array that no test can use.
Array Array::Zeros(int32_t dtype, Shape shape) {
  const host::Result<host::Tensor> zeros = host::Tensor::Create(host::DTypeFromNumber(dtype), shape);
  return zeros.ok() ? host::ToArray(*zeros) : Array{dtype, std::move(shape), {}, {}};
}

}  // namespace opsrun::test

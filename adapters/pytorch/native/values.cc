// adapters/pytorch/native/values.cc
// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <Python.h>
#include <torch/headeronly/core/ScalarType.h>

#include <algorithm>
#include <array>
#include <cstring>

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  opsrun_torch::Raise(code, text + " (" + CodeName(code) + ")");
}

namespace opsrun_torch {
namespace {

using opsrun_adapter::Card;

// The memory that is copied may be used again on its stream as soon as that has passed.
void CopyOnCard(void* to, const Place& place, const void* from, const Place& its_place, size_t bytes) {
  void* const stream = (place.is_on_card() ? place : its_place).stream;
  const bool waits = place.is_on_card() && its_place.is_on_card();
  const Card& card = Card::Get(std::max(place.card, its_place.card));
  int error = waits ? card.Order(its_place.stream, stream) : 0;
  if (error == 0) error = card.Copy(to, !place.is_on_card(), from, !its_place.is_on_card(), bytes, stream);
  if (error == 0 && waits) error = card.Order(stream, its_place.stream);
  if (error != 0) Raise(OPSRUN_INTERNAL, Card::TextOf(error, "a copy of a tensor on the GPU"));
}

}  // namespace

const int32_t kCpu = aoti_torch_device_type_cpu(), kCuda = aoti_torch_device_type_cuda();
const int32_t kStrided = aoti_torch_layout_strided();

_object* Error::python_type() {
  switch (code_) {
    case OPSRUN_INVALID_ARGUMENT:
      return PyExc_ValueError;
    case OPSRUN_OUT_OF_RANGE:
      return PyExc_IndexError;
    case OPSRUN_UNIMPLEMENTED:
      return PyExc_NotImplementedError;
    case OPSRUN_RESOURCE_EXHAUSTED:
      return PyExc_MemoryError;
    default:
      return PyExc_RuntimeError;
  }
}

void Raise(int32_t code, const std::string& text) {
  throw Error(code, text);
}

const std::vector<TypeNumbers>& AllTypes() {
  static const auto* const types = new std::vector<TypeNumbers>{
      {aoti_torch_dtype_float32, "float32", OPSRUN_DT_FLOAT, {2, 32, 1}},
      {aoti_torch_dtype_float64, "float64", OPSRUN_DT_DOUBLE, {2, 64, 1}},
      {aoti_torch_dtype_float16, "float16", OPSRUN_DT_HALF, {2, 16, 1}},
      {aoti_torch_dtype_bfloat16, "bfloat16", OPSRUN_DT_BFLOAT16, {4, 16, 1}},
      {aoti_torch_dtype_int32, "int32", OPSRUN_DT_INT32, {0, 32, 1}},
      {aoti_torch_dtype_int64, "int64", OPSRUN_DT_INT64, {0, 64, 1}},
      {aoti_torch_dtype_int16, "int16", OPSRUN_DT_INT16, {0, 16, 1}},
      {aoti_torch_dtype_int8, "int8", OPSRUN_DT_INT8, {0, 8, 1}},
      {aoti_torch_dtype_uint8, "uint8", OPSRUN_DT_UINT8, {1, 8, 1}},
      {aoti_torch_dtype_uint16, "uint16", OPSRUN_DT_UINT16, {1, 16, 1}},
      {aoti_torch_dtype_uint32, "uint32", OPSRUN_DT_UINT32, {1, 32, 1}},
      {aoti_torch_dtype_uint64, "uint64", OPSRUN_DT_UINT64, {1, 64, 1}},
      {aoti_torch_dtype_bool, "bool", OPSRUN_DT_BOOL, {6, 8, 1}},
      {aoti_torch_dtype_complex64, "complex64", OPSRUN_DT_COMPLEX64, {5, 64, 1}},
      {aoti_torch_dtype_complex128, "complex128", OPSRUN_DT_COMPLEX128, {5, 128, 1}},
      {aoti_torch_dtype_float8_e5m2, "float8_e5m2", OPSRUN_DT_FLOAT8_E5M2, {12, 8, 1}},
      {aoti_torch_dtype_float8_e4m3fn, "float8_e4m3fn", OPSRUN_DT_FLOAT8_E4M3FN, {10, 8, 1}},
      {aoti_torch_dtype_float8_e4m3fnuz, "float8_e4m3fnuz", OPSRUN_DT_FLOAT8_E4M3FNUZ, {11, 8, 1}},
      {aoti_torch_dtype_float8_e5m2fnuz, "float8_e5m2fnuz", OPSRUN_DT_FLOAT8_E5M2FNUZ, {13, 8, 1}},
  };
  return *types;
}

const TypeNumbers* FindTorchType(int32_t number) {
  static const auto by_number = [] {  // for fast lookups in calls
    std::array<const TypeNumbers*, 64> types{};
    for (const TypeNumbers& type : AllTypes()) types.at(static_cast<size_t>(type.torch())) = &type;
    return types;
  }();
  return static_cast<size_t>(number) < by_number.size() ? by_number[static_cast<size_t>(number)] : nullptr;
}

const TypeNumbers* FindType(int32_t dtype) {
  const auto found =
      std::find_if(AllTypes().begin(), AllTypes().end(), [&](const TypeNumbers& type) { return type.opsrun == dtype; });
  return found == AllTypes().end() ? nullptr : &*found;
}

std::string TypeName(int32_t number) {
  return torch::headeronly::toString(static_cast<torch::headeronly::ScalarType>(number));
}

size_t BytesOf(const TypeNumbers& type, int32_t rank, const int64_t* sizes) {
  size_t bytes = type.bytes();
  for (int32_t i = 0; i < rank; ++i) bytes *= static_cast<size_t>(sizes[i]);
  return bytes;
}

bool IsPlain(const TypeNumbers& type, AtenTensorHandle tensor, const void* data) {
  const bool complex = type.opsrun == OPSRUN_DT_COMPLEX64 || type.opsrun == OPSRUN_DT_COMPLEX128;
  const size_t alignment = complex ? type.bytes() / 2 : type.bytes();
  return reinterpret_cast<uintptr_t>(data) % alignment == 0 && Get<bool>(aoti_torch_is_contiguous, tensor);
}

Tensor PlainCopyOf(const TypeNumbers& type, AtenTensorHandle tensor, const Place& place) {
  Tensor copy = NewTensor(type, RankOf(tensor), SizesOf(tensor), place);
  Must(aoti_torch_copy_(copy.get(), tensor, 0));
  return copy;
}

Tensor NewTensor(const TypeNumbers& type, int32_t rank, const int64_t* sizes, const Place& place) {
  if (place.is_on_card() && CurrentStream(place.card) != place.stream) {
    Raise(OPSRUN_FAILED_PRECONDITION,
          "the kernel asks for memory of the GPU on a thread where PyTorch has another current stream");
  }
  int64_t strides[OPSRUN_MAX_RANK];
  int64_t stride = 1;
  bool fits = true;
  for (int32_t i = rank; i-- > 0;) {
    strides[i] = stride;
    fits = !__builtin_mul_overflow(stride, std::max<int64_t>(1, sizes[i]), &stride) && fits;
  }
  AtenTensorHandle made = nullptr;
  const int32_t device = place.is_on_card() ? kCuda : kCpu, index = place.is_on_card() ? place.card : 0;
  if (!fits || aoti_torch_empty_strided(rank, sizes, strides, type.torch(), device, index, &made) != 0) {
    Raise(OPSRUN_RESOURCE_EXHAUSTED, "PyTorch cannot allocate a tensor of " + std::to_string(stride) + " elements");
  }
  return Tensor(made);
}

Tensor CopyOf(const opsrun_tensor& view, const Place& from, const TypeNumbers& type, const Place& place) {
  Tensor copy = NewTensor(type, view.rank, view.shape, place);
  const size_t bytes = BytesOf(type, view.rank, view.shape);
  if (bytes == 0) return copy;
  void* const data = Get<void*>(torch_get_mutable_data_ptr, copy.get());
  if (place.is_on_card() || from.is_on_card()) {
    CopyOnCard(data, place, view.data, from, bytes);
  } else {
    std::memcpy(data, view.data, bytes);
  }
  return copy;
}

}  // namespace opsrun_torch

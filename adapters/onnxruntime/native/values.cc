// adapters/onnxruntime/native/values.cc
// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <algorithm>
#include <cstring>

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  throw Failure(code, text);
}

namespace opsrun_onnx {
namespace {

OrtErrorCode ErrorCode(int32_t code) {
  switch (code) {
    case OPSRUN_INVALID_ARGUMENT:
    case OPSRUN_OUT_OF_RANGE:
      return ORT_INVALID_ARGUMENT;
    case OPSRUN_UNIMPLEMENTED:
      return ORT_NOT_IMPLEMENTED;
    default:
      return ORT_FAIL;
  }
}

}  // namespace

bool Succeeds(const OrtApi& api, OrtStatus* status) {
  if (status == nullptr) return true;
  api.ReleaseStatus(status);
  return false;
}

void ThrowStatus(const OrtApi& api, OrtStatus* status) {
  const std::string text = api.GetErrorMessage(status);
  const int32_t code = api.GetErrorCode(status) == ORT_INVALID_ARGUMENT ? OPSRUN_INVALID_ARGUMENT : OPSRUN_INTERNAL;
  api.ReleaseStatus(status);
  throw Failure(code, text);
}

OrtStatus* StatusOf(const OrtApi& api, int32_t code, const std::string& text) {
  const std::string named = std::string(opsrun_adapter::CodeName(code)) + ": " + opsrun_adapter::Utf8(text);
  return api.CreateStatus(ErrorCode(code), named.c_str());
}

const std::vector<DataType>& AllTypes() {
  static const std::vector<DataType> types = {
      {OPSRUN_DT_FLOAT, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {2, 32, 1}},
      {OPSRUN_DT_DOUBLE, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, {2, 64, 1}},
      {OPSRUN_DT_HALF, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, {2, 16, 1}},
      {OPSRUN_DT_BFLOAT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, {4, 16, 1}},
      {OPSRUN_DT_INT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, {0, 8, 1}},
      {OPSRUN_DT_INT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, {0, 16, 1}},
      {OPSRUN_DT_INT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, {0, 32, 1}},
      {OPSRUN_DT_INT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {0, 64, 1}},
      {OPSRUN_DT_UINT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, {1, 8, 1}},
      {OPSRUN_DT_UINT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, {1, 16, 1}},
      {OPSRUN_DT_UINT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, {1, 32, 1}},
      {OPSRUN_DT_UINT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, {1, 64, 1}},
      {OPSRUN_DT_BOOL, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, {6, 8, 1}},
      {OPSRUN_DT_STRING, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, {3, 128, 1}},
      {OPSRUN_DT_FLOAT8_E4M3FN, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, {10, 8, 1}},
      {OPSRUN_DT_FLOAT8_E4M3FNUZ, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, {11, 8, 1}},
      {OPSRUN_DT_FLOAT8_E5M2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, {12, 8, 1}},
      {OPSRUN_DT_FLOAT8_E5M2FNUZ, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, {13, 8, 1}},
  };
  return types;
}

const DataType* FindType(int32_t dtype) {
  for (const DataType& type : AllTypes()) {
    if (type.opsrun == dtype) return &type;
  }
  return nullptr;
}

const DataType* FindOnnxType(int64_t type) {
  for (const DataType& each : AllTypes()) {
    if (each.onnx == type) return &each;
  }
  return nullptr;
}

bool CountElements(int32_t rank, const int64_t* dims, size_t bytes_each, size_t* n) {
  if (rank < 0 || rank > OPSRUN_MAX_RANK) return false;
  if (std::any_of(dims, dims + rank, [](int64_t size) { return size < 0; })) return false;
  *n = 0;
  if (std::find(dims, dims + rank, 0) != dims + rank) return true;
  int64_t bytes = static_cast<int64_t>(bytes_each);
  for (int32_t i = 0; i < rank; ++i) {
    if (__builtin_mul_overflow(bytes, dims[i], &bytes)) return false;
  }
  *n = static_cast<size_t>(bytes) / bytes_each;
  return true;
}

Runtime::Runtime(const OrtApiBase* base) : api(base->GetApi(kApiVersion)) {
  constexpr size_t kPlace = 414;  // in the table of functions, to which versions only append
  const OrtApi* const since_24 = base->GetApi(24);
  if (since_24 == nullptr) return;
  type_and_shape = reinterpret_cast<decltype(type_and_shape)>(reinterpret_cast<void (*const*)()>(since_24)[kPlace]);
}

TensorFacts::TensorFacts(const Runtime& runtime, const OrtValue* value, opsrun_adapter::Room<int64_t>* room) {
  const OrtApi& api = *runtime.api;
  if (runtime.type_and_shape != nullptr) {
    Require(api, runtime.type_and_shape(value, &type, &sizes, &rank));
    return;
  }
  OrtTensorTypeAndShapeInfo* info = nullptr;
  Require(api, api.GetTensorTypeAndShape(value, &info));
  const Owned<OrtTensorTypeAndShapeInfo> owned(info, api.ReleaseTensorTypeAndShapeInfo);
  Require(api, api.GetTensorElementType(info, &type));
  Require(api, api.GetDimensionsCount(info, &rank));
  int64_t* const copy = room->Take(rank);
  Require(api, api.GetDimensions(info, copy, rank));
  sizes = copy;
}

void View::Show(OrtValue* its_value, const int64_t* sizes, int64_t* its_strides, size_t its_rank, bool fresh) {
  value_ = its_value;
  const auto short_rank = static_cast<int32_t>(its_rank);
  void* memory = nullptr;
  if (dtype == OPSRUN_DT_STRING) {
    size_t n = 0;
    if (!CountElements(short_rank, sizes, sizeof(opsrun_str), &n)) {
      throw Failure(OPSRUN_INVALID_ARGUMENT, "a tensor of strings is too large");
    }
    memory = ShowStrings(n, fresh);
  } else {
    Require(api_, api_.GetTensorMutableData(its_value, &memory));
  }
  opsrun_adapter::Show(*this, memory, short_rank, const_cast<int64_t*>(sizes), its_strides);
}

void* View::ShowStrings(size_t n, bool fresh) {
  strings_ = std::make_unique<Strings>();
  std::vector<opsrun_str>& slots = strings_->slots;
  std::string& text = strings_->text;
  slots.assign(n, opsrun_str{nullptr, 0});
  if (fresh || n == 0) return slots.data();
  size_t bytes = 0;
  Require(api_, api_.GetStringTensorDataLength(value_, &bytes));
  text.resize(bytes);
  std::vector<size_t> starts(n);
  Require(api_, api_.GetStringTensorContent(value_, text.data(), bytes, starts.data(), n));
  starts.push_back(bytes);
  for (size_t i = 0; i < n; ++i) slots[i] = {text.data() + starts[i], starts[i + 1] - starts[i]};
  return slots.data();
}

int32_t View::AssignString(uint64_t i, const char* p, uint64_t n) {
  const std::string copy(p, n);  // p may be in the element itself
  char* room = nullptr;
  if (!Succeeds(api_, api_.GetResizedStringTensorElementBuffer(value_, i, n, &room))) return OPSRUN_RESOURCE_EXHAUSTED;
  std::memcpy(room, copy.data(), n);
  strings_->slots[i] = {room, n};
  return OPSRUN_OK;
}

Owner::Owner(const opsrun_host* its_host, const DataType& type, int32_t its_rank, const int64_t* dims, size_t n)
    : n_(n), sizes_(dims, dims + its_rank) {
  sizes_.resize(2 * sizes_.size());
  opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl);
  const bool strings = type.opsrun == OPSRUN_DT_STRING;
  if (strings) {
    texts_.resize(n);
    slots_.resize(n + 1, opsrun_str{nullptr, 0});  // its address is never null
  } else {
    numbers_ = std::aligned_alloc(64, (n * type.bytes() / 64 + 1) * 64);
  }
  opsrun_adapter::Show(*this, strings ? slots_.data() : numbers_, its_rank, sizes_.data(), sizes_.data() + its_rank);
}

void Owner::AssignString(uint64_t i, const char* p, uint64_t n) {
  texts_[i] = std::string(p, n);
  slots_[i] = {texts_[i].data(), n};
}

void Owner::CopyFrom(const opsrun_tensor& other) {
  if (dtype != OPSRUN_DT_STRING) {
    if (n_ > 0) std::memcpy(data, other.data, n_ * (dl.bits / 8));
    return;
  }
  const auto* const texts = static_cast<const opsrun_str*>(other.data);
  for (size_t i = 0; i < n_; ++i) AssignString(i, texts[i].data, texts[i].size);
}

}  // namespace opsrun_onnx

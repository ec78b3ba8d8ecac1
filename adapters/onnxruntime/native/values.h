// adapters/onnxruntime/native/values.h: ONNX Runtime's statuses, objects, data types and tensors, and those of opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnxruntime_c_api.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "adapters/common/engine.h"
#include "adapters/common/few.h"
#include "adapters/common/values.h"

namespace opsrun_onnx {

using opsrun_adapter::Failure;

// The version of the C API that is requested: every ONNX Runtime since 1.17 has it.
inline constexpr uint32_t kApiVersion = 17;

// What one copy of ONNX Runtime offers.
struct Runtime {
  // Null if it is older than 1.17.
  explicit Runtime(const OrtApiBase* base);

  const OrtApi* api;
  // GetTensorElementTypeAndShapeDataReference, which needs no allocation: in the table since 1.24, not in the header of
  // 1.17. Null for older versions.
  OrtStatus*(ORT_API_CALL* type_and_shape)(const OrtValue* value, ONNXTensorElementDataType* type,
                                           const int64_t** sizes, size_t* rank) = nullptr;
};

// Frees the status, unless it is null, and returns whether it is null.
bool Succeeds(const OrtApi& api, OrtStatus* status);

// Frees the status and throws its message, unless it is null.
[[noreturn]] void ThrowStatus(const OrtApi& api, OrtStatus* status);
inline void Require(const OrtApi& api, OrtStatus* status) {
  if (status != nullptr) ThrowStatus(api, status);
}

// The status of a failure.
OrtStatus* StatusOf(const OrtApi& api, int32_t code, const std::string& text);

// Calls fn; an exception becomes a status.
template <typename Fn>
OrtStatus* Guarded(const OrtApi& api, Fn fn) {
  try {
    fn();
    return nullptr;
  } catch (const Failure& failure) {
    return StatusOf(api, failure.code, failure.what());
  } catch (const std::exception& problem) {
    return StatusOf(api, OPSRUN_RESOURCE_EXHAUSTED, problem.what());
  }
}

// Calls fn; the messages of failures begin with `what`.
template <typename Fn>
void Named(const std::string& what, Fn fn) {
  try {
    fn();
  } catch (const Failure& failure) {
    throw Failure(failure.code, what + ": " + failure.what());
  }
}

// Releases an object of ONNX Runtime with a function of its table.
template <typename T>
using Owned = std::unique_ptr<T, void(ORT_API_CALL*)(T*)>;

struct DataType {
  int32_t opsrun;  // OPSRUN_DT_*
  ONNXTensorElementDataType onnx;
  opsrun_dldtype dl;

  size_t bytes() const { return dl.bits / 8; }  // per element; of a string: of its slot
};

// All types that both have.
const std::vector<DataType>& AllTypes();
// Null for a type that ONNX Runtime has no tensors of. dtype: OPSRUN_DT_*.
const DataType* FindType(int32_t dtype);
const DataType* FindOnnxType(int64_t type);

// The number of elements; false if a size is negative, the rank is wrong, or there are too many elements of that size.
bool CountElements(int32_t rank, const int64_t* dims, size_t bytes_each, size_t* n);

// What a tensor is.
struct TensorFacts {
  // Throws Failure. Both must outlive this object.
  TensorFacts(const Runtime& runtime, const OrtValue* value, opsrun_adapter::Room<int64_t>* room);

  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  const int64_t* sizes = nullptr;
};

// Host bit of opsrun_tensor::flags: the tensor is a View; other tensors of this host are Owners.
inline constexpr uint32_t kIsView = 1u << 17;

// A view of an OrtValue, which must outlive it. Its address is the tensor's handle, so it must not move. Strings of
// inputs are copied, since ONNX Runtime has no function that refers to them.
class View : public opsrun_tensor {
 public:
  View(const Runtime& runtime, const opsrun_host* its_host, const DataType& type, uint32_t its_flags)
      : api_(*runtime.api) {
    opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl, its_flags | kIsView);
  }
  View(const View&) = delete;

  // fresh: an output, whose elements are not set yet. sizes: the shape; strides: room for as many; both must outlive
  // the view. Throws Failure.
  void Show(OrtValue* value, const int64_t* sizes, int64_t* strides, size_t rank, bool fresh);
  // For an output of strings.
  int32_t AssignString(uint64_t i, const char* p, uint64_t n);

 private:
  struct Strings {
    std::vector<opsrun_str> slots;
    std::string text;  // those of an input
  };
  void* ShowStrings(size_t n, bool fresh);

  const OrtApi& api_;
  OrtValue* value_ = nullptr;
  std::unique_ptr<Strings> strings_;
};

// A tensor that owns its memory.
class Owner : public opsrun_tensor {
 public:
  // Numbers are undefined; data is null if out of memory. n: from CountElements.
  Owner(const opsrun_host* its_host, const DataType& type, int32_t its_rank, const int64_t* dims, size_t n);
  Owner(const Owner&) = delete;
  ~Owner() { std::free(numbers_); }

  void AssignString(uint64_t i, const char* p, uint64_t n);
  void CopyFrom(const opsrun_tensor& other);  // of the same type and shape

 private:
  const size_t n_;
  void* numbers_ = nullptr;
  std::vector<int64_t> sizes_;  // shape, then strides
  std::vector<std::string> texts_;
  std::vector<opsrun_str> slots_;
};

}  // namespace opsrun_onnx

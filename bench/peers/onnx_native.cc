// bench/peers/onnx_native.cc: plugins/zero_out as a custom operator of ONNX Runtime, by its C++ API, for comparison.
// SPDX-License-Identifier: Apache-2.0
#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

class Kernel {
 public:
  Kernel(const OrtApi&, const OrtKernelInfo* info)
      : preserve_index_(Ort::ConstKernelInfo(info).GetAttribute<int64_t>("preserve_index")) {}

  void Compute(OrtKernelContext* context) {
    const Ort::KernelContext call(context);
    const Ort::ConstValue to_zero = call.GetInput(0);
    const Ort::TensorTypeAndShapeInfo info = to_zero.GetTensorTypeAndShapeInfo();
    const std::vector<int64_t> shape = info.GetShape();
    const size_t n = info.GetElementCount();
    if (preserve_index_ < 0 || preserve_index_ >= static_cast<int64_t>(n)) {
      ORT_CXX_API_THROW("preserve_index is out of range", ORT_INVALID_ARGUMENT);
    }
    Ort::UnownedValue zeroed = call.GetOutput(0, shape);
    auto* const out = zeroed.GetTensorMutableData<int32_t>();
    std::fill_n(out, n, 0);
    out[preserve_index_] = to_zero.GetTensorData<int32_t>()[preserve_index_];
  }

 private:
  int64_t preserve_index_;
};

struct ZeroOut : Ort::CustomOpBase<ZeroOut, Kernel> {
  void* CreateKernel(const OrtApi& api, const OrtKernelInfo* info) const { return new Kernel(api, info); }
  const char* GetName() const { return "ZeroOut"; }
  size_t GetInputTypeCount() const { return 1; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32; }
  ONNXTensorElementDataType GetOutputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32; }
};

}  // namespace

extern "C" OrtStatus* RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
  Ort::InitApi(base->GetApi(ORT_API_VERSION));
  static const ZeroOut op;
  static const Ort::CustomOpDomain domain = [] {
    Ort::CustomOpDomain made("native");
    made.Add(&op);
    return made;
  }();
  Ort::UnownedSessionOptions(options).Add(domain);
  return nullptr;
}

// plugins/math_ops/comparison.cu.cc: comparisons, the ops of two bools, and the choice between two tensors, on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_binary.cu.h"
#include "select.h"
#include "simple_functions.h"

namespace math_ops {
namespace {

using namespace opsrun;

REGISTER_GPU_BINARY("Less", Less, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_BINARY("LessEqual", LessEqual, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS)

typedef GpuBinaryOp<Less, RealNumbers, /*kSwap=*/true> GreaterOp;
typedef GpuBinaryOp<LessEqual, RealNumbers, /*kSwap=*/true> GreaterEqualOp;
#define REGISTER_GREATER(name, Kernel)                                                                                 \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS}).Capturable(), \
                          Kernel)
REGISTER_GREATER("Greater", GreaterOp)
REGISTER_GREATER("GreaterEqual", GreaterEqualOp)

typedef Join<RealNumbers, TypeList<bool>> EqualTypes;

// As on the CPU: of shapes that do not fit, the result may be a scalar.
template <typename Function>
class EqualOp : public GpuBinaryOp<Function, EqualTypes> {
 public:
  explicit EqualOp(OpKernelConstruction* context) : GpuBinaryOp<Function, EqualTypes>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("incompatible_shape_error", &is_error_));
  }

  void Compute(OpKernelContext* context) override {
    if (is_error_ || Broadcast::Fits(context->input(0).shape(), context->input(1).shape())) {
      return GpuBinaryOp<Function, EqualTypes>::Compute(context);
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    OP_REQUIRES_OK(context, GpuLaunchKernel(SetToValue<bool>, 1, 1, 0, GetGpuStream(context), 1,
                                            static_cast<bool*>(output->data()), Function()(0, 1)));
  }

 private:
  bool is_error_ = true;
};

#define REGISTER_EQUAL(Name_, Function)                                                                      \
  REGISTER_KERNEL_BUILDER(                                                                                   \
      Name(Name_).Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS, DT_BOOL}).Capturable(), \
      EqualOp<Function>)
REGISTER_EQUAL("Equal", Equal)
REGISTER_EQUAL("NotEqual", NotEqual)

// Of bools, which are bytes.
template <typename Function>
struct OfBools {
  constexpr bool operator()(bool x, bool y) const { return Function()(uint8_t{x}, uint8_t{y}) != 0; }
};
typedef GpuBinaryOp<OfBools<And>, TypeList<bool>> AndOp;
typedef GpuBinaryOp<OfBools<Or>, TypeList<bool>> OrOp;
REGISTER_KERNEL_BUILDER(Name("LogicalAnd").Device(DEVICE_GPU).Capturable(), AndOp)
REGISTER_KERNEL_BUILDER(Name("LogicalOr").Device(DEVICE_GPU).Capturable(), OrOp)

template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    SelectElements(int64 n, GpuPlaces<3> places, const bool* condition, const T* t, const T* e, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[3];
    places.Find(i, at);
    out[i] = condition[at[0]] ? t[at[1]] : e[at[2]];
  }
}

template <typename T>
Status ChooseElements(OpKernelContext* context, const Broadcast& broadcast, Tensor* output) {
  const int64 n = output->NumElements();
  if (n == 0) return Status();
  return GpuLaunchKernel(SelectElements<T>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n,
                         PlacesOf<3>(broadcast), static_cast<const bool*>(context->input(0).data()),
                         static_cast<const T*>(context->input(1).data()),
                         static_cast<const T*>(context->input(2).data()), static_cast<T*>(output->data()));
}

Status ChooseOnGpu(OpKernelContext* context, const Broadcast& broadcast, Tensor* output) {
  return VisitGpuElement(DataTypeSize(output->dtype()), [&](auto element) {
    return ChooseElements<decltype(element)>(context, broadcast, output);
  });
}

typedef SelectOp<SelectConditionShape, ChooseOnGpu> OldSelectOp;
typedef SelectOp<SelectV2ConditionShape, ChooseOnGpu> SelectV2Op;
REGISTER_KERNEL_BUILDER(Name("Select").Device(DEVICE_GPU).Capturable(), OldSelectOp)
REGISTER_KERNEL_BUILDER(Name("SelectV2").Device(DEVICE_GPU).Capturable(), SelectV2Op)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA

// plugins/math_ops/any_device.h: element-wise kernels that are the same on any device, but for what writes elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "opsrun/check_shapes.h"

namespace math_ops {

// Writes a scalar on the kernel's device.
typedef Status (*WriteBool)(OpKernelContext* context, bool value, Tensor* output);
inline Status WriteBoolOnCpu(OpKernelContext* /*context*/, bool value, Tensor* output) {
  output->scalar<bool>()() = value;
  return Status::OK();
}

// A kernel that compares elements. If shapes cannot be broadcast, it reports an error or, if the attr allows it,
// outputs kDiffers.
template <typename Kernel, bool kDiffers, WriteBool kWrite = WriteBoolOnCpu>
class EqualOp : public Kernel {
 public:
  explicit EqualOp(OpKernelConstruction* context) : Kernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("incompatible_shape_error", &is_error_));
  }

  void Compute(OpKernelContext* context) override {
    if (is_error_ || Broadcast::Fits(context->input(0).shape(), context->input(1).shape()))
      return Kernel::Compute(context);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    OP_REQUIRES_OK(context, kWrite(context, kDiffers, output));
  }

 private:
  bool is_error_ = true;
};

// A binary kernel for gradients and features, which must have the same shape: broadcasting is an error.
template <typename Kernel>
class OfGradients : public Kernel {
 public:
  using Kernel::Kernel;

  void Compute(OpKernelContext* context) override {
    const Tensor &gradients = context->input(0), &features = context->input(1);
    OP_REQUIRES_OK(context, CheckShape(gradients.shape(), "gradients", features.shape(), "features"));
    Kernel::Compute(context);
  }
};

// Select and SelectV2.

// The shape in which the condition, input 0, is broadcast with t and e, inputs 1 and 2. It has as many elements as the
// condition. Select and SelectV2 differ in it.
typedef Status (*ConditionShape)(OpKernelContext* context, TensorShape* shape);
Status SelectConditionShape(OpKernelContext* context, TensorShape* shape);
Status SelectV2ConditionShape(OpKernelContext* context, TensorShape* shape);

// Writes the elements of the output, which have a fixed size, on the host's threads or on a GPU.
typedef Status (*Choose)(OpKernelContext* context, const Broadcast& broadcast, Tensor* output);

template <ConditionShape kConditionShape, Choose kChoose>
class SelectOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    TensorShape condition;
    OP_REQUIRES_OK(context, kConditionShape(context, &condition));
    Broadcast broadcast;
    OP_REQUIRES_OK(context, broadcast.Make({condition, context->input(1).shape(), context->input(2).shape()}));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, MakeOutput(context, {1, 2}, broadcast.shape(), &output));
    OP_REQUIRES_OK(context, kChoose(context, broadcast, output));
  }
};

Status ChooseOnCpu(OpKernelContext* context, const Broadcast& broadcast, Tensor* output);

// Complex numbers.

class ConjOfReals : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { context->set_output(0, context->input(0)); }
};

// Checks that the attr `parts` is the type of the parts of the complex numbers, whose type is the attr `whole`.
Status CheckParts(OpKernelConstruction* context, const char* parts, const char* whole);

// Real, Imag and ComplexAbs.
template <typename Kernel>
class PartOp : public Kernel {
 public:
  explicit PartOp(OpKernelConstruction* context) : Kernel(context) {
    OP_REQUIRES_OK(context, CheckParts(context, "Tout", "T"));
  }
};

template <typename Kernel>
class ComplexOp : public Kernel {
 public:
  explicit ComplexOp(OpKernelConstruction* context) : Kernel(context) {
    OP_REQUIRES_OK(context, CheckParts(context, "T", "Tout"));
  }
};

// ClipByValue.

// A NaN stays NaN, and a NaN bound has no effect. If the bounds are in the wrong order, the result is the lower one.
// The parts of complex numbers are clipped separately.
struct Clip {
  template <typename T>
  constexpr T operator()(T x, T lower, T upper) const {
    if constexpr (kIsComplex<T>) {
      return T((*this)(x.real(), lower.real(), upper.real()), (*this)(x.imag(), lower.imag(), upper.imag()));
    } else {
      const T below = upper < x ? upper : x;
      return below < lower ? lower : below;
    }
  }
};

// The operands for n elements. A bound that does not advance is a single element.
struct ClipRun {
  const void *x, *lower, *upper;
  bool lower_walks, upper_walks;
  void* out;
  int64 n;
};

// Called only if there are elements.
typedef Status (*ClipLoop)(OpKernelContext* context, const ClipRun& run);

class ClipKernel : public OpKernel {
 public:
  ClipKernel(OpKernelConstruction* context, ClipLoop loop) : OpKernel(context), loop_(loop) {}
  void Compute(OpKernelContext* context) override;

 private:
  const ClipLoop loop_;
};

// Loops: for LoopFor.
template <typename Loops, typename Types>
class ClipOp : public ClipKernel {
 public:
  explicit ClipOp(OpKernelConstruction* context)
      : ClipKernel(context, LoopFor<Loops>(context->input_type(0), Types())) {}
};

}  // namespace math_ops

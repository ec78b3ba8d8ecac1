// plugins/math_ops/conv2d_ops.h: the kernels of Conv2D and its gradients, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "gpu_handle.h"
#include "images.h"
#include "opsrun/check_shapes.h"

namespace math_ops {

// A Convolver of these kernels: constructed from kernel, task and element type, and called like a ConvLoop.
// Clear(context, output) sets all to zero.
struct CpuConvolver {
  const ConvLoop loop;

  CpuConvolver(OpKernelConstruction* /*context*/, ConvTask task, DataType type) : loop(CpuConvLoop(task, type)) {}
  template <typename... Arguments>
  Status operator()(const Arguments&... arguments) const {
    return loop(arguments...);
  }
  static Status Clear(OpKernelContext* /*context*/, Tensor* output) {
    std::memset(output->data(), 0, static_cast<size_t>(output->NumElements() * DataTypeSize(output->dtype())));
    return Status::OK();
  }
};

// The base of the three kernels.
template <typename Convolver>
class ConvKernel : public OpKernel {
 public:
  ConvKernel(OpKernelConstruction* context, ConvTask task, int typed_input)
      : OpKernel(context), convolve_(context, task, context->input_type(typed_input)) {
    OP_REQUIRES_OK(context, GetImageAttrs(context, &attrs_));
  }

 protected:
  const ImageAttrs& attrs() const { return attrs_; }
  // Computes the output, from x and y as defined for ConvLoop.
  void Multiply(OpKernelContext* context, const Convolution& convolution, const Tensor& x, const Tensor& y,
                const TensorShape& shape) {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    if (x.NumElements() == 0 || y.NumElements() == 0) {  // the other sizes may be too large for the loops
      OP_REQUIRES_OK(context, Convolver::Clear(context, output));
    } else {
      OP_REQUIRES_OK(context, convolve_(context, convolution, x.data(), y.data(), output->data()));
    }
  }

 private:
  const Convolver convolve_;
  ImageAttrs attrs_;
};

// Which of the nodes after it a kernel of Conv2D computes, too: see AfterConvolution.
struct FusedAfterConv2D {
  bool bias = false, added = false, relu = false;
};
// Implements OpKernel::Fuse.
int FuseAfterConv2D(const std::vector<FusedNode>& nodes, FusedAfterConv2D* fused);

template <typename Convolver>
class Conv2DOp : public ConvKernel<Convolver> {
 public:
  explicit Conv2DOp(OpKernelConstruction* context) : ConvKernel<Convolver>(context, ConvTask::kConvolve, 0) {}

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &filter = context->input(1);
    Convolution convolution;
    OP_REQUIRES_OK(
        context,
        MakeConvolution(this->attrs(), input.shape(), filter.shape(), &convolution).Blame("input:input input:filter"));
    int more = 2;
    if (fused_.bias) convolution.after.bias = context->input(more++).data();
    if (fused_.added) convolution.after.added = context->input(more++).data();
    convolution.after.relu = fused_.relu;
    this->Multiply(context, convolution, input, filter, convolution.OutputShape());
  }
  int Fuse(const std::vector<FusedNode>& nodes) override { return FuseAfterConv2D(nodes, &fused_); }

 private:
  FusedAfterConv2D fused_;
};

// Input kSizes, in CPU memory, holds the sizes of the output; the other of the first two inputs is multiplied with the
// gradient.
template <int kSizes, typename Convolver>
class Conv2DBackpropOp : public ConvKernel<Convolver> {
 public:
  explicit Conv2DBackpropOp(OpKernelConstruction* context)
      : ConvKernel<Convolver>(context, kSizes == 0 ? ConvTask::kBackToImages : ConvTask::kBackToFilter, 1 - kSizes) {}

  void Compute(OpKernelContext* context) override {
    constexpr const char* kName = kSizes == 0 ? "input_sizes" : "filter_sizes";
    constexpr const char* kSubjects = kSizes == 0 ? "input:input_sizes input:filter" : "input:input input:filter_sizes";
    const Tensor &factor = context->input(1 - kSizes), &gradient = context->input(2);
    TensorShape shape;
    if (kSizes == 0 && context->input(0).shape() == TensorShape({2}) && factor.dims() == 4 && gradient.dims() == 4) {
      const auto sides = context->input(0).vec<int32>();
      OP_REQUIRES_OK(context,
                     TensorShapeUtils::MakeShape(
                         std::vector<int64>{gradient.dim_size(0), sides(0), sides(1), factor.dim_size(2)}, &shape)
                         .Blame("input:input_sizes"));
    } else {
      OP_REQUIRES_OK(context, ReadImageSizes(context->input(kSizes), kName, &shape));
    }
    const TensorShape &images = kSizes == 0 ? shape : factor.shape(), &filter = kSizes == 0 ? factor.shape() : shape;
    Convolution convolution;
    OP_REQUIRES_OK(context, MakeConvolution(this->attrs(), images, filter, &convolution).Blame(kSubjects));
    OP_REQUIRES_OK(context,
                   CheckShape(gradient.shape(), "out_backprop", convolution.OutputShape(), "the convolved images"));
    this->Multiply(context, convolution, factor, gradient, shape);
  }
};

// A Convolver on a GPU, with cuDNN or the loop of conv2d.cu.cc.
//
// cuDNN is the shared library libcudnn.so.9 or .8, the first that works here.

struct GpuDnnLibrary;
class CudnnPlan;

// The loop, for one of ConvTypes.
ConvLoop GpuConvLoop(ConvTask task, DataType type);

// Copies an array of four dimensions, whose elements are `from` and `to` elements apart. Dimensions are in any order.
struct CopiedDim {
  int64 size, from, to;
};
Status CopyOnGpu(OpKernelContext* context, const CopiedDim (&dims)[4], DataType type, const void* from, void* to);

// Belongs to one kernel. cuDNN convolves float16, bfloat16, float32 and float64 where it is installed, except what it
// does not support, and unless the attr use_cudnn_on_gpu is false. Thread-safe.
class GpuConvolver {
 public:
  GpuConvolver(OpKernelConstruction* context, ConvTask task, DataType type);
  // A ConvLoop.
  Status operator()(OpKernelContext* context, const Convolution& convolution, const void* x, const void* y,
                    void* out) const;
  static Status Clear(OpKernelContext* context, Tensor* output);

 private:
  static constexpr size_t kPlans = 8;  // of several shapes

  Status ConvolveByCudnn(OpKernelContext* context, const Convolution& convolution, const void* x, const void* y,
                         void* out, bool* refused) const;
  Status FindPlan(OpKernelContext* context, GpuHandle<GpuDnnLibrary>* cudnn, const Convolution& convolution,
                  std::shared_ptr<const CudnnPlan>* plan) const;

  const ConvTask task_;
  const DataType type_;
  const ConvLoop loop_;
  bool uses_cudnn_ = false;
  GpuHandleOfKernel<GpuDnnLibrary> cudnn_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const CudnnPlan> plans_[kPlans];
  mutable size_t next_ = 0;
};

}  // namespace math_ops

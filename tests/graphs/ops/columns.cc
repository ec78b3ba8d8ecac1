// columns.cc: ops as libraries for TensorFlow have them: without gradients, and without most shape functions and docs.
// What is missing is in columns.opsrun.yaml, beside the plugin.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"

namespace opsrun {
namespace {

REGISTER_OP("ScaleRows").Attr("T: {float, double}").Input("x: T").Input("factors: T").Output("scaled: T");

REGISTER_OP("CutColumns")
    .Attr("T: {float, double}")
    .Attr("k: int >= 0")
    .Input("x: T")
    .Output("first: T")
    .Output("rest: T");

REGISTER_OP("Negate")
    .Attr("T: {float, double}")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("The plugin's own words.")
    .Gradient("outputs: {x: null}");

REGISTER_OP("EmptyPages")
    .Attr("T: {float, double}")
    .Attr("rows: int")
    .Attr("least: int >= 0 = 0")
    .Attr("most: int >= 0")
    .Input("x: T")
    .Output("pages: T");

template <typename T>
class ScaleRowsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* scaled = nullptr;
    OP_REQUIRES(context, x.dims() == 2, errors::InvalidArgument("x must be a matrix"));
    OP_REQUIRES(context, context->input(1).NumElements() == x.dim_size(0), errors::InvalidArgument("one factor a row"));
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &scaled));
    const T* const factors = context->input(1).flat<T>().data();
    for (int64 i = 0; i < x.NumElements(); ++i) scaled->flat<T>()(i) = x.flat<T>()(i) * factors[i / x.dim_size(1)];
  }
};

template <typename T>
class CutColumnsOp : public OpKernel {
 public:
  explicit CutColumnsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("k", &k_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.dims() == 2 && x.dim_size(1) >= k_, errors::InvalidArgument("x must have k columns"));
    const int64 rows = x.dim_size(0), columns = x.dim_size(1);
    Tensor *first = nullptr, *rest = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({rows, k_}), &first));
    OP_REQUIRES_OK(context, context->allocate_output(1, TensorShape({rows, columns - k_}), &rest));
    for (int64 i = 0; i < rows; ++i) {
      const T* const row = x.flat<T>().data() + i * columns;
      std::copy(row, row + k_, first->flat<T>().data() + i * k_);
      std::copy(row + k_, row + columns, rest->flat<T>().data() + i * (columns - k_));
    }
  }

 private:
  int64 k_ = 0;
};

template <typename T>
class NegateOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
    for (int64 i = 0; i < y->NumElements(); ++i) y->flat<T>()(i) = -context->input(0).flat<T>()(i);
  }
};

// A row of zeros for each page of so many rows, as wide as x within limits.
template <typename T>
class EmptyPagesOp : public OpKernel {
 public:
  explicit EmptyPagesOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("rows", &rows_));
    OP_REQUIRES_OK(context, context->GetAttr("least", &least_));
    OP_REQUIRES_OK(context, context->GetAttr("most", &most_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.dims() == 2 && rows_ > 0,
                errors::InvalidArgument("x must be a matrix, and a page have rows"));
    const int64 pages = (x.dim_size(0) + rows_ - 1) / rows_;
    const int64 columns = std::min(std::max(x.dim_size(1), least_), most_);
    Tensor* zeros = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({pages, columns}), &zeros));
    zeros->flat<T>().setZero();
  }

 private:
  int64 rows_ = 1, least_ = 0, most_ = 0;
};

#define KERNELS(name)                                                                                  \
  REGISTER_KERNEL_BUILDER(Name(#name).Device(DEVICE_CPU).TypeConstraint<float>("T"), name##Op<float>); \
  REGISTER_KERNEL_BUILDER(Name(#name).Device(DEVICE_CPU).TypeConstraint<double>("T"), name##Op<double>);

KERNELS(ScaleRows)
KERNELS(CutColumns)
KERNELS(Negate)
KERNELS(EmptyPages)

}  // namespace
}  // namespace opsrun

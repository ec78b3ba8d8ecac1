// examples/one_binary/shrink/shrink_ops.cc: ops of a library that was written for TensorFlow. Gradients are not in such
// sources, and PoolRows has no shape function: shrink.opsrun.yaml has what is missing.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow {

// [ops]
REGISTER_OP("SoftThreshold")
    .Input("x: float")
    .Output("y: float")
    .Attr("threshold: float")
    .SetShapeFn(shape_inference::UnchangedShape);

REGISTER_OP("PoolRows").Input("x: float").Output("pooled: float").Attr("rows: int >= 1");

REGISTER_OP("PoolRowsGrad").Input("grad: float").Input("x: float").Output("dx: float").Attr("rows: int >= 1");

REGISTER_OP("KeptRows").Input("x: float").Output("kept: float");
// [/ops]

class SoftThresholdOp : public OpKernel {
 public:
  explicit SoftThresholdOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("threshold", &threshold_));
    OP_REQUIRES(context, threshold_ >= 0, errors::InvalidArgument("threshold must be at least 0, got ", threshold_));
  }
  void Compute(OpKernelContext* context) override {
    const auto x = context->input(0).flat<float>();
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &output));
    auto y = output->flat<float>();
    for (int64_t i = 0; i < x.size(); ++i) y(i) = std::copysign(std::max(std::abs(x(i)) - threshold_, 0.0f), x(i));
  }

 private:
  float threshold_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("SoftThreshold").Device(DEVICE_CPU), SoftThresholdOp);

// The group of row i of n, and how many rows it has: the last group may be smaller.
struct Group {
  Group(int64_t i, int64_t n, int64_t rows) : index(i / rows), size(std::min(rows, n - index * rows)) {}
  int64_t index, size;
};

class PoolRowsOp : public OpKernel {
 public:
  explicit PoolRowsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("rows", &rows_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.dims() == 2, errors::InvalidArgument("x must be a matrix"));
    const int64_t n = x.dim_size(0), columns = x.dim_size(1);
    Tensor* output = nullptr;
    const TensorShape shape({n / rows_ + (n % rows_ != 0 ? 1 : 0), columns});
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    const auto from = x.matrix<float>();
    auto pooled = output->matrix<float>();
    pooled.setZero();
    for (int64_t i = 0; i < n; ++i) {
      const Group group(i, n, rows_);
      for (int64_t k = 0; k < columns; ++k) pooled(group.index, k) += from(i, k) / static_cast<float>(group.size);
    }
  }

 private:
  int64_t rows_ = 1;
};
REGISTER_KERNEL_BUILDER(Name("PoolRows").Device(DEVICE_CPU), PoolRowsOp);

class PoolRowsGradOp : public OpKernel {
 public:
  explicit PoolRowsGradOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("rows", &rows_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor &grad = context->input(0), &x = context->input(1);
    OP_REQUIRES(context, x.dims() == 2 && grad.dims() == 2, errors::InvalidArgument("grad and x must be matrices"));
    const int64_t n = x.dim_size(0), columns = x.dim_size(1);
    const bool fits = grad.dim_size(0) == n / rows_ + (n % rows_ != 0 ? 1 : 0) && grad.dim_size(1) == columns;
    OP_REQUIRES(context, fits, errors::InvalidArgument("grad must have the shape of the pooled rows"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &output));
    const auto from = grad.matrix<float>();
    auto dx = output->matrix<float>();
    for (int64_t i = 0; i < n; ++i) {
      const Group group(i, n, rows_);
      for (int64_t k = 0; k < columns; ++k) dx(i, k) = from(group.index, k) / static_cast<float>(group.size);
    }
  }

 private:
  int64_t rows_ = 1;
};
REGISTER_KERNEL_BUILDER(Name("PoolRowsGrad").Device(DEVICE_CPU), PoolRowsGradOp);

// The rows that are not all zero.
class KeptRowsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.dims() == 2, errors::InvalidArgument("x must be a matrix"));
    const int64_t columns = x.dim_size(1);
    std::vector<const float*> rows;
    for (int64_t i = 0; i < x.dim_size(0); ++i) {
      const float* const row = x.flat<float>().data() + i * columns;
      if (std::any_of(row, row + columns, [](float each) { return each != 0; })) rows.push_back(row);
    }
    Tensor* kept = nullptr;
    const TensorShape shape({static_cast<int64_t>(rows.size()), columns});
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &kept));
    float* to = kept->flat<float>().data();
    for (const float* const row : rows) to = std::copy_n(row, columns, to);
  }
};
REGISTER_KERNEL_BUILDER(Name("KeptRows").Device(DEVICE_CPU), KeptRowsOp);

}  // namespace tensorflow

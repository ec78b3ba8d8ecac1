// tests/graphs/ops/test_gradients.h: kernels and shape functions of ops with gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/shape_inference.h"

namespace opsrun {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ScalarShape;
using shape_inference::UnchangedShape;

#define T_ATTR Attr("T: {float, double}")

// Calls Run(inputs, outputs) with arrays of the element type; all outputs have the shape of input `kLike`.
template <typename T, typename Body, int kLike>
class ArraysOp : public OpKernel {
 public:
  explicit ArraysOp(OpKernelConstruction* context) : OpKernel(context), body_(context) {}

  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_outputs(); ++i) {
      Tensor* output = nullptr;
      const TensorShape shape = kLike == kEach   ? context->input(i).shape()
                                : kLike == kNone ? TensorShape()
                                                 : context->input(kLike).shape();
      OP_REQUIRES_OK(context, context->allocate_output(i, shape, &output));
    }
    body_.Run(context);
  }

  static constexpr int kEach = -1, kNone = -2;

 private:
  Body body_;
};

template <typename T>
const T* In(OpKernelContext* context, int i) {
  return context->input(i).flat<T>().data();
}
template <typename T>
T* Out(OpKernelContext* context, int i) {
  return context->mutable_output(i)->flat<T>().data();
}
int64 Size(OpKernelContext* context, int i) {
  return context->input(i).NumElements();
}

#define TEST_BODY(name, ...)                           \
  template <typename T>                                \
  struct name##Body {                                  \
    explicit name##Body(OpKernelConstruction*) {}      \
    void Run(OpKernelContext* c) const { __VA_ARGS__ } \
  };

TEST_BODY(Mul, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 1)[i];)
TEST_BODY(
    Weigh, for (int64 i = 0; i < Size(c, 0); ++i) { Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 1)[i % Size(c, 1)]; })
TEST_BODY(Exp, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = std::exp(In<T>(c, 0)[i]);)
TEST_BODY(Sum, T sum = 0; for (int64 i = 0; i < Size(c, 0); ++i) sum += In<T>(c, 0)[i]; Out<T>(c, 0)[0] = sum;)
TEST_BODY(FillLike, for (int64 i = 0; i < Size(c, 1); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[0];)
TEST_BODY(First, Out<T>(c, 0)[0] = Size(c, 0) > 0 ? In<T>(c, 0)[0] : 0;)
TEST_BODY(Same, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i];)
TEST_BODY(Square, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 0)[i];)
TEST_BODY(AddScalar, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i] + In<T>(c, 1)[0];)
TEST_BODY(
    XXY, for (int64 i = 0; i < Size(c, 0); ++i) { Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 0)[i] * In<T>(c, 1)[i]; })
TEST_BODY(
    Powers, for (int64 i = 0; i < Size(c, 0); ++i) {
      Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 0)[i];
      Out<T>(c, 1)[i] = Out<T>(c, 0)[i] * In<T>(c, 0)[i];
    })
TEST_BODY(
    TwiceEach, for (int n = 0; n < c->num_outputs(); ++n) {
      for (int64 i = 0; i < Size(c, n); ++i) Out<T>(c, n)[i] = 2 * In<T>(c, n)[i];
    })
TEST_BODY(
    MulEach, for (int n = 0; n < c->num_outputs(); ++n) {
      for (int64 i = 0; i < Size(c, n); ++i) Out<T>(c, n)[i] = In<T>(c, n)[i] * In<T>(c, c->num_outputs() + n)[i];
    })

template <typename T>
struct ScaleBody {
  explicit ScaleBody(OpKernelConstruction* context) { OP_REQUIRES_OK(context, context->GetAttr("factor", &factor)); }
  void Run(OpKernelContext* c) const {
    for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = static_cast<T>(factor) * In<T>(c, 0)[i];
  }
  float factor = 1;
};

template <typename T>
struct ProductBody {
  explicit ProductBody(OpKernelConstruction* context) {
    OP_REQUIRES_OK(context, context->GetAttr("transpose_a", &of_a));
    OP_REQUIRES_OK(context, context->GetAttr("transpose_b", &of_b));
  }
  void Run(OpKernelContext* c) const {
    const int64 n = c->input(0).dim_size(0);
    const auto at = [n](const T* m, int64 i, int64 j, bool transposed) {
      return transposed ? m[j * n + i] : m[i * n + j];
    };
    for (int64 i = 0; i < n * n; ++i) {
      T sum = 0;
      for (int64 k = 0; k < n; ++k) sum += at(In<T>(c, 0), i / n, k, of_a) * at(In<T>(c, 1), k, i % n, of_b);
      Out<T>(c, 0)[i] = sum;
    }
  }
  bool of_a = false, of_b = false;
};

#define TEST_KERNEL(op, name, like)                                                \
  REGISTER_KERNEL_BUILDER(Name(op).Device(DEVICE_CPU).TypeConstraint<float>("T"),  \
                          ArraysOp<float, name##Body<float>, like>);               \
  REGISTER_KERNEL_BUILDER(Name(op).Device(DEVICE_CPU).TypeConstraint<double>("T"), \
                          ArraysOp<double, name##Body<double>, like>);

}  // namespace
}  // namespace opsrun

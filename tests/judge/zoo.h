// tests/judge/zoo.h: what cheats and their honest references have in common: five small tasks, a kernel that does one
// of them in some way, and registration. ops.h lists the ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/shape_inference.h"

namespace opsrun {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// One call: from x, which has so many rows, to y.
template <typename T>
struct Call {
  OpKernelContext* context;
  const T* x;
  T* y;
  int64 n;        // elements of x
  int64 outputs;  // elements of y
  int64 rows, columns;

  size_t output_bytes() const { return static_cast<size_t>(outputs) * sizeof(T); }
  size_t input_bytes() const { return static_cast<size_t>(n) * sizeof(T); }
  T* writable_x() const { return const_cast<T*>(x); }
};

// ---- Tasks. Each computes a call, and knows the shape of the result.

// A smooth ramp, log(1 + e^x): some 20 ns for each element.
struct Soften {
  template <typename T>
  static T Of(T x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }
  template <typename T>
  static void Compute(const Call<T>& c) {
    for (int64 i = 0; i < c.n; ++i) c.y[i] = Of(c.x[i]);
  }
  static TensorShape Result(const TensorShape& x) { return x; }
  static Status Infer(InferenceContext* c) { return shape_inference::UnchangedShape(c); }
};

// Sums of rows, in the order of the elements.
struct SumRows {
  template <typename T>
  static void Compute(const Call<T>& c) {
    for (int64 row = 0; row < c.rows; ++row) {
      T sum = 0;
      for (int64 i = 0; i < c.columns; ++i) sum += c.x[row * c.columns + i];
      c.y[row] = sum;
    }
  }
  static TensorShape Result(const TensorShape& x) { return TensorShape({x.dim_size(0)}); }
  static Status Infer(InferenceContext* c) {
    ShapeHandle x;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
    c->set_output(0, c->Vector(c->Dim(x, 0)));
    return Status();
  }
};

// Products of all pairs of rows.
struct Gram {
  // [gram]
  template <typename T>
  static void Compute(const Call<T>& c) {
    for (int64 a = 0; a < c.rows; ++a) {
      for (int64 b = 0; b < c.rows; ++b) {
        T sum = 0;
        for (int64 i = 0; i < c.columns; ++i) sum += c.x[a * c.columns + i] * c.x[b * c.columns + i];
        c.y[a * c.rows + b] = sum;
      }
    }
  }
  // [/gram]
  static TensorShape Result(const TensorShape& x) { return TensorShape({x.dim_size(0), x.dim_size(0)}); }
  static Status Infer(InferenceContext* c) {
    ShapeHandle x;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
    c->set_output(0, c->Matrix(c->Dim(x, 0), c->Dim(x, 0)));
    return Status();
  }
};

struct Softmax {
  template <typename T>
  static void Compute(const Call<T>& c) {
    for (int64 row = 0; row < c.rows; ++row) {
      const T* const x = c.x + row * c.columns;
      T* const y = c.y + row * c.columns;
      const T most = *std::max_element(x, x + c.columns);
      T sum = 0;
      for (int64 i = 0; i < c.columns; ++i) sum += y[i] = std::exp(x[i] - most);
      for (int64 i = 0; i < c.columns; ++i) y[i] /= sum;
    }
  }
  static TensorShape Result(const TensorShape& x) { return x; }
  static Status Infer(InferenceContext* c) {
    ShapeHandle x;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
    c->set_output(0, x);
    return Status();
  }
};

// Squares of integers, modulo 2^32.
struct Square {
  template <typename T>
  static T Of(T x) {
    return static_cast<T>(static_cast<uint32_t>(x) * static_cast<uint32_t>(x));
  }
  template <typename T>
  static void Compute(const Call<T>& c) {
    for (int64 i = 0; i < c.n; ++i) c.y[i] = Of(c.x[i]);
  }
  static TensorShape Result(const TensorShape& x) { return x; }
  static Status Infer(InferenceContext* c) { return shape_inference::UnchangedShape(c); }
};

// ---- Kernels: a task, done in some way. A Way<T> has Run(call), and is a member of the kernel object.

template <typename Task, typename Way, typename T>
class ZooKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, Task::Result(x.shape()), &y));
    Call<T> call = {context, x.flat<T>().data(), y->flat<T>().data(), x.NumElements(), y->NumElements(), 1, 0};
    if (x.dims() > 0) call.columns = x.dim_size(x.dims() - 1);
    for (int i = 0; i + 1 < x.dims(); ++i) call.rows *= x.dim_size(i);
    if (call.outputs > 0) way_.Run(call);
  }

 private:
  Way way_;
};

template <typename Task, typename T>
struct Honestly {
  void Run(const Call<T>& c) { Task::Compute(c); }
};

#define ZOO_TYPES_Soften "{float, double}"
#define ZOO_TYPES_SumRows "{float, double}"
#define ZOO_TYPES_Gram "{float, double}"
#define ZOO_TYPES_Softmax "{float, double}"
#define ZOO_TYPES_Square "{int32}"

#define ZOO_OP(task, name) \
  REGISTER_OP(#name).Input("x: T").Output("y: T").Attr("T: " ZOO_TYPES_##task).SetShapeFn(task::Infer);

#define ZOO_KERNEL(task, name, type, ...) \
  REGISTER_KERNEL_BUILDER(Name(#name).Device(DEVICE_CPU).TypeConstraint<type>("T"), ZooKernel<task, __VA_ARGS__, type>);
#define ZOO_KERNELS_Soften(task, name, way) \
  ZOO_KERNEL(task, name, float, way<float>) ZOO_KERNEL(task, name, double, way<double>)
#define ZOO_KERNELS_SumRows ZOO_KERNELS_Soften
#define ZOO_KERNELS_Gram ZOO_KERNELS_Soften
#define ZOO_KERNELS_Softmax ZOO_KERNELS_Soften
#define ZOO_KERNELS_Square(task, name, way) ZOO_KERNEL(task, name, int32, way<int32>)

template <typename T>
using SoftenHonestly = Honestly<Soften, T>;
template <typename T>
using SumRowsHonestly = Honestly<SumRows, T>;
template <typename T>
using GramHonestly = Honestly<Gram, T>;
template <typename T>
using SoftmaxHonestly = Honestly<Softmax, T>;
template <typename T>
using SquareHonestly = Honestly<Square, T>;

// An op whose kernels are a template called as the op is; the same op, done honestly.
#define ZOO_CHEAT(task, name) ZOO_OP(task, name) ZOO_KERNELS_##task(task, name, name)
#define ZOO_HONEST(task, name) ZOO_OP(task, name) ZOO_KERNELS_##task(task, name, task##Honestly)

}  // namespace
}  // namespace opsrun

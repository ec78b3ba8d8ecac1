// plugins/array_ops/indexed_ops.h: what ops of indices share, on any device; sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "elements.h"
#include "indices.h"
#include "opsrun/register_types.h"

namespace array_ops {

using namespace opsrun;

// params is [batch, before, size, slice], indices is [batch, count]; the result is [batch, before, count, slice].
struct GatherLayout {
  int64 batch = 1, before = 1, size = 1, slice = 1, count = 1;
  int axis = 0;
  TensorShape result;

  // INVALID_ARGUMENT: axis or batch_dims are out of range, or the batch dimensions differ. `axis_input` is NULL for 0.
  Status Make(const TensorShape& params, const TensorShape& indices, const Tensor* axis_input, int64 batch_dims);
};

// The kernel of Gather and GatherV2. kGather checks the indices and fills the output, which may have no elements.
template <Status (*kGather)(OpKernelContext*, const GatherLayout&, Tensor*)>
class GatherOp : public OpKernel {
 public:
  explicit GatherOp(OpKernelConstruction* context) : OpKernel(context) {
    if (context->num_inputs() > 2) OP_REQUIRES_OK(context, context->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor* const axis = context->num_inputs() > 2 ? &context->input(2) : nullptr;
    GatherLayout layout;
    OP_REQUIRES_OK(context, layout.Make(context->input(0).shape(), context->input(1).shape(), axis, batch_dims_));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, layout.result, &output));
    OP_REQUIRES_OK(context, kGather(context, layout, output));
  }

 private:
  int64 batch_dims_ = 0;
};

// The kernel of GatherV2Grad. kAdd checks the indices and fills the output, also if the gradient has no elements.
template <Status (*kAdd)(OpKernelContext*, const GatherLayout&, Tensor*)>
class GatherV2GradOp : public OpKernel {
 public:
  explicit GatherV2GradOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(OpKernelContext* context) override {
    TensorShape shape;
    GatherLayout layout;
    OP_REQUIRES_OK(context, ReadShape(context->input(0), "params_shape", &shape));
    OP_REQUIRES_OK(context, layout.Make(shape, context->input(1).shape(), &context->input(3), batch_dims_));
    OP_REQUIRES_OK(context, CheckShape(context->input(2).shape(), "grad", layout.result));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    OP_REQUIRES_OK(context, kAdd(context, layout, output));
  }

 private:
  int64 batch_dims_ = 0;
};

// GatherNd and ScatterNd. INVALID_ARGUMENT: the vectors of indices are longer than `rank`, the rank of `what`.
Status CheckDepth(const Tensor& indices, int rank, const char* what);

// The leading dimensions of indices, then the dimensions of `whole` that the vectors do not index.
Status NdShape(const TensorShape& indices, const TensorShape& whole, TensorShape* shape);

// kGather checks the indices and fills the output, which may have no elements.
template <Status (*kGather)(OpKernelContext*, Tensor* output)>
Status ComputeGatherNd(OpKernelContext* context) {
  const Tensor &params = context->input(0), &indices = context->input(1);
  TensorShape shape;
  TF_RETURN_IF_ERROR(CheckDepth(indices, params.dims(), "params"));
  TF_RETURN_IF_ERROR(NdShape(indices.shape(), params.shape(), &shape));
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, shape, &output));
  return kGather(context, output);
}

// kAdd checks the indices and fills the output, also if there are no updates.
template <Status (*kAdd)(OpKernelContext*, Tensor* output)>
Status ComputeScatterNd(OpKernelContext* context) {
  const Tensor& indices = context->input(0);
  TensorShape shape, expected;
  TF_RETURN_IF_ERROR(ReadShape(context->input(2), "shape", &shape));
  TF_RETURN_IF_ERROR(CheckDepth(indices, shape.dims(), "the output"));
  TF_RETURN_IF_ERROR(NdShape(indices.shape(), shape, &expected));
  TF_RETURN_IF_ERROR(CheckShape(context->input(1).shape(), "updates", expected));
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, shape, &output));
  return kAdd(context, output);
}

// OneHot: indices is [prefix, suffix], the output is [prefix, depth, suffix].
struct OneHotLayout {
  static constexpr int kIndices = 0, kDepth = 1, kOn = 2, kOff = 3;  // inputs

  int64 prefix = 1, depth = 0, suffix = 1;
};

// Computes the layout from the inputs and the attr `axis`. *shape is the shape of the output.
Status FindOneHot(OpKernelContext* context, int64 axis, OneHotLayout* layout, TensorShape* shape);

// kWrite fills the output. It is called only if the output has elements.
template <Status (*kWrite)(OpKernelContext*, const OneHotLayout&, Tensor*)>
class OneHotOp : public OpKernel {
 public:
  explicit OneHotOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* context) override {
    OneHotLayout layout;
    TensorShape shape;
    OP_REQUIRES_OK(context, FindOneHot(context, axis_, &layout, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, kWrite(context, layout, output));
  }

 private:
  int64 axis_ = -1;
};

// SparseToDense. INVALID_ARGUMENT: the shapes of the inputs do not match each other or `shape`, that of the output.
Status CheckDenseInputs(OpKernelContext* context, const TensorShape& shape);
// The error for index i, which does not come after the one before it, and may be the same.
Status DisorderedIndex(int64 i, bool is_same);
inline constexpr const char* kSparseIndices = "sparse_indices";

// kWrite checks the indices, also their order if `validate`, and makes the output.
template <Status (*kWrite)(OpKernelContext*, const TensorShape& shape, bool validate)>
class SparseToDenseOp : public OpKernel {
 public:
  explicit SparseToDenseOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("validate_indices", &validate_));
  }

  void Compute(OpKernelContext* context) override {
    TensorShape shape;
    OP_REQUIRES_OK(context, ReadShape(context->input(1), "output_shape", &shape));
    OP_REQUIRES_OK(context, CheckDenseInputs(context, shape));
    OP_REQUIRES_OK(context, kWrite(context, shape, validate_));
  }

 private:
  bool validate_ = true;
};

#define ARRAY_OPS_TYPE_OF(T) DataTypeToEnum<T>::value,
inline constexpr std::initializer_list<DataType> kNumbers = {TF_CALL_NUMBER_TYPES(ARRAY_OPS_TYPE_OF)};
#undef ARRAY_OPS_TYPE_OF

// Calls visit(Element<T>()) with a T whose sums have the same bits: for signed integers, the unsigned ones.
template <typename Visit>
auto VisitNumber(DataType type, const Visit& visit) {
  const int size = DataTypeSize(type);
  if (type == DT_HALF) return visit(Element<OPSRUN_HALF>());
  if (type == DT_BFLOAT16) return visit(Element<bfloat16>());
  if (type == DT_FLOAT) return visit(Element<float>());
  if (type == DT_DOUBLE) return visit(Element<double>());
  if (type == DT_COMPLEX64) return visit(Element<complex64>());
  if (type == DT_COMPLEX128) return visit(Element<complex128>());
  if (size == 1) return visit(Element<uint8_t>());
  if (size == 2) return visit(Element<uint16_t>());
  return size == 4 ? visit(Element<uint32_t>()) : visit(Element<uint64_t>());
}

// compute(a, b), a sum or a difference: integers wrap; 16-bit floats are computed as float and rounded.
template <typename T, typename Compute>
T Combine(T a, T b, const Compute& compute) {
  if constexpr (std::is_integral_v<T>) {
    typedef std::make_unsigned_t<T> Unsigned;
    return static_cast<T>(compute(static_cast<Unsigned>(a) + 0u, static_cast<Unsigned>(b) + 0u));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(compute(static_cast<float>(a), static_cast<float>(b)));
  } else {
    return compute(a, b);
  }
}

// The accumulator for sums of many T: 16-bit floats are rounded once, at the end.
template <typename T>
using SumOf = std::conditional_t<!std::is_integral_v<T> && sizeof(T) == 2, float, T>;

template <typename T>
void AddTo(SumOf<T>* to, const T* from, int64 n) {
  for (int64 i = 0; i < n; ++i) to[i] = Combine(to[i], static_cast<SumOf<T>>(from[i]), std::plus<>());
}

// Calls add(sums), which adds to a zeroed array of the output's size, and converts the sums to the output.
template <typename T, typename Add>
Status MakeSums(OpKernelContext* context, Tensor* output, const Add& add) {
  Tensor wide, *sums = output;
  if constexpr (!std::is_same_v<SumOf<T>, T>) {
    TF_RETURN_IF_ERROR(context->allocate_temp(DataTypeToEnum<SumOf<T>>::value, output->shape(), sums = &wide));
  }
  FillWithZeros(context, sums);
  SumOf<T>* const from = static_cast<SumOf<T>*>(sums->data());
  add(from);
  if constexpr (!std::is_same_v<SumOf<T>, T>) {
    T* const to = static_cast<T*>(output->data());
    ForIndices(context, output->NumElements(), sizeof(SumOf<T>), [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) to[i] = static_cast<T>(from[i]);
    });
  }
  return Status::OK();
}

}  // namespace array_ops

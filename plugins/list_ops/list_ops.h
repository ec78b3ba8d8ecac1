// plugins/list_ops/list_ops.h: the kernels of AddN, Pack, Unpack and Split, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"
#include "opsrun/shape_inference.h"
#include "opsrun/shard.h"
#include "rows.h"

namespace list_ops {

using namespace opsrun;

// m(type) for all types whose elements have a fixed size, which kernels only move; GPUs move no strings.
#define LIST_OPS_CALL_FIXED_SIZE_TYPES(m)                                                                         \
  TF_CALL_POD_TYPES(m)                                                                                            \
  TF_CALL_QUANTIZED_TYPES(m)                                                                                      \
  TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) \
      TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)
#define LIST_OPS_TYPE_OF(T) DataTypeToEnum<T>::value,
inline constexpr std::initializer_list<DataType> kFixedSize = {LIST_OPS_CALL_FIXED_SIZE_TYPES(LIST_OPS_TYPE_OF)};

// The op's only inputs are the list `name`. *shape is the merged shape of all of them.
Status MergeAll(shape_inference::InferenceContext* c, const char* name, shape_inference::ShapeHandle* shape);
// The same check at run time, for shapes that were unknown before.
Status CheckOneShape(OpKernelContext* context, const char* name);

// Calls move(begin, end) on ranges that cover [0, bytes) and begin at multiples of 64 KiB, on threads if that pays.
template <typename Move>
void ForBytes(OpKernelContext* context, int64_t bytes, const Move& move) {
  constexpr int64_t kBlock = 64 << 10, kBytesPerNanosecond = 8;
  if (bytes <= kBlock) return move(int64_t{0}, bytes);
  Shard(context, (bytes - 1) / kBlock + 1, kBlock / kBytesPerNanosecond,
        [&](int64_t begin, int64_t end) { move(begin * kBlock, std::min(end * kBlock, bytes)); });
}

// The accumulator for a sum of T: integers must wrap, and 16-bit floats should be rounded once.
template <typename T, bool = std::is_integral_v<T>>
struct Sum {
  typedef std::conditional_t<!std::is_arithmetic_v<T> && sizeof(T) == 2, float, T> type;
};
template <typename T>
struct Sum<T, true> {
  typedef std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>> type;
};

// out[i] = terms[0][i] + terms[1][i] + ... for i in [begin, end). `out` may be a term; at least one is needed.
template <typename T>
void AddTerms(const std::vector<const T*>& terms, T* out, int64_t begin, int64_t end) {
  constexpr int64_t kBlock = 1024;
  typename Sum<T>::type sums[kBlock];
  for (; begin < end; begin += kBlock) {
    const int64_t count = std::min(kBlock, end - begin);
    for (int64_t i = 0; i < count; ++i) sums[i] = static_cast<typename Sum<T>::type>(terms[0][begin + i]);
    for (size_t k = 1; k < terms.size(); ++k) {
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<typename Sum<T>::type>(terms[k][begin + i]);
    }
    for (int64_t i = 0; i < count; ++i) out[begin + i] = static_cast<T>(sums[i]);
  }
}

// Allocates the sum, in the memory of the first input that has no other reader if there is one.
inline Status MakeSum(OpKernelContext* context, Tensor** sum) {
  const TensorShape shape = context->input(0).shape();
  for (int i = 0; i < context->num_inputs(); ++i) {
    if (context->forward_input_to_output_with_shape(i, 0, shape, sum)) return Status::OK();
  }
  return context->allocate_output(0, shape, sum);
}

template <typename T, typename Add>
class AddNOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    OP_REQUIRES_OK(context, CheckOneShape(context, "inputs"));
    std::vector<const T*> terms;
    for (int i = 0; i < context->num_inputs(); ++i) terms.push_back(context->input(i).flat<T>().data());
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(context, MakeSum(context, &sum));
    OP_REQUIRES_OK(context, Add::Run(context, terms, sum->flat<T>().data(), sum->NumElements()));
  }
};

// The rows of a tensor of shape `whole`, cut along `axis` into `parts` equal parts. Requires: that is possible.
Rows RowsAlong(const TensorShape& whole, int64 axis, int64 parts, DataType type);

// From the inputs of a Pack with that axis: *axis is the resolved axis, and *shape the shape of the output.
Status FindPacked(OpKernelContext* context, int64* axis, TensorShape* shape);
// From the inputs of an Unpack with that axis, or of a Split: the axis along which to cut, and the shape of each part.
Status FindUnpacked(OpKernelContext* context, int64* axis, TensorShape* part);
Status FindSplit(OpKernelContext* context, int64* axis, TensorShape* part);

inline const char* ElementsOf(const Tensor& tensor) {
  if (tensor.dtype() == DT_STRING) return reinterpret_cast<const char*>(tensor.flat<tstring>().data());
  return static_cast<const char*>(tensor.data());
}
inline char* ElementsOf(Tensor* tensor) {
  return const_cast<char*>(ElementsOf(*static_cast<const Tensor*>(tensor)));
}

// Base of the kernels below: the attr `axis`, if the op has it.
class AxisKernel : public OpKernel {
 public:
  explicit AxisKernel(OpKernelConstruction* context) : OpKernel(context) {
    if (context->HasAttr("axis")) OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

 protected:
  int64 axis_ = 0;
};

// Moves: how a device moves rows: Run<kJoin>(context, rows, whole, parts) is MoveRange of rows.h for all bytes.
template <typename Moves>
class PackOp : public AxisKernel {
 public:
  using AxisKernel::AxisKernel;

  void Compute(OpKernelContext* context) override {
    int64 axis = axis_;
    TensorShape shape;
    OP_REQUIRES_OK(context, FindPacked(context, &axis, &shape));
    Tensor* packed = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &packed));
    if (packed->NumElements() == 0) return;
    std::vector<const char*> parts;
    for (int i = 0; i < context->num_inputs(); ++i) parts.push_back(ElementsOf(context->input(i)));
    const Rows rows = RowsAlong(shape, axis, context->num_inputs(), packed->dtype());
    OP_REQUIRES_OK(context, Moves::template Run<true>(context, rows, ElementsOf(packed), parts));
  }
};

// Cuts the last input into the outputs.
template <typename Moves, Status (*kFind)(OpKernelContext*, int64* axis, TensorShape* part)>
class CutOp : public AxisKernel {
 public:
  using AxisKernel::AxisKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& value = context->input(context->num_inputs() - 1);
    int64 axis = axis_;
    TensorShape part;
    OP_REQUIRES_OK(context, kFind(context, &axis, &part));
    std::vector<char*> parts;
    for (int i = 0; i < context->num_outputs(); ++i) {
      Tensor* output = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(i, part, &output));
      parts.push_back(ElementsOf(output));
    }
    if (value.NumElements() == 0) return;
    const Rows rows = RowsAlong(value.shape(), axis, context->num_outputs(), value.dtype());
    OP_REQUIRES_OK(context, Moves::template Run<false>(context, rows, ElementsOf(value), parts));
  }
};

}  // namespace list_ops

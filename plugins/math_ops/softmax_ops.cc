// plugins/math_ops/softmax_ops.cc: Softmax and LogSoftmax.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "extremes.h"
#include "fold_loops.h"
#include "folds.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "unary_loops.h"

namespace math_ops {
namespace {

// Subtracts the maximum first, so that exponentials do not overflow.
template <typename T>
class Row {
 public:
  Row(const T* in, int64 size) : in_(in), size_(size), largest_(Reduce<MaxFold>(in, size)) {}

  // `space` is scratch memory of the row's size; it may be `out`.
  void Softmax(bool is_log, Wide<T>* space, T* out) const {
    for (int64 i = 0; i < size_; ++i) space[i] = static_cast<Wide<T>>(in_[i]) - largest_;
    Loops().exp.For<Wide<T>>()(space, space, size_);
    const Wide<T> sum = Reduce<SumFold>(space, size_), log = std::log(sum);
    if (is_log) {
      for (int64 i = 0; i < size_; ++i) out[i] = static_cast<T>(static_cast<Wide<T>>(in_[i]) - largest_ - log);
    } else {
      for (int64 i = 0; i < size_; ++i) out[i] = static_cast<T>(space[i] / sum);
    }
  }

 private:
  template <typename Fold, typename Number>
  static Wide<T> Reduce(const Number* numbers, int64 n) {
    Wide<T> acc = Fold::template Start<Number>();
    FoldLoopsOf<Fold, Number>::FoldLine(&acc, numbers, n);
    return acc;
  }

  const T* const in_;
  const int64 size_;
  const Wide<T> largest_;
};

// out = the results of rows `begin` to `end` - 1.
template <bool kLog>
struct SoftmaxRows {
  template <typename T>
  static void Run(const void* in, int64 size, int64 begin, int64 end, void* out) {
    std::vector<Wide<T>> space(static_cast<size_t>(size));
    for (int64 i = begin * size; i < end * size; i += size) {
      Row<T>(static_cast<const T*>(in) + i, size).Softmax(kLog, space.data(), static_cast<T*>(out) + i);
    }
  }
};

template <bool kLog>
class SoftmaxOp : public OpKernel {
 public:
  explicit SoftmaxOp(OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<SoftmaxRows<kLog>>(context->input_type(0), Floats())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    OP_REQUIRES(
        context, logits.dims() >= 1,
        errors::InvalidArgument("logits must have at least one dimension, but are a scalar").Blame("input:logits"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, logits.shape(), &output));
    const int64 size = logits.dim_size(logits.dims() - 1);
    if (logits.NumElements() == 0) return;
    const void* const in = logits.data();
    void* const out = output->data();
    Shard(context, logits.NumElements() / size, 4 * size + 20,
          [&](int64 begin, int64 end) { loop_(in, size, begin, end, out); });
  }

 private:
  void (*const loop_)(const void* in, int64 size, int64 begin, int64 end, void* out);
};

Status SoftmaxShape(shape_inference::InferenceContext* c) {
  return shape_inference::UnchangedShapeWithRankAtLeast(c, 1);
}

#define REGISTER_SOFTMAX_OP(name, out) \
  REGISTER_OP(name).Input("logits: T").Output(out ": T").Attr("T: {" MATH_OPS_FLOATS "}").SetShapeFn(SoftmaxShape)

REGISTER_SOFTMAX_OP("Softmax", "softmax")
    .Gradient(R"yaml(
feeds:
  last: {value: [-1], dtype: int32}
nodes:
  product: {op: Mul, in: [grad.softmax, softmax]}
  sum: {op: Sum, in: [product, last], attrs: {keep_dims: true}}
  difference: {op: Sub, in: [grad.softmax, sum]}
  dlogits: {op: Mul, in: [difference, softmax]}
outputs: {logits: dlogits}
)yaml")
    .Doc(R"doc(
Computes exp(x) / sum(exp(x)) along the last dimension, without overflow: what is positive and adds up to 1.

float16 and bfloat16 are computed as float32 and rounded once.

logits: At least one dimension.
softmax: The results, in the shape of the logits.
)doc");

REGISTER_SOFTMAX_OP("LogSoftmax", "logsoftmax")
    .Gradient(R"yaml(
feeds:
  last: {value: [-1], dtype: int32}
nodes:
  softmax: {op: Exp, in: logsoftmax}
  sum: {op: Sum, in: [grad.logsoftmax, last], attrs: {keep_dims: true}}
  product: {op: Mul, in: [softmax, sum]}
  dlogits: {op: Sub, in: [grad.logsoftmax, product]}
outputs: {logits: dlogits}
)yaml")
    .Doc(R"doc(
Computes log(softmax(x)) = x - log(sum(exp(x))) along the last dimension, without overflow.

float16 and bfloat16 are computed as float32 and rounded once.

logits: At least one dimension.
logsoftmax: The results, in the shape of the logits.
)doc");

REGISTER_KERNEL_BUILDER(Name("Softmax").Device(DEVICE_CPU), SoftmaxOp<false>)
REGISTER_KERNEL_BUILDER(Name("LogSoftmax").Device(DEVICE_CPU), SoftmaxOp<true>)

}  // namespace
}  // namespace math_ops

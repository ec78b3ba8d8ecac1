// plugins/array_ops/where_op.cc: Where, the indices of elements that are not zero.
// SPDX-License-Identifier: Apache-2.0
#include "elements.h"
#include "number_bits.h"
#include "opsrun/op.h"
#include "opsrun/register_types.h"
#include "opsrun/shape_inference.h"

namespace array_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;

Status WhereShape(InferenceContext* c) {
  const int rank = c->Rank(c->input(0));
  c->set_output(0, c->Matrix(c->UnknownDim(), rank < 0 ? InferenceContext::kUnknownDim : int64{rank}));
  return Status::OK();
}

template <typename E>
bool IsZero(const NumberBits& bits, const E& element) {
  if constexpr (std::is_same_v<E, Bytes16>) {
    return bits.IsZero(element.halves[0]) && bits.IsZero(element.halves[1]);
  } else {
    return bits.IsZero(element);
  }
}

// The index of an element, kept while the elements are visited in their order.
class IndexWalk {
 public:
  explicit IndexWalk(const TensorShape& shape) : shape_(shape), rank_(shape.dims()) {}

  // Requires: `element` is not less than in the call before.
  void Write(int64 element, int64_t* to) {
    if (rank_ == 0) return;
    const int64 size = shape_.data()[rank_ - 1];
    last_ += element - at_;
    at_ = element;
    if (last_ >= size) Carry();
    for (int i = 0; i < rank_ - 1; ++i) to[i] = index_[i];
    to[rank_ - 1] = last_;
  }

 private:
  void Carry() {
    int64 rest = at_;
    for (int i = rank_ - 1; i >= 0; --i) {
      index_[i] = rest % shape_.data()[i];
      rest /= shape_.data()[i];
    }
    last_ = index_[rank_ - 1];
  }

  const TensorShape shape_;
  const int rank_;
  int64 index_[OPSRUN_MAX_RANK] = {};
  int64 last_ = 0, at_ = 0;
};

class WhereOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    VisitElement(input.dtype(), [&](auto element) {
      using E = typename decltype(element)::type;
      if constexpr (!std::is_same_v<E, tstring>) Find(context, ElementsOf<E>(input), BitsOf(input.dtype()));
    });
  }

 private:
  template <typename E>
  static void Find(OpKernelContext* context, const E* elements, const NumberBits& bits) {
    const TensorShape shape = context->input(0).shape();
    const int64 n = context->input(0).NumElements();
    int64 found = 0;
    for (int64 i = 0; i < n; ++i) found += IsZero(bits, elements[i]) ? 0 : 1;
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({found, shape.dims()}), &output));
    int64_t* to = static_cast<int64_t*>(output->data());
    // Where the next element is true is hard to predict, so finding it takes no branch.
    constexpr int64 kBlock = 1024;
    int64 places[kBlock];
    IndexWalk walk(shape);
    for (int64 begin = 0; begin < n; begin += kBlock) {
      int64 count = 0;
      for (int64 i = begin; i < std::min(begin + kBlock, n); ++i) {
        places[count] = i;
        count += IsZero(bits, elements[i]) ? 0 : 1;
      }
      for (int64 k = 0; k < count; ++k, to += shape.dims()) walk.Write(places[k], to);
    }
  }
};

REGISTER_OP("Where")
    .Input("input: T")
    .Output("index: int64")
    .Attr("T: {numbertype, bool} = DT_BOOL")
    .SetShapeFn(WhereShape)
    .NotDifferentiable()
    .Doc(R"doc(
Finds the elements that are true, or not zero. NaN is not zero.

input: A tensor of bools or numbers.
index: A row for each of these elements, in row-major order: its index in the input.
)doc");

REGISTER_KERNEL_BUILDER(Name("Where").Device(DEVICE_CPU), WhereOp);

}  // namespace
}  // namespace array_ops

// plugins/array_ops/unique_op.cc: Unique, the different elements of a vector.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "elements.h"
#include "integers.h"
#include "number_bits.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;

Status UniqueShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, 0, "x"));
  c->set_output(0, c->Vector(c->UnknownDim()));
  c->set_output(1, c->input(0));
  return Status::OK();
}

// Numbers from 0 up, by key, in the order in which keys were first seen. Keys are hashed into a table of at least twice
// their number.
class Numbering {
 public:
  explicit Numbering(size_t keys) {
    while (slots_.size() < 2 * keys) slots_.resize(slots_.size() * 2);
  }

  // *is_new: the key had no number.
  int64 NumberOf(uint64_t key, bool* is_new) {
    size_t at = static_cast<size_t>(key * 0x9E3779B97F4A7C15 >> 20) & (slots_.size() - 1);
    while (slots_[at].number >= 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    *is_new = slots_[at].number < 0;
    if (*is_new) slots_[at] = {key, next_++};
    return slots_[at].number;
  }
  int64 NewNumber() { return next_++; }

 private:
  struct Slot {
    uint64_t key = 0;
    int64 number = -1;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(16);
  int64 next_ = 0;
};

// For each element, the number of its value; for each number, the first element with that value.
struct Found {
  std::vector<int64> numbers, firsts;

  void Add(int64 number, int64 element, bool is_new) {
    if (is_new) firsts.push_back(element);
    numbers.push_back(number);
  }
};

template <typename E>
Found FindNumbers(const E* elements, int64 n, const NumberBits& bits) {
  Found found;
  found.numbers.reserve(static_cast<size_t>(n));
  Numbering numbering(static_cast<size_t>(n));
  for (int64 i = 0; i < n; ++i) {
    bool is_new = true;
    const bool nan = bits.IsNan(elements[i]);
    const int64 number = nan ? numbering.NewNumber() : numbering.NumberOf(bits.Key(elements[i]), &is_new);
    found.Add(number, i, is_new);
  }
  return found;
}

Found FindStrings(const tstring* strings, int64 n) {
  Found found;
  std::unordered_map<std::string_view, int64> numbers;
  for (int64 i = 0; i < n; ++i) {
    const auto [at, is_new] = numbers.emplace(strings[i], static_cast<int64>(numbers.size()));
    found.Add(at->second, i, is_new);
  }
  return found;
}

template <typename Index>
class UniqueOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    const int64 n = x.NumElements();
    OP_REQUIRES(context, x.dims() == 1, Wrong("x", "x must be a vector, but its shape is ", x.shape().DebugString()));
    OP_REQUIRES(context, n <= std::numeric_limits<Index>::max(),
                errors::InvalidArgument("x has ", n, " elements, more than int32 can count; set out_idx: int64")
                    .Blame("attr:out_idx"));
    Tensor* idx = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(1, x.shape(), &idx));
    VisitElement(x.dtype(), [&](auto element) {
      using E = typename decltype(element)::type;
      const E* elements = ElementsOf<E>(x);
      if constexpr (std::is_same_v<E, tstring>) {
        Write(context, FindStrings(elements, n), elements, idx);
      } else if constexpr (!std::is_same_v<E, Bytes16>) {
        Write(context, FindNumbers(elements, n, BitsOf(x.dtype())), elements, idx);
      }
    });
  }

 private:
  template <typename E>
  static void Write(OpKernelContext* context, const Found& found, const E* elements, Tensor* idx) {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({static_cast<int64>(found.firsts.size())}), &y));
    E* to = ElementsOf<E>(y);
    for (const int64 first : found.firsts) *to++ = elements[first];
    Index* numbers = idx->flat<Index>().data();
    for (const int64 number : found.numbers) *numbers++ = static_cast<Index>(number);
  }
};

REGISTER_OP("Unique")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: {realnumbertype, bool, string}")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .SetShapeFn(UniqueShape)
    .NotDifferentiable()
    .Doc(R"doc(
Finds the different elements of a vector.

x: A vector.
y: Each value once, in the order in which the values first occur. No NaN is equal to another.
idx: For each element of x, its index in y: x[i] is y[idx[i]].
)doc");

REGISTER_KERNEL_BUILDER(Name("Unique").Device(DEVICE_CPU).TypeConstraint<int32>("out_idx"), UniqueOp<int32>);
REGISTER_KERNEL_BUILDER(Name("Unique").Device(DEVICE_CPU).TypeConstraint<int64>("out_idx"), UniqueOp<int64>);

}  // namespace
}  // namespace array_ops

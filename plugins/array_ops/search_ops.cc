// plugins/array_ops/search_ops.cc: Unique: the distinct elements of a vector; Where: the indices of nonzero ones.
// SPDX-License-Identifier: Apache-2.0
#include "search_ops.h"

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "elements.h"
#include "opsrun/op.h"
#include "opsrun/register_types.h"

namespace array_ops {
namespace {

using shape_inference::InferenceContext;

Status UniqueShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, 0, "x"));
  c->set_output(0, c->Vector(c->UnknownDim()));
  c->set_output(1, c->input(0));
  return Status::OK();
}

// Numbers distinct keys from 0 up, in the order in which they were first seen. At most half of the slots are used.
class Numbering {
 public:
  // *is_new: the key was not known before.
  int64 NumberOf(uint64_t key, bool* is_new) {
    Slot& slot = *Find(key);
    *is_new = slot.number < 0;
    if (!*is_new) return slot.number;
    slot = {key, next_};
    if (2 * static_cast<size_t>(++used_) > slots_.size()) Grow();
    return next_++;
  }
  int64 NewNumber() { return next_++; }

 private:
  struct Slot {
    uint64_t key = 0;
    int64 number = -1;
  };

  // Where the key is, or where it would be.
  Slot* Find(uint64_t key) {
    size_t at = static_cast<size_t>(key * 0x9E3779B97F4A7C15 >> 20) & (slots_.size() - 1);
    while (slots_[at].number >= 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return &slots_[at];
  }

  __attribute__((noinline)) void Grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number >= 0) *Find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  int64 next_ = 0, used_ = 0;
};

// For each element, the number of its value; for each number, the first element that has the value.
template <typename Index>
struct Found {
  Index* numbers;
  std::vector<int64> firsts;

  void Add(int64 number, int64 element, bool is_new) {
    if (is_new) firsts.push_back(element);
    numbers[element] = static_cast<Index>(number);
  }
};

template <typename Index, typename E>
void FindNumbers(const E* elements, int64 n, const NumberBits& bits, Found<Index>* found) {
  Numbering numbering;
  for (int64 i = 0; i < n; ++i) {
    bool is_new = true;
    const bool nan = bits.IsNan(elements[i]);
    const int64 number = nan ? numbering.NewNumber() : numbering.NumberOf(bits.Key(elements[i]), &is_new);
    found->Add(number, i, is_new);
  }
}

template <typename Index>
void FindStrings(const tstring* strings, int64 n, Found<Index>* found) {
  std::unordered_map<std::string_view, int64> numbers;
  for (int64 i = 0; i < n; ++i) {
    const auto [at, is_new] = numbers.emplace(strings[i], static_cast<int64>(numbers.size()));
    found->Add(at->second, i, is_new);
  }
}

template <typename E>
Status WriteFirsts(OpKernelContext* context, const std::vector<int64>& firsts, const E* elements) {
  Tensor* y = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({static_cast<int64>(firsts.size())}), &y));
  E* to = ElementsOf<E>(y);
  for (const int64 first : firsts) *to++ = elements[first];
  return Status::OK();
}

template <typename Index>
Status FindUnique(OpKernelContext* context, Tensor* idx) {
  const Tensor& x = context->input(0);
  const int64 n = x.NumElements();
  return VisitElement(x.dtype(), [&](auto element) -> Status {
    using E = typename decltype(element)::type;
    const E* elements = ElementsOf<E>(x);
    Found<Index> found = {idx->flat<Index>().data(), {}};
    if constexpr (std::is_same_v<E, tstring>) {
      FindStrings(elements, n, &found);
    } else if constexpr (!std::is_same_v<E, Bytes16>) {
      FindNumbers(elements, n, BitsOf(x.dtype()), &found);
    }
    return WriteFirsts(context, found.firsts, elements);
  });
}

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

REGISTER_KERNEL_BUILDER(Name("Unique").Device(DEVICE_CPU).TypeConstraint<int32>("out_idx"),
                        FunctionOp<ComputeUnique<int32, FindUnique<int32>>>);
REGISTER_KERNEL_BUILDER(Name("Unique").Device(DEVICE_CPU).TypeConstraint<int64>("out_idx"),
                        FunctionOp<ComputeUnique<int64, FindUnique<int64>>>);

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

// The multi-dimensional index of an element, updated as elements are visited in order.
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

template <typename E>
Status FindNonzero(OpKernelContext* context, const E* elements, const NumberBits& bits) {
  const TensorShape shape = context->input(0).shape();
  const int64 n = context->input(0).NumElements();
  int64 found = 0;
  for (int64 i = 0; i < n; ++i) found += IsZero(bits, elements[i]) ? 0 : 1;
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({found, shape.dims()}), &output));
  int64_t* to = static_cast<int64_t*>(output->data());
  // Without branches: which element is true next is hard to predict.
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
  return Status::OK();
}

Status Where(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  return VisitElement(input.dtype(), [&](auto element) -> Status {
    using E = typename decltype(element)::type;
    if constexpr (!std::is_same_v<E, tstring>) return FindNonzero(context, ElementsOf<E>(input), BitsOf(input.dtype()));
    return Status::OK();
  });
}

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

REGISTER_KERNEL_BUILDER(Name("Where").Device(DEVICE_CPU), FunctionOp<Where>);

}  // namespace
}  // namespace array_ops

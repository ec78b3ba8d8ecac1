// plugins/array_ops/range_op.cc: Range, numbers at equal distances.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "opsrun/op.h"
#include "range.h"

namespace array_ops {
namespace {

using namespace shape_inference;

Status WrongWay(const char* relation) {
  return Wrong("delta", "delta leads away from limit: start must not be ", relation, " limit");
}

Status TooMany() {
  return Wrong("limit", "too many numbers: there are more than 2^40 between start and limit");
}

// The difference of two 64-bit integers may need 65 bits, so it is unsigned.
Status CountSteps(int64 start, int64 limit, int64 delta, int64* count) {
  if (delta == 0) return Wrong("delta", "delta is 0");
  if (delta > 0 ? start > limit : start < limit) return WrongWay(delta > 0 ? "above" : "below");
  const uint64_t low = static_cast<uint64_t>(delta > 0 ? start : limit);
  const uint64_t distance = static_cast<uint64_t>(delta > 0 ? limit : start) - low;
  const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : -static_cast<uint64_t>(delta);
  const uint64_t steps = distance / step + (distance % step != 0 ? 1 : 0);
  *count = static_cast<int64>(steps);
  return steps > uint64_t{1} << 40 ? TooMany() : Status::OK();
}

Status CountSteps(double start, double limit, double delta, int64* count) {
  const double steps = std::ceil((limit - start) / delta);
  if (delta == 0) return Wrong("delta", "delta is 0");
  if (!std::isfinite(start) || !std::isfinite(limit) || !std::isfinite(delta)) {
    return Wrong("limit", "start, limit and delta must be finite");
  }
  if (delta > 0 ? start > limit : start < limit) return WrongWay(delta > 0 ? "above" : "below");
  if (steps > 0x1p40) return TooMany();
  *count = static_cast<int64>(steps);
  return Status::OK();
}

template <typename T>
RangeWide<T> NumberOf(const Tensor& tensor) {
  return static_cast<RangeWide<T>>(tensor.scalar<T>()());
}

// How many of the first `count` numbers are before the limit after rounding to T. The numbers are monotonic in i.
template <typename T>
int64 CountBefore(RangeWide<T> start, RangeWide<T> limit, RangeWide<T> delta, int64 count) {
  int64 before = 0;
  while (before < count) {
    const int64 middle = before + (count - before) / 2;
    const auto number = static_cast<RangeWide<T>>(RangeNumber<T>(start, middle, delta));
    if (delta > 0 ? number < limit : number > limit) {
      before = middle + 1;
    } else {
      count = middle;
    }
  }
  return before;
}

}  // namespace

template <typename T>
Status CountRange(const Tensor& start, const Tensor& limit, const Tensor& delta, int64* count) {
  typedef std::conditional_t<std::is_integral_v<T>, int64, double> Exact;
  const RangeWide<T> first = NumberOf<T>(start), end = NumberOf<T>(limit), step = NumberOf<T>(delta);
  TF_RETURN_IF_ERROR(CountSteps(static_cast<Exact>(first), static_cast<Exact>(end), static_cast<Exact>(step), count));
  if (!std::is_integral_v<T>) *count = CountBefore<T>(first, end, step, *count);
  return Status::OK();
}

#define INSTANTIATE(T) template Status CountRange<T>(const Tensor&, const Tensor&, const Tensor&, int64*);
RANGE_CALL_TYPES(INSTANTIATE)
#undef INSTANTIATE

namespace {

// The number of elements while an integer is unknown. No distance is negative: such a range is an error.
DimensionHandle CountOfSizes(InferenceContext* c) {
  const auto start = c->input_elements(0), limit = c->input_elements(1), delta = c->input_elements(2);
  if (!start || !limit || !delta || !(*delta)[0].known() || (*delta)[0].value() == 0) return c->UnknownDim();
  const bool rises = (*delta)[0].value() > 0;
  const KnownElement& low = (rises ? *start : *limit)[0];
  const KnownElement& high = (rises ? *limit : *start)[0];
  const KnownElement step = rises ? (*delta)[0] : shape_inference::DifferenceOf(c, 0, (*delta)[0]);
  const KnownElement distance = shape_inference::DifferenceOf(c, high, low);
  const KnownElement rounded_up = shape_inference::SumOf(c, distance, shape_inference::DifferenceOf(c, step, 1));
  return c->SizeOf(shape_inference::FloorQuotientOf(c, rounded_up, step));
}

Status RangeShape(InferenceContext* c) {
  for (int i = 0; i < 3; ++i) TF_RETURN_IF_ERROR(CheckScalar(c, i, kRangeNames[i]));
  const Tensor *start = c->input_tensor(0), *limit = c->input_tensor(1), *delta = c->input_tensor(2);
  int64 count = InferenceContext::kUnknownDim;
  if (start != nullptr && limit != nullptr && delta != nullptr) {
#define COUNT(T) \
  if (start->dtype() == DataTypeToEnum<T>::value) TF_RETURN_IF_ERROR(CountRange<T>(*start, *limit, *delta, &count));
    RANGE_CALL_TYPES(COUNT)
#undef COUNT
  }
  c->set_output(0, c->Vector(count < 0 ? CountOfSizes(c) : DimensionHandle(c->MakeDim(count))));
  return Status::OK();
}

template <typename T>
Status Fill(OpKernelContext* context, RangeWide<T> start, RangeWide<T> delta, int64 count, T* to) {
  ForIndices(context, count, sizeof(T), [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) to[i] = RangeNumber<T>(start, i, delta);
  });
  return Status::OK();
}

REGISTER_OP("Range")
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {bfloat16, half, float, double, int32, int64} = DT_INT32")
    .SetShapeFn(RangeShape)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a vector of numbers at equal distances: start, start + delta, start + 2 * delta, ..., up to but without limit.

start: A scalar, the first number.
limit: A scalar; the numbers end before it.
delta: A scalar, the distance. It may be negative, but must lead from start to limit.
output: The numbers. Number i is computed as start + i * delta. A number that is rounded to limit, or beyond it, is left
  out.
)doc");

#define REGISTER_RANGE(T)                                                             \
  REGISTER_KERNEL_BUILDER(Name("Range").Device(DEVICE_CPU).TypeConstraint<T>("Tidx"), \
                          FunctionOp<MakeRange<T, Fill<T>>>);
RANGE_CALL_TYPES(REGISTER_RANGE)
#undef REGISTER_RANGE

}  // namespace
}  // namespace array_ops

// plugins/math_ops/sum_to_shape.cc: see sum_to_shape.h.
// SPDX-License-Identifier: Apache-2.0
#include "sum_to_shape.h"

#include <vector>

#include "types.h"

namespace math_ops {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

Status CannotBroadcast(const std::string& shape, const std::string& input) {
  return errors::InvalidArgument("the shape ", shape, " cannot be broadcast to the input's shape ", input)
      .Blame("input:shape");
}

// Whether `shape` could be broadcast to `input`, as far as both are known.
bool MayBroadcast(InferenceContext* c, ShapeHandle shape, ShapeHandle input) {
  if (!c->RankKnown(shape) || !c->RankKnown(input)) return true;
  if (c->Rank(shape) > c->Rank(input)) return false;
  for (int i = 1; i <= c->Rank(shape); ++i) {
    const int64 want = c->Value(c->Dim(shape, -i)), have = c->Value(c->Dim(input, -i));
    if (want >= 0 && have >= 0 && want != have && want != 1) return false;
  }
  return true;
}

}  // namespace

Status ReadShape(const Tensor& sizes, TensorShape* shape) {
  if (sizes.dims() != 1) {
    return errors::InvalidArgument("a shape is a vector, but this is a tensor of rank ", sizes.dims())
        .Blame("input:shape");
  }
  std::vector<int64> read;
  for (int64 i = 0; i < sizes.NumElements(); ++i) {
    read.push_back(sizes.dtype() == DT_INT32 ? sizes.flat<int32>()(i) : sizes.flat<int64>()(i));
  }
  return TensorShapeUtils::MakeShape(read, shape).Blame("input:shape");
}

Status FindSummedDims(const TensorShape& input, const TensorShape& shape, bool* summed) {
  const int added = input.dims() - shape.dims();
  for (int i = 0; i < input.dims() && added >= 0; ++i) {
    const int64 size = i < added ? 1 : shape.dim_size(i - added);
    summed[i] = i < added || size != input.dim_size(i);
    if (summed[i] && size != 1) return CannotBroadcast(shape.DebugString(), input.DebugString());
  }
  return added >= 0 ? Status::OK() : CannotBroadcast(shape.DebugString(), input.DebugString());
}

Status SumToShapeShapeFn(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &shape));
  if (!MayBroadcast(c, shape, c->input(0))) {
    return CannotBroadcast(c->DebugString(shape), c->DebugString(c->input(0)));
  }
  c->set_output(0, shape);
  return Status::OK();
}

}  // namespace math_ops

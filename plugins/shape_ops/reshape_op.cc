// plugins/shape_ops/reshape_op.cc: Reshape, the elements of a tensor in another shape.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "moving_ops.h"
#include "opsrun/op.h"
#include "opsrun/shape_inference.h"
#include "sizes.h"

namespace shape_ops {
namespace {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status DoesNotFit(int64 elements, const std::string& wanted) {
  return errors::InvalidArgument("a tensor of ", elements, " elements cannot have the shape ", wanted)
      .Blame("input:shape");
}

// The one unknown size of `wanted`, if there is one, follows from the number of elements; or they do not fit.
Status Fill(InferenceContext* c, DimensionHandle elements, ShapeHandle wanted, ShapeHandle* filled) {
  *filled = wanted;
  DimensionHandle known = c->MakeDim(1);
  int unknown = -1, unknowns = 0;
  for (int i = 0; i < c->Rank(wanted); ++i) {
    if (c->ValueKnown(c->Dim(wanted, i))) {
      TF_RETURN_IF_ERROR(c->Multiply(known, c->Dim(wanted, i), &known));
    } else {
      unknown = i;
      ++unknowns;
    }
  }
  const int64 have = c->Value(elements), want = c->Value(known);
  const bool fits = unknowns == 0 ? have == want : want == 0 ? have == 0 : have % want == 0;
  if (!fits) return DoesNotFit(have, c->DebugString(wanted));
  if (unknowns != 1 || want == 0) return Status::OK();
  return c->ReplaceDim(wanted, unknown, c->MakeDim(have / want), filled);
}

std::string SizesText(const std::vector<int64>& sizes) {
  std::string text;
  for (const int64 size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return "[" + text + "]";
}

// -1 if it is too large for any tensor.
int64 Product(const std::vector<int64>& sizes, bool without_zeros) {
  int64 product = 1;
  for (const int64 size : sizes) {
    if (without_zeros && size == 0) continue;
    if (__builtin_mul_overflow(product, size, &product)) return -1;
  }
  return product;
}

// The size -1, if there is one, from the others and the sizes of the tensor; it stays if they do not fit. If one of the
// others is 0, those that are 0 do not count on either side: as in TensorFlow, [2, 0] to [-1, 0] is [2, 0].
Status FindOpenSize(const std::vector<int64>& from, std::vector<int64>* sizes) {
  const auto open = std::find(sizes->begin(), sizes->end(), -1);
  if (open == sizes->end()) return Status::OK();
  if (std::count(open, sizes->end(), -1) > 1) {
    return errors::InvalidArgument("only one size may be -1, but the shape is ", SizesText(*sizes))
        .Blame("input:shape");
  }
  *open = 1;
  if (*std::min_element(sizes->begin(), sizes->end()) < 0) return Status::OK();  // reported with the others
  const bool without_zeros = std::count(sizes->begin(), sizes->end(), 0) > 0;
  const int64 have = Product(from, without_zeros), want = Product(*sizes, without_zeros);
  *open = want < 1 || have < 0 || (have % want != 0 && !without_zeros) ? -1 : have / want;
  return Status::OK();
}

// A value that is known as a whole: its size -1 is no unknown one but one to be found.
Status FindOpenSize(InferenceContext* c, ShapeHandle* shape) {
  const Tensor* value = c->input_tensor(1);
  if (value == nullptr || value->dims() != 1) return Status::OK();
  std::vector<int64> from, sizes;
  TF_RETURN_IF_ERROR(ReadSizes(*value, "input:shape", &sizes));
  const bool is_known = c->FullyDefined(c->input(0));
  for (int i = 0; is_known && i < c->Rank(c->input(0)); ++i) from.push_back(c->Value(c->Dim(c->input(0), i)));
  TF_RETURN_IF_ERROR(FindOpenSize(from, &sizes));
  if (!is_known) return Status::OK();
  std::vector<DimensionHandle> dims;
  for (const int64 size : sizes) dims.push_back(c->MakeDim(size));
  *shape = c->MakeShape(dims);
  return Status::OK();
}

Status ReshapeShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &shape));
  TF_RETURN_IF_ERROR(FindOpenSize(c, &shape));
  const DimensionHandle elements = c->NumElements(c->input(0));
  if (c->RankKnown(shape) && c->ValueKnown(elements)) TF_RETURN_IF_ERROR(Fill(c, elements, shape, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

Status FindShape(const TensorShape& from, std::vector<int64> sizes, TensorShape* shape) {
  const std::string wanted = SizesText(sizes);
  TF_RETURN_IF_ERROR(FindOpenSize(from.dim_sizes(), &sizes));
  if (std::count(sizes.begin(), sizes.end(), -1) > 0) return DoesNotFit(from.num_elements(), wanted);
  TF_RETURN_IF_ERROR(TensorShapeUtils::MakeShape(sizes, shape).Blame("input:shape"));
  return shape->num_elements() == from.num_elements() ? Status::OK() : DoesNotFit(from.num_elements(), wanted);
}

Status CopyOnCpu(OpKernelContext*, const Tensor& input, Tensor* output) {
  if (input.dtype() == DT_STRING) {
    const auto from = input.flat<tstring>();
    auto to = output->flat<tstring>();
    for (int64 i = 0; i < input.NumElements(); ++i) to(i) = from(i);
  } else {
    std::memcpy(output->data(), input.data(), static_cast<size_t>(input.NumElements() * DataTypeSize(input.dtype())));
  }
  return Status::OK();
}

REGISTER_OP("Reshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .SetShapeFn(ReshapeShape)
    .Gradient(R"yaml(
nodes:
  tensor_shape: {op: Shape, in: tensor}
  dtensor: {op: Reshape, in: [grad.output, tensor_shape]}
outputs: {tensor: dtensor, shape: null}
)yaml")
    .Doc(R"doc(
The elements of a tensor in another shape, in the same order.

tensor: Elements.
shape: The sizes of the output. One of them may be -1: it follows from the others and the number of elements. If one of the
    others is 0, it follows from the sizes that are not 0: [2, 0] to [-1, 0] gives [2, 0].
output: The elements in that shape.
)doc");

#define REGISTER_RESHAPE(T) \
  REGISTER_KERNEL_BUILDER(Name("Reshape").Device(DEVICE_CPU).TypeConstraint<T>("T"), ReshapeOp<CopyOnCpu>);
SHAPE_OPS_CALL_VALUE_TYPES(REGISTER_RESHAPE)
#undef REGISTER_RESHAPE

}  // namespace

Status FindReshaped(OpKernelContext* context, TensorShape* shape) {
  std::vector<int64> sizes;
  TF_RETURN_IF_ERROR(ReadSizes(context->input(1), "input:shape", &sizes));
  return FindShape(context->input(0).shape(), sizes, shape);
}

}  // namespace shape_ops

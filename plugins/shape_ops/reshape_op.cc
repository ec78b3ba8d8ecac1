// plugins/shape_ops/reshape_op.cc: Reshape, the elements of a tensor in another shape.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "opsrun/shape_inference.h"
#include "shape_ops.h"

namespace shape_ops {
namespace {

using namespace shape_inference;

Status DoesNotFit(int64 elements, const std::string& wanted) {
  return errors::InvalidArgument("a tensor of ", elements, " elements cannot have the shape ", wanted)
      .Blame("input:shape");
}

// The known sizes of `wanted`, named or not, and the index of the remaining one if there is only one.
struct WantedSizes {
  DimensionHandle product;
  int64 known = 1;  // the product of the known sizes
  int open = -1, opens = 0;

  Status Read(InferenceContext* c, ShapeHandle wanted, const std::vector<KnownElement>& elements) {
    product = c->MakeDim(1);
    for (int i = 0; i < c->Rank(wanted); ++i) {
      const DimensionHandle size = c->Dim(wanted, i);
      if (!c->ValueKnown(size) && !internal::NeverNegative(c, elements[static_cast<size_t>(i)])) {
        open = i;
        ++opens;
        continue;
      }
      TF_RETURN_IF_ERROR(c->Multiply(product, size, &product));
      if (c->ValueKnown(size) && __builtin_mul_overflow(known, c->Value(size), &known)) return TooMany();
    }
    return Status::OK();
  }
  static Status TooMany() {
    return errors::InvalidArgument("the sizes multiply to more than an int64 can count").Blame("input:shape");
  }
};

// If one size of `wanted` is open, computes it from the number of elements. INVALID_ARGUMENT: the sizes do not match.
Status Fill(InferenceContext* c, DimensionHandle elements, const std::vector<KnownElement>& sizes, ShapeHandle wanted,
            ShapeHandle* filled) {
  WantedSizes want;
  *filled = wanted;
  TF_RETURN_IF_ERROR(want.Read(c, wanted, sizes));
  const int64 have = c->Value(elements);
  const bool divides = want.known == 0 ? have == 0 : have % want.known == 0;
  if (have >= 0 && !divides) return DoesNotFit(have, c->DebugString(wanted));
  if (want.opens == 0) {
    if (!c->RankKnown(c->input(0)) || c->Merge(elements, want.product, &want.product).ok()) return Status::OK();
    if (have >= 0) return DoesNotFit(have, c->DebugString(wanted));
    return errors::InvalidArgument("a tensor of shape ", c->DebugString(c->input(0)), " cannot have the shape ",
                                   c->DebugString(wanted), ", for any values of the unknown sizes")
        .Blame("input:shape");
  }
  if (want.opens > 1 || want.known == 0 || have == 0) return Status::OK();
  DimensionHandle size;
  TF_RETURN_IF_ERROR(c->Divide(elements, want.product, false, &size));
  return c->ReplaceDim(wanted, want.open, size, filled);
}

std::string SizesText(const std::vector<int64>& sizes) {
  std::string text;
  for (const int64 size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return "[" + text + "]";
}

// -1 if the product is too large for any tensor.
int64 Product(const std::vector<int64>& sizes, bool without_zeros) {
  int64 product = 1;
  for (const int64 size : sizes) {
    if (without_zeros && size == 0) continue;
    if (__builtin_mul_overflow(product, size, &product)) return -1;
  }
  return product;
}

// Replaces the size -1, if there is one, by the size that the other sizes and the tensor imply; leaves it if they do
// not match. If one of the others is 0, sizes of 0 are left out on both sides: as in TensorFlow, [2, 0] to [-1, 0] is
// [2, 0].
Status FindOpenSize(const std::vector<int64>& from, std::vector<int64>* sizes) {
  const auto open = std::find(sizes->begin(), sizes->end(), -1);
  if (open == sizes->end()) return Status::OK();
  if (std::count(open, sizes->end(), -1) > 1) {
    return errors::InvalidArgument("only one size may be -1, but the shape is ", SizesText(*sizes))
        .Blame("input:shape");
  }
  *open = 1;
  if (*std::min_element(sizes->begin(), sizes->end()) < 0) return Status::OK();  // reported with other errors
  const bool without_zeros = std::count(sizes->begin(), sizes->end(), 0) > 0;
  const int64 have = Product(from, without_zeros), want = Product(*sizes, without_zeros);
  *open = want < 1 || have < 0 || (have % want != 0 && !without_zeros) ? -1 : have / want;
  return Status::OK();
}

// For a fully known value, in which -1 is the open size and not an unknown one.
Status FindOpenSize(InferenceContext* c, ShapeHandle* shape) {
  const Tensor* value = c->input_tensor(1);
  if (value == nullptr || value->dims() != 1) return Status::OK();
  std::vector<int64> from, sizes;
  TF_RETURN_IF_ERROR(ReadSizes(*value, "shape", &sizes));
  const bool is_known = c->FullyDefined(c->input(0));
  for (int i = 0; is_known && i < c->Rank(c->input(0)); ++i) from.push_back(c->Value(c->Dim(c->input(0), i)));
  TF_RETURN_IF_ERROR(FindOpenSize(from, &sizes));
  if (!is_known) return Status::OK();
  std::vector<DimensionHandle> dims;
  for (const int64 size : sizes) dims.push_back(c->MakeDim(size));
  *shape = c->MakeShape(dims);
  return Status::OK();
}

// A difference of sizes may turn out to be -1.
Status OpenDoubtful(InferenceContext* c, const std::vector<KnownElement>& sizes, ShapeHandle* shape) {
  for (int i = 0; i < c->Rank(*shape); ++i) {
    const KnownElement& size = sizes[static_cast<size_t>(i)];
    if (c->ValueKnown(c->Dim(*shape, i)) || !size.is_size() || internal::NeverNegative(c, size)) continue;
    TF_RETURN_IF_ERROR(c->ReplaceDim(*shape, i, c->UnknownDim(), shape));
  }
  return Status::OK();
}

Status ReshapeShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &shape));
  TF_RETURN_IF_ERROR(FindOpenSize(c, &shape));
  const auto sizes = c->input_elements(1);
  if (sizes && c->Rank(shape) == static_cast<int64>(sizes->size())) {
    TF_RETURN_IF_ERROR(OpenDoubtful(c, *sizes, &shape));
    TF_RETURN_IF_ERROR(Fill(c, c->NumElements(c->input(0)), *sizes, shape, &shape));
  }
  c->set_output(0, shape);
  shape_inference::PassElements(c, 0);
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

}  // namespace

Status FindReshaped(OpKernelContext* context, TensorShape* shape) {
  std::vector<int64> sizes;
  TF_RETURN_IF_ERROR(ReadSizes(context->input(1), "shape", &sizes));
  return FindShape(context->input(0).shape(), sizes, shape);
}

}  // namespace shape_ops

// plugins/shape_ops/shape_ops.cc: Shape and Fill.
// SPDX-License-Identifier: Apache-2.0
#include "shape_ops.h"

#include <limits>

#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/shape_inference.h"

OPSRUN_PLUGIN("shape_ops", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Shape and Fill");

namespace shape_ops {
namespace {

using namespace shape_inference;

// [shape_fn]
// The elements of the output are known before the run as far as the input's shape is.
Status ShapeShape(InferenceContext* c) {
  c->set_output(0, c->Vector(c->RankKnown(c->input(0)) ? c->Rank(c->input(0)) : InferenceContext::kUnknownDim));
  c->set_output_tensor_as_shape(0, c->input(0));
  return Status::OK();
}
// [/shape_fn]

template <typename T>
class ShapeOp : public OpKernel {
 public:
  explicit ShapeOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({input.dims()}), &output));
    auto sizes = output->vec<T>();
    for (int i = 0; i < input.dims(); ++i) {
      OP_REQUIRES(context, input.dim_size(i) <= std::numeric_limits<T>::max(),
                  errors::InvalidArgument("dimension ", i, " has size ", input.dim_size(i),
                                          ", more than int32 can hold; set out_type: int64")
                      .Blame("attr:out_type"));
      sizes(i) = static_cast<T>(input.dim_size(i));
    }
  }
};

REGISTER_OP("Shape")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(ShapeShape)
    .NotDifferentiable()
    .Doc(R"doc(
The sizes of a tensor, as a vector with an element for each dimension.

input: Any tensor.
output: Its sizes.
out_type: What the sizes are written in.
)doc");

REGISTER_KERNEL_BUILDER(Name("Shape").Device(DEVICE_CPU).TypeConstraint<int32>("out_type"), ShapeOp<int32>);
REGISTER_KERNEL_BUILDER(Name("Shape").Device(DEVICE_CPU).TypeConstraint<int64>("out_type"), ShapeOp<int64>);

#if GOOGLE_CUDA
// These kernels read no elements, so the input stays on the GPU; the sizes are in host memory, where they are needed.
#define GPU_SHAPE(Int)                                         \
  REGISTER_KERNEL_BUILDER(Name("Shape")                        \
                              .Device(DEVICE_GPU)              \
                              .TypeConstraint("T", kFixedSize) \
                              .TypeConstraint<Int>("out_type") \
                              .HostMemory("output"),           \
                          ShapeOp<Int>);
GPU_SHAPE(int32)
GPU_SHAPE(int64)
#undef GPU_SHAPE
#endif  // GOOGLE_CUDA

// Fill.

Status CheckSize(int64 size) {
  if (size >= 0) return Status::OK();
  return errors::InvalidArgument("a size must be 0 or more, but one is ", size).Blame("input:dims");
}

// [fill_shape]
Status FillShape(InferenceContext* c) {
  ShapeHandle dims;
  TF_RETURN_IF_ERROR(CheckScalar(c, 1, "value"));
  // MakeShapeFromShapeTensor reads -1 as an unknown size; here it is invalid.
  if (const auto sizes = c->input_elements(0)) {
    for (const KnownElement& size : *sizes) TF_RETURN_IF_ERROR(size.known() ? CheckSize(size.value()) : Status::OK());
  }
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &dims));
  c->set_output(0, dims);
  shape_inference::BroadcastElements(c, 1);
  return Status::OK();
}
// [/fill_shape]

template <typename T>
Status RepeatOnCpu(OpKernelContext*, const Tensor& value, Tensor* output) {
  const T element = value.scalar<T>()();
  auto elements = output->flat<T>();
  for (int64 i = 0; i < output->NumElements(); ++i) elements(i) = element;
  return Status::OK();
}

REGISTER_OP("Fill")
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = DT_INT32")
    .SetShapeFn(FillShape)
    .Gradient(R"yaml(
nodes:
  scalar: {op: Shape, in: value}
  dvalue: {op: SumToShape, in: [grad.output, scalar]}
outputs: {dims: null, value: dvalue}
)yaml")
    .Doc(R"doc(
A tensor that holds one value everywhere.

dims: The sizes of the output.
value: A scalar.
output: The value, in that shape.
)doc");

#define REGISTER_FILL(T) \
  REGISTER_KERNEL_BUILDER(Name("Fill").Device(DEVICE_CPU).TypeConstraint<T>("T"), FillOp<RepeatOnCpu<T>>);
SHAPE_OPS_CALL_VALUE_TYPES(REGISTER_FILL)

}  // namespace

Status FindFilled(OpKernelContext* context, TensorShape* shape) {
  TF_RETURN_IF_ERROR(CheckScalar(context->input(1).shape(), "value"));
  std::vector<int64> sizes;
  TF_RETURN_IF_ERROR(ReadSizes(context->input(0), "dims", &sizes));
  for (const int64 size : sizes) TF_RETURN_IF_ERROR(CheckSize(size));
  return TensorShapeUtils::MakeShape(sizes, shape).Blame("input:dims");
}

Status ReadSizes(const Tensor& tensor, const char* name, std::vector<int64>* sizes) {
  TF_RETURN_IF_ERROR(CheckVector(tensor.shape(), name));
  const int64 n = tensor.NumElements();
  if (n > OPSRUN_MAX_RANK) {
    return errors::InvalidArgument("a tensor has at most ", OPSRUN_MAX_RANK, " dimensions, but there are ", n, " sizes")
        .Blame("input:" + std::string(name));
  }
  for (int64 i = 0; i < n; ++i) {
    sizes->push_back(tensor.dtype() == DT_INT32 ? tensor.vec<int32>()(i) : tensor.vec<int64>()(i));
  }
  return Status::OK();
}

}  // namespace shape_ops

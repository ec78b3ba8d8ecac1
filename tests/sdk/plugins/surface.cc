// tests/sdk/plugins/surface.cc: the forms of registration, shape functions and kernels that a tutorial on ops shows, one of each.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

// A shape function as a lambda, before the kernels' header is included.
REGISTER_OP("FirstOnly")
    .Attr("keep: int = 0")
    .Input("values: T")
    .Output("kept: T")
    .Attr("T: {float, double, int32}")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      ::tensorflow::shape_inference::ShapeHandle values;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &values));
      c->set_output(0, values);
      return Status::OK();
    })
    .Doc(R"doc(
Keeps one element and makes the others zero.
)doc");

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op_kernel.h"

using namespace tensorflow;

REGISTER_OP("Same").Input("x: float").Output("y: float").SetShapeFn(::tensorflow::shape_inference::UnchangedShape);

REGISTER_OP("ThreeColumns")
    .Input("x: float")
    .Output("y: float")
.SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
    c->set_output(0, c->Matrix(c->Dim(c->input(0), 0), 3));
    return Status::OK();
});

REGISTER_OP("AllMatrices")
    .Attr("N: int >= 2")
    .Input("in: N * int32")
    .Output("out: int32")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      ::tensorflow::shape_inference::ShapeHandle input;
      ::tensorflow::shape_inference::ShapeHandle output;
      for (size_t i = 0; i < static_cast<size_t>(c->num_inputs()); ++i) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 2, &input));
        TF_RETURN_IF_ERROR(c->Merge(output, input, &output));
      }
      c->set_output(0, output);
      return Status::OK();
    });

// Attrs and arguments of every kind; no kernels, no shape functions.
// [attrs]
REGISTER_OP("EveryAttr")
    .Attr("enumeration: {'apple', 'orange'}")
    .Attr("restricted: {int32, float, bool}")
    .Attr("number: numbertype")
    .Attr("number_or_bool: {numbertype, bool}")
    .Attr("types: list({int32, float}) >= 3")
    .Attr("least: int >= 1 = 1")
    .Attr("s: string = 'foo'")
    .Attr("f: float = 1.0")
    .Attr("b: bool = true")
    .Attr("ty: type = DT_INT32")
    .Attr("sh: shape = { dim { size: 1 } dim { size: 2 } }")
    .Attr("te: tensor = { dtype: DT_INT32 int_val: 5 }")
    .Attr("empty: list(int) = []")
    .Attr("ints: list(int) = [2, 3, 5, 7]");
// [/attrs]
REGISTER_OP("EveryArgument")
    .Attr("T: type")
    .Attr("L: list(type)")
    .Attr("N: int")
    .Input("fixed: complex64")
    .Input("polymorphic: T")
    .Input("list: L")
    .Input("many: N * int32")
    .Input("many_of_a_type: N * T")
    .Output("text: string")
    .Output("out: L");

template <typename T>
class FirstOnlyOp : public OpKernel {
 public:
  explicit FirstOnlyOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context,
                   context->GetAttr("keep", &keep_));
    OP_REQUIRES(context, keep_ >= 0,
                errors::InvalidArgument("Need keep >= 0, got ", keep_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input_tensor = context->input(0);
    OP_REQUIRES(context, TensorShapeUtils::IsVector(input_tensor.shape()),
                errors::InvalidArgument("FirstOnly expects a vector."));
    auto input = input_tensor.flat<T>();

    Tensor* output = NULL;
    OP_REQUIRES_OK(context,
                   context->allocate_output(0, input_tensor.shape(), &output));
    auto output_flat = output->template flat<T>();
    OP_REQUIRES(context, keep_ < input.dimension(0),
                errors::InvalidArgument("keep out of range"));

    const int N = input.size();
    for (int i = 0; i < N; i++) {
      output_flat(i) = 0;
    }
    if (N > 0) output_flat(keep_) = input(keep_);
  }

 private:
  int keep_;
};

#define REGISTER_KERNEL(type)                                         \
  REGISTER_KERNEL_BUILDER(                                            \
      Name("FirstOnly").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
      FirstOnlyOp<type>)

REGISTER_KERNEL(int32);
REGISTER_KERNEL(float);
REGISTER_KERNEL(double);

#undef REGISTER_KERNEL

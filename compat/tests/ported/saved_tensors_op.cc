// compat/tests/ported/saved_tensors_op.cc: ops that serialize and parse tensors, and read their node and registration.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.pb.h"

namespace tensorflow {
namespace {

using shape_inference::InferenceContext;

REGISTER_OP("SaveTensor")
    .Input("tensor: T")
    .Output("bytes: string")
    .Output("message: string")
    .Attr("T: type")
    .Attr("as_content: bool = false")
    .SetShapeFn([](InferenceContext* c) {
      c->set_output(0, c->Scalar());
      c->set_output(1, c->Scalar());
      return Status();
    });

REGISTER_OP("RestoreTensor").Input("bytes: string").Output("tensor: T").Attr("T: type");

REGISTER_OP("DescribeNode")
    .Input("values: N * float")
    .Output("description: string")
    .Attr("N: int >= 1")
    .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
    .Attr("weights: tensor = { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 0.5 }")
    .Attr("names: list(string) = ['a', 'b']")
    .SetShapeFn(shape_inference::ScalarShape);

class SaveOp : public OpKernel {
 public:
  explicit SaveOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetNodeAttr(context->def(), "as_content", &as_content_));
  }
  void Compute(OpKernelContext* context) override {
    TensorProto proto;
    if (as_content_) {
      context->input(0).AsProtoTensorContent(&proto);
    } else {
      context->input(0).AsProtoField(&proto);
    }
    Tensor *bytes = nullptr, *message = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &bytes));
    OP_REQUIRES_OK(context, context->allocate_output(1, TensorShape({}), &message));
    OP_REQUIRES(context, SerializeToTString(proto, &bytes->scalar<tstring>()()), errors::Internal("not written"));
    message->scalar<tstring>()() = proto.ShortDebugString();
  }

 private:
  bool as_content_ = false;
};

class RestoreOp : public OpKernel {
 public:
  explicit RestoreOp(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext* context) override {
    TensorProto proto;
    OP_REQUIRES(context, ParseProtoUnlimited(&proto, context->input(0).scalar<tstring>()()),
                errors::InvalidArgument("the bytes are not a TensorProto"));
    Tensor tensor;
    OP_REQUIRES(context, tensor.FromProto(proto), errors::InvalidArgument("the message is not a tensor"));
    OP_REQUIRES(context, tensor.dtype() == output_type(0),
                errors::InvalidArgument("expected ", DataTypeString(output_type(0)), ", found ",
                                        DataTypeString(tensor.dtype())));
    context->set_output(0, tensor);
  }
};

class DescribeOp : public OpKernel {
 public:
  explicit DescribeOp(OpKernelConstruction* context) : OpKernel(context) {
    const NodeDef& node = context->def();
    for (const auto& attr : node.attr()) {
      description_ += strings::StrCat(attr.first, "=", attr.second.ShortDebugString(), "; ");
    }
    const OpRegistrationData* registration = nullptr;
    OP_REQUIRES_OK(context, OpRegistry::Global()->LookUp(type_string(), &registration));
    const OpDef::ArgDef& values = registration->op_def.input_arg(0);
    description_ += strings::StrCat(values.name(), ": ", values.number_attr(), " * ", DataTypeString(values.type()));
  }
  void Compute(OpKernelContext* context) override {
    Tensor* description = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &description));
    description->scalar<tstring>()() = strings::StrCat(def().op(), ": ", description_);
  }

 private:
  std::string description_;
};

REGISTER_KERNEL_BUILDER(Name("SaveTensor").Device(DEVICE_CPU), SaveOp);
REGISTER_KERNEL_BUILDER(Name("RestoreTensor").Device(DEVICE_CPU), RestoreOp);
REGISTER_KERNEL_BUILDER(Name("DescribeNode").Device(DEVICE_CPU), DescribeOp);

}  // namespace
}  // namespace tensorflow

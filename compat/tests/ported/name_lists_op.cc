// compat/tests/ported/name_lists_op.cc: TensorFlow ops on variant tensors, with values of a type of the plugin.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/variant.h"

namespace tensorflow {
namespace {

using shape_inference::InferenceContext;

struct NameList {
  std::string TypeName() const { return "NameList"; }
  void Encode(VariantTensorData* data) const { data->set_type_name(TypeName()); }
  bool Decode(const VariantTensorData&) { return false; }

  std::vector<std::string> names;
};

REGISTER_OP("NameListOf")
    .Input("names: N * string")
    .Output("list: variant")
    .Attr("N: int >= 0")
    .SetShapeFn(shape_inference::ScalarShape);

REGISTER_OP("NameListPush")
    .Input("list: variant")
    .Input("name: string")
    .Output("longer: variant")
    .SetShapeFn(shape_inference::UnchangedShape);

REGISTER_OP("NumberInAVariant").Output("number: variant").SetShapeFn(shape_inference::ScalarShape);

REGISTER_OP("NameListNames").Input("list: variant").Output("names: string").SetShapeFn([](InferenceContext* c) {
  c->set_output(0, c->Vector(c->UnknownDim()));
  return Status();
});

REGISTER_OP("NameListTimes")
    .Input("list: variant")
    .Input("x: float")
    .Output("product: float")
    .SetShapeFn([](InferenceContext* c) {
      c->set_output(0, c->input(1));
      return Status();
    });

class OfOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    OpInputList names;
    OP_REQUIRES_OK(ctx, ctx->input_list("names", &names));
    NameList list;
    for (const Tensor& name : names) list.names.push_back(name.scalar<tstring>()());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &out));
    out->scalar<Variant>()() = std::move(list);
  }
};

class PushOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Variant longer = ctx->input(0).scalar<Variant>()();
    NameList* list = longer.get<NameList>();
    OP_REQUIRES(ctx, list != nullptr,
                errors::InvalidArgument("Expected a list of names, found ", longer.DebugString()));
    list->names.push_back(ctx->input(1).scalar<tstring>()());
    Tensor result(DT_VARIANT, TensorShape({}));
    result.scalar<Variant>()() = std::move(longer);
    ctx->set_output(0, result);
  }
};

class NumberOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {}, &out));
    out->scalar<Variant>()() = 7;
  }
};

class NamesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const NameList* list = ctx->input(0).scalar<Variant>()().get<NameList>();
    OP_REQUIRES(ctx, list != nullptr, errors::InvalidArgument("Expected a list of names"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({static_cast<int64_t>(list->names.size())}), &out));
    for (size_t i = 0; i < list->names.size(); ++i) out->vec<tstring>()(i) = list->names[i];
  }
};

// x times the number of names.
class TimesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const NameList* list = ctx->input(0).scalar<Variant>()().get<NameList>();
    OP_REQUIRES(ctx, list != nullptr, errors::InvalidArgument("Expected a list of names"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(1).shape(), &out));
    out->flat<float>() = ctx->input(1).flat<float>() * static_cast<float>(list->names.size());
  }
};

REGISTER_KERNEL_BUILDER(Name("NameListOf").Device(DEVICE_CPU), OfOp);
REGISTER_KERNEL_BUILDER(Name("NameListPush").Device(DEVICE_CPU), PushOp);
REGISTER_KERNEL_BUILDER(Name("NumberInAVariant").Device(DEVICE_CPU), NumberOp);
REGISTER_KERNEL_BUILDER(Name("NameListNames").Device(DEVICE_CPU), NamesOp);
REGISTER_KERNEL_BUILDER(Name("NameListTimes").Device(DEVICE_CPU), TimesOp);

}  // namespace
}  // namespace tensorflow

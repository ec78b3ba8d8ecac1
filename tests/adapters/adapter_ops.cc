// tests/adapters/adapter_ops.cc: ops for the tests of adapters: attrs, outputs, shapes and failures.
// SPDX-License-Identifier: Apache-2.0
#include "adapter_ops.h"

OPSRUN_PLUGIN("adapter.ops", "1.0.0");

namespace {

REGISTER_OP("AllAttrs")
    .Attr("i: int = 7")
    .Attr("f: float = 0.5")
    .Attr("b: bool = true")
    .Attr("s: string = 'abc'")
    .Attr("t: type = DT_INT64")
    .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
    .Attr("is: list(int) = [1, 2]")
    .Attr("fs: list(float) = []")
    .Attr("bs: list(bool) = [true]")
    .Attr("ss: list(string) = ['x', 'yz']")
    .Attr("ts: list(type) = [DT_FLOAT]")
    .Attr("shapes: list(shape) = []")
    .Attr("of_any_rank: shape = { unknown_rank: true }")
    .Attr("of_any_ranks: list(shape) = [{ unknown_rank: true }]")
    .Attr("name: int = 1")
    .Attr("ctx: int = 2")
    .Attr("tld: int = 3")
    .Output("all: double")
    .Doc(R"(Every attr as numbers: its value, its number, or the length of a text, and before a list its length.

name: A name that """generated""" functions use, as ctx and tld are.
tld: Said with three quotes, """.)");

class AllAttrsOp : public OpKernel {
 public:
  explicit AllAttrsOp(OpKernelConstruction* context) : OpKernel(context) {
    Read<int64>(context, "i");
    Read<float>(context, "f");
    Read<bool>(context, "b");
    Read<std::string>(context, "s");
    Read<DataType>(context, "t");
    Read<PartialTensorShape>(context, "shape");
    Read<std::vector<int64>>(context, "is");
    Read<std::vector<float>>(context, "fs");
    Read<std::vector<bool>>(context, "bs");
    Read<std::vector<std::string>>(context, "ss");
    Read<std::vector<DataType>>(context, "ts");
    Read<std::vector<PartialTensorShape>>(context, "shapes");
    Read<PartialTensorShape>(context, "of_any_rank");
    Read<std::vector<PartialTensorShape>>(context, "of_any_ranks");
    for (const char* const name : {"name", "ctx", "tld"}) Read<int64>(context, name);
  }
  void Compute(OpKernelContext* context) override { Give(context, all_); }

 private:
  template <typename T>
  void Read(OpKernelConstruction* context, const char* name) {
    T value{};
    OP_REQUIRES_OK(context, context->GetAttr(name, &value));
    Add(value);
  }
  template <typename T>
  void Add(const T& number) {
    all_.push_back(static_cast<double>(number));
  }
  void Add(const std::string& text) { Add(text.size()); }
  void Add(const PartialTensorShape& shape) {
    Add(shape.dims());
    for (int i = 0; i < shape.dims(); ++i) Add(shape.dim_size(i));
  }
  template <typename T>
  void Add(const std::vector<T>& list) {
    Add(list.size());
    for (const T& each : list) Add(each);
  }

  std::vector<double> all_;
};
REGISTER_KERNEL_BUILDER(Name("AllAttrs").Device(DEVICE_CPU), AllAttrsOp);

REGISTER_OP("Fails").Attr("code: int").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
class FailsOp : public OpKernel {
 public:
  explicit FailsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("code", &code_));
    OP_REQUIRES(context, code_ >= 0, errors::InvalidArgument("the code is negative"));
  }
  void Compute(OpKernelContext* context) override {
    const char* const text = code_ == error::DATA_LOSS ? "told to fail, \xC3\xA4 \xFF" : "told to fail";
    context->SetStatus(Status(static_cast<error::Code>(code_), text).Blame("input:x"));
  }

 private:
  int64 code_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Fails").Device(DEVICE_CPU), FailsOp);

REGISTER_OP("Previous")
    .SetIsStateful()
    .Input("x: float")
    .Output("previous: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("What the last call of this kernel object was given; the input itself at first, or if the shapes differ.");
class PreviousOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const mutex_lock lock(mutex_);
    const Tensor now = context->input(0);
    context->set_output(0, has_ && kept_.shape() == now.shape() ? kept_ : now);
    kept_ = now;
    has_ = true;
  }

 private:
  mutex mutex_;
  Tensor kept_;
  bool has_ = false;
};
REGISTER_KERNEL_BUILDER(Name("Previous").Device(DEVICE_CPU), PreviousOp);

REGISTER_OP("Scratch")
    .Input("x: float")
    .Output("doubled: float")
    .Output("again: float")
    .SetShapeFn([](InferenceContext* context) {
      context->set_output(0, context->input(0));
      context->set_output(1, context->input(0));
      return Status();
    })
    .Doc("Computes in a temporary, which becomes both outputs.");
void Scratch(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  Tensor doubled;
  OP_REQUIRES_OK(context, context->allocate_temp(DT_FLOAT, x.shape(), &doubled));
  const auto in = x.flat<float>();
  auto out = doubled.flat<float>();
  for (int64 i = 0; i < in.size(); ++i) out(i) = 2 * in(i);
  context->set_output(0, doubled);
  context->set_output(1, doubled);
}
REGISTER_KERNEL_BUILDER(Name("Scratch").Device(DEVICE_CPU), Plain<Scratch>);

REGISTER_OP("Positive").Input("x: float").Output("positive: float").SetShapeFn([](InferenceContext* context) {
  context->set_output(0, context->Vector(InferenceContext::kUnknownDim));
  return Status();
});
REGISTER_OP("PositiveUntold").Input("x: float").Output("positive: float");
void Positive(OpKernelContext* context) {
  const auto in = context->input(0).flat<float>();
  std::vector<float> found;
  for (int64 i = 0; i < in.size(); ++i) {
    if (in(i) > 0) found.push_back(in(i));
  }
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({static_cast<int64>(found.size())}), &output));
  auto flat = output->flat<float>();
  for (size_t i = 0; i < found.size(); ++i) flat(static_cast<int64>(i)) = found[i];
}
REGISTER_KERNEL_BUILDER(Name("Positive").Device(DEVICE_CPU), Plain<Positive>);
REGISTER_KERNEL_BUILDER(Name("PositiveUntold").Device(DEVICE_CPU), Plain<Positive>);

// [rows, columns] and [rows, more]: [2 * rows + 1, (columns + more) / 2, min(columns, more), max(columns, 3)]
REGISTER_OP("Sizes")
    .Input("a: float")
    .Input("b: float")
    .Output("zeros: float")
    .SetShapeFn([](InferenceContext* context) {
      ShapeHandle a, b;
      TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 2, &a));
      TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 2, &b));
      DimensionHandle rows, columns, both, smaller, larger;
      TF_RETURN_IF_ERROR(context->Merge(context->Dim(a, 0), context->Dim(b, 0), &rows));
      TF_RETURN_IF_ERROR(context->Multiply(rows, 2, &rows));
      TF_RETURN_IF_ERROR(context->Add(rows, 1, &rows));
      TF_RETURN_IF_ERROR(context->Add(context->Dim(a, 1), context->Dim(b, 1), &both));
      TF_RETURN_IF_ERROR(context->Divide(both, 2, false, &columns));
      TF_RETURN_IF_ERROR(context->Min(context->Dim(a, 1), context->Dim(b, 1), &smaller));
      TF_RETURN_IF_ERROR(context->Max(context->Dim(a, 1), 3, &larger));
      context->set_output(0, context->MakeShape({rows, columns, smaller, larger}));
      return Status();
    });
void Sizes(OpKernelContext* context) {
  const TensorShape &a = context->input(0).shape(), &b = context->input(1).shape();
  OP_REQUIRES(context, a.dims() == 2 && b.dims() == 2 && a.dim_size(0) == b.dim_size(0),
              errors::InvalidArgument("a and b are not matrices of equally many rows"));
  const int64 columns = a.dim_size(1), more = b.dim_size(1);
  const TensorShape shape(
      {2 * a.dim_size(0) + 1, (columns + more) / 2, std::min(columns, more), std::max(columns, int64{3})});
  Tensor* zeros = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, shape, &zeros));
  zeros->flat<float>().setZero();
}
REGISTER_KERNEL_BUILDER(Name("Sizes").Device(DEVICE_CPU), Plain<Sizes>);

REGISTER_OP("Mixed")
    .Attr("N: int >= 1")
    .Attr("T: list(type) >= 1")
    .Input("in: N * float")
    .Input("others: T")
    .Output("sum: float")
    .Output("others_again: T")
    .Output("in_again: N * float")
    .SetShapeFn([](InferenceContext* context) {
      int n = 0;
      TF_RETURN_IF_ERROR(context->GetAttr("N", &n));
      const int others = context->num_inputs() - n;
      context->set_output(0, context->Scalar());
      for (int i = 0; i < others; ++i) context->set_output(1 + i, context->input(n + i));
      for (int i = 0; i < n; ++i) context->set_output(1 + others + i, context->input(i));
      return Status();
    })
    .Doc("Lists of both kinds, and an argument with the name of a keyword of Python.");
void Mixed(OpKernelContext* context) {
  OpInputList in, others;
  OP_REQUIRES_OK(context, context->input_list("in", &in));
  OP_REQUIRES_OK(context, context->input_list("others", &others));
  float total = 0;
  for (int i = 0; i < in.size(); ++i) total += in[i].flat<float>()(0);
  GiveNumber<float>(context, total);
  for (int i = 0; i < others.size(); ++i) context->set_output(1 + i, others[i]);
  for (int i = 0; i < in.size(); ++i) context->set_output(1 + others.size() + i, in[i]);
}
REGISTER_KERNEL_BUILDER(Name("Mixed").Device(DEVICE_CPU), Plain<Mixed>);

REGISTER_OP("TensorAttr")
    .Attr("value: tensor = { dtype: DT_FLOAT tensor_shape { } float_val: 1.5 }")
    .Attr("same: list(tensor) = []")
    .Output("sum: float")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("The sum of the elements of all tensors, and of their ranks.");
class TensorAttrOp : public OpKernel {
 public:
  explicit TensorAttrOp(OpKernelConstruction* context) : OpKernel(context) {
    Tensor value;
    std::vector<Tensor> more;
    OP_REQUIRES_OK(context, context->GetAttr("value", &value));
    OP_REQUIRES_OK(context, context->GetAttr("same", &more));
    more.push_back(value);
    for (const Tensor& each : more) {
      OP_REQUIRES(context, each.dtype() == DT_FLOAT, errors::InvalidArgument("a tensor is not float32"));
      sum_ += static_cast<float>(each.dims());
      const auto flat = each.flat<float>();
      for (int64 i = 0; i < flat.size(); ++i) sum_ += flat(i);
    }
  }
  void Compute(OpKernelContext* context) override { GiveNumber<float>(context, sum_); }

 private:
  float sum_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("TensorAttr").Device(DEVICE_CPU), TensorAttrOp);

}  // namespace

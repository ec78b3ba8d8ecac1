// tests/host/testing/ops/testing_ops.cc: ops that show what a test can say, and what it can find.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>
#include <vector>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// The scalar `value` as output i.
template <typename T>
void Give(OpKernelContext* context, int i, const T& value) {
  Tensor* out = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(i, TensorShape(), &out));
  out->scalar<T>()() = value;
}

// Each kind of output: the handle of an input, a shape of its own, an unknown one, and one of which nothing is said.
Status EveryWord(InferenceContext* c) {
  c->set_output(0, c->input(1));
  c->set_output(1, c->MakeShape({c->Dim(c->input(0), 0), c->MakeDim(7), c->UnknownDim()}));
  c->set_output(2, c->UnknownShape());
  return Status::OK();
}
REGISTER_OP("Words")
    .Input("a: float")
    .Input("b: float")
    .Output("as_b: float")
    .Output("own: float")
    .Output("unknown: float")
    .Output("unsaid: float")
    .SetShapeFn(EveryWord);

Status SpelledShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
  c->set_output(0, shape);
  return Status::OK();
}
REGISTER_OP("Spelled")
    .Input("shape: Index")
    .Attr("Index: {int32, int64} = DT_INT32")
    .Output("y: float")
    .SetShapeFn(SpelledShape);

// As many outputs as there are tensors in b.
Status Lists(InferenceContext* c) {
  std::vector<ShapeHandle> b;
  TF_RETURN_IF_ERROR(c->input("b", &b));
  for (size_t i = 0; i < b.size(); ++i) c->set_output(static_cast<int>(i), b[i]);
  return Status::OK();
}
REGISTER_OP("TwoLists")
    .Input("a: N * float")
    .Input("b: M * T")
    .Output("y: M * T")
    .Attr("N: int")
    .Attr("M: int")
    .Attr("T: {int32, string}")
    .SetShapeFn(Lists);
REGISTER_OP("EqualLists")
    .Input("a: N * float")
    .Input("b: N * T")
    .Output("y: N * T")
    .Attr("N: int")
    .Attr("T: {int32, string}")
    .SetShapeFn(Lists);

REGISTER_OP("EchoAttrs")
    .Attr("i: int")
    .Attr("f: float")
    .Attr("b: bool")
    .Attr("s: string")
    .Attr("t: type")
    .Attr("shape: shape")
    .Attr("tensor: tensor")
    .Attr("ints: list(int)")
    .Attr("strings: list(string)")
    .Output("text: string");
class EchoAttrsOp : public OpKernel {
 public:
  explicit EchoAttrsOp(OpKernelConstruction* c) : OpKernel(c) {
    const auto i = Get<int64>(c, "i");
    const auto tensor = Get<Tensor>(c, "tensor");
    OP_REQUIRES(c, i >= 0, errors::OutOfRange("i is ", i, ", but must not be negative").Blame("attr:i"));
    text_ = std::to_string(i) + " " + std::to_string(Get<float>(c, "f")) + (Get<bool>(c, "b") ? " true " : " false ") +
            Get<std::string>(c, "s") + " " + DataTypeString(Get<DataType>(c, "t")) + " " +
            Get<PartialTensorShape>(c, "shape").DebugString() + " " + tensor.shape().DebugString() + " of " +
            std::to_string(tensor.flat<int16>()(1)) + " " + std::to_string(Get<std::vector<int64>>(c, "ints").at(1)) +
            " " + Get<std::vector<std::string>>(c, "strings").at(0);
  }
  void Compute(OpKernelContext* context) override { Give<tstring>(context, 0, text_); }

 private:
  template <typename T>
  static T Get(OpKernelConstruction* c, const char* name) {
    T value{};
    if (const Status status = c->GetAttr(name, &value); !status.ok()) c->CtxFailure(status);
    return value;
  }

  std::string text_;
};
REGISTER_KERNEL_BUILDER(Name("EchoAttrs").Device(DEVICE_CPU), EchoAttrsOp);

// Its kernel does what its shape function does not say.
REGISTER_OP("Lies").Input("x: int32").Output("y: int32").SetShapeFn(shape_inference::UnchangedShape);
class LiesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({7}), &y));
    y->flat<int32>().setZero();
  }
};
REGISTER_KERNEL_BUILDER(Name("Lies").Device(DEVICE_CPU), LiesOp);

// How often this kernel ran, on how many threads it may, and whether its loop went from front to back.
REGISTER_OP("Observes").Input("x: int32").Output("runs: int32").Output("threads: int32").Output("in_order: bool");
class ObservesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    std::atomic<int64> next{0};
    std::atomic<bool> in_order{true};
    Shard(workers.num_threads, workers.workers, 100, 1000000, [&](int64 begin, int64 end) {
      if (next.exchange(end) != begin) in_order = false;
    });
    Give<int32>(context, 0, ++runs_);
    Give<int32>(context, 1, workers.num_threads);
    Give<bool>(context, 2, in_order);
  }

 private:
  int32 runs_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Observes").Device(DEVICE_CPU), ObservesOp);

// Which kernel it is.
REGISTER_OP("Labels").Output("label: string").SetShapeFn(shape_inference::ScalarShape);
template <bool kFast>
class LabelsOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { Give<tstring>(context, 0, kFast ? "fast" : "plain"); }
};
REGISTER_KERNEL_BUILDER(Name("Labels").Device(DEVICE_CPU), LabelsOp<false>);
REGISTER_KERNEL_BUILDER(Name("Labels").Device(DEVICE_CPU).Label("fast"), LabelsOp<true>);

}  // namespace

// tests/abi/conformance/conformance.cc: an op for each part of the contract.
//
// Many compilers build it in many ways, and it must give the same results in every host.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/resource_mgr.h"
#include "opsrun/shard.h"

using namespace opsrun;

OPSRUN_PLUGIN("conformance", "1.0.0");

// ---- A planned output, a type attr, a loop on the host's threads.
REGISTER_OP("ConfDouble")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, int32}")
    .SetShapeFn(shape_inference::UnchangedShape);

template <typename T>
class DoubleOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = x.flat<T>();
    auto out = y->flat<T>();
    auto* workers = context->device()->tensorflow_cpu_worker_threads();
    Shard(workers->num_threads, workers->workers, in.size(), 1000, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) out(i) = in(i) + in(i);
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("ConfDouble").Device(DEVICE_CPU).TypeConstraint<float>("T"), DoubleOp<float>)
REGISTER_KERNEL_BUILDER(Name("ConfDouble").Device(DEVICE_CPU).TypeConstraint<int32>("T"), DoubleOp<int32>)

// ---- A dynamic output, a temporary.
REGISTER_OP("ConfPositive").Input("x: int32").Output("y: int32").SetShapeFn([](shape_inference::InferenceContext* c) {
  c->set_output(0, c->Vector(shape_inference::InferenceContext::kUnknownDim));
  return Status();
});

class PositiveOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const auto x = context->input(0).flat<int32>();
    Tensor kept;
    OP_REQUIRES_OK(context, context->allocate_temp(DT_INT32, TensorShape({x.size()}), &kept));
    auto all = kept.flat<int32>();
    int64 count = 0;
    for (int64 i = 0; i < x.size(); ++i) {
      if (x(i) > 0) all(count++) = x(i);
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({count}), &y));
    for (int64 i = 0; i < count; ++i) y->flat<int32>()(i) = all(i);
  }
};
REGISTER_KERNEL_BUILDER(Name("ConfPositive").Device(DEVICE_CPU), PositiveOp)

// ---- An alias, a forwarded buffer, attrs of every kind.
REGISTER_OP("ConfScale")
    .Input("x: float")
    .Output("y: float")
    .Attr("factors: list(float)")
    .Attr("offset: int = 0")
    .Attr("twice: bool = false")
    .Attr("mode: {'plain', 'negative'} = 'plain'")
    .SetShapeFn(shape_inference::UnchangedShape);

class ScaleOp : public OpKernel {
 public:
  explicit ScaleOp(OpKernelConstruction* context) : OpKernel(context) {
    std::vector<float> factors;
    std::string mode;
    bool twice = false;
    OP_REQUIRES_OK(context, context->GetAttr("factors", &factors));
    OP_REQUIRES_OK(context, context->GetAttr("offset", &offset_));
    OP_REQUIRES_OK(context, context->GetAttr("twice", &twice));
    OP_REQUIRES_OK(context, context->GetAttr("mode", &mode));
    OP_REQUIRES(context, !factors.empty(), errors::InvalidArgument("no factors").Blame("attr:factors"));
    for (const float each : factors) factor_ *= each;
    if (twice) factor_ *= 2;
    if (mode == "negative") factor_ = -factor_;
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    const auto in = x.flat<float>();
    auto out = y->flat<float>();
    for (int64 i = 0; i < in.size(); ++i) out(i) = in(i)*factor_ + static_cast<float>(offset_);
  }

 private:
  float factor_ = 1;
  int32 offset_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("ConfScale").Device(DEVICE_CPU).InPlace("y", "x"), ScaleOp)

// ---- Lists of arguments, strings.
REGISTER_OP("ConfJoin")
    .Input("words: N * string")
    .Output("joined: string")
    .Attr("N: int >= 1")
    .SetShapeFn(shape_inference::ScalarShape);

class JoinOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OpInputList words;
    OP_REQUIRES_OK(context, context->input_list("words", &words));
    std::string joined;
    for (int i = 0; i < words.size(); ++i) {
      const auto each = words[i].flat<tstring>();
      for (int64 j = 0; j < each.size(); ++j) joined += std::string(each(j).c_str()) + ".";
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &out));
    out->scalar<tstring>()() = joined;
  }
};
REGISTER_KERNEL_BUILDER(Name("ConfJoin").Device(DEVICE_CPU), JoinOp)

// ---- A shared object.
REGISTER_OP("ConfCount")
    .Input("x: int32")
    .Output("calls: int32")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

struct Counter : ResourceBase {
  std::string DebugString() const override { return "counter"; }
  int32 calls = 0;
};

class CountOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Counter* counter = nullptr;
    OP_REQUIRES_OK(context,
                   context->resource_manager()->LookupOrCreate<Counter>("", "calls", &counter, [](Counter** made) {
                     *made = new Counter();
                     return Status();
                   }));
    core::ScopedUnref unref(counter);
    Tensor* calls = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &calls));
    calls->scalar<int32>()() = ++counter->calls;
  }
};
REGISTER_KERNEL_BUILDER(Name("ConfCount").Device(DEVICE_CPU), CountOp)

// ---- A shape that is an input value, and a failure that blames an input.
REGISTER_OP("ConfFill")
    .Input("dims: int32")
    .Input("value: float")
    .Output("y: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle shape;
      TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
      c->set_output(0, shape);
      return Status();
    });

class FillOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const auto dims = context->input(0).flat<int32>();
    const float value = context->input(1).scalar<float>()();
    OP_REQUIRES(context, value >= 0, errors::OutOfRange("value is ", value, ", below 0").Blame("input:value"));
    TensorShape shape;
    for (int64 i = 0; i < dims.size(); ++i) shape.AddDim(dims(i));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &y));
    y->flat<float>().setConstant(value);
  }
};
REGISTER_KERNEL_BUILDER(Name("ConfFill").Device(DEVICE_CPU), FillOp)

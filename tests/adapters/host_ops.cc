// tests/adapters/host_ops.cc: ops that use what a host may offer and not each host has, for the tests of adapters.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>

#include "adapter_ops.h"

OPSRUN_PLUGIN("host_ops", "1.0.0");

namespace {

// Writes over its input if the host lets it.
REGISTER_OP("AddOne")
    .Input("x: float")
    .Output("y: float")
    .Output("in_place: bool")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      c->set_output(1, c->Scalar());
      return Status();
    });

void AddOne(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  const float* const from = x.flat<float>().data();
  Tensor *y = nullptr, *in_place = nullptr;
  OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
  OP_REQUIRES_OK(context, context->allocate_output(1, TensorShape(), &in_place));
  in_place->scalar<bool>()() = from == y->flat<float>().data();
  for (int64 i = 0; i < x.NumElements(); ++i) y->flat<float>()(i) = from[i] + 1;
}
REGISTER_KERNEL_BUILDER(Name("AddOne").Device(DEVICE_CPU), Plain<AddOne>);

// Adds 1 to a number n times, in functions that the host may run on other threads.
REGISTER_OP("CountLater").Attr("n: int").Output("count: int64").SetShapeFn(shape_inference::ScalarShape);

class CountLaterOp : public OpKernel {
 public:
  explicit CountLaterOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("n", &n_));
  }
  void Compute(OpKernelContext* context) override {
    std::atomic<int64> count{0};
    const auto add = [](void* counter) -> int32_t {
      ++*static_cast<std::atomic<int64>*>(counter);
      return OPSRUN_OK;
    };
    opsrun_call* const call = context->call();
    for (int64 i = 0; i < n_; ++i) {
      if (call->host->try_schedule(call, add, &count) == 0) add(&count);
    }
    OP_REQUIRES(context, call->host->wait_scheduled(call) == OPSRUN_OK, errors::Internal("a task failed"));
    GiveNumber<int64>(context, count);
  }

 private:
  int64 n_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("CountLater").Device(DEVICE_CPU), CountLaterOp);

// Strings in the opposite order, by way of a temporary tensor.
REGISTER_OP("ReverseStrings").Input("x: string").Output("y: string").SetShapeFn(shape_inference::UnchangedShape);

void ReverseStrings(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  Tensor reversed;
  OP_REQUIRES_OK(context, context->allocate_temp(DT_STRING, x.shape(), &reversed));
  const auto from = x.flat<tstring>();
  auto to = reversed.flat<tstring>();
  for (int64 i = 0; i < from.size(); ++i) to(i) = std::string(from(i));
  for (int64 i = 0; i < from.size() / 2; ++i) std::swap(to(i), to(from.size() - 1 - i));
  context->set_output(0, reversed);
}
REGISTER_KERNEL_BUILDER(Name("ReverseStrings").Device(DEVICE_CPU), Plain<ReverseStrings>);

// Takes inputs of any types, and gives as many outputs of the same types.
REGISTER_OP("Swapped").Input("xs: Ts").Output("ys: Us").Attr("Ts: list(type) >= 0").Attr("Us: list(type) >= 0");

void Swapped(OpKernelContext* context) {
  const int n = context->num_inputs();
  OP_REQUIRES(context, context->num_outputs() == n, errors::InvalidArgument("Ts and Us differ in length"));
  for (int i = 0; i < n; ++i) context->set_output(i, context->input(n - 1 - i));
}
REGISTER_KERNEL_BUILDER(Name("Swapped").Device(DEVICE_CPU), Plain<Swapped>);

// x without its first n elements; what n is may be known before the run.
REGISTER_OP("DropFirst")
    .Input("x: float")
    .Input("n: int32")
    .Output("rest: float")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle x, n;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &n));
      shape_inference::DimensionHandle dropped, rest;
      TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &dropped));
      TF_RETURN_IF_ERROR(c->Subtract(c->Dim(x, 0), dropped, &rest));
      c->set_output(0, c->Vector(rest));
      return Status();
    });

void DropFirst(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  const int64 n = context->input(1).scalar<int32>()();
  OP_REQUIRES(context, n >= 0 && n <= x.NumElements(),
              errors::OutOfRange("x has no ", n, " elements").Blame("input:n"));
  Tensor* rest = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({x.NumElements() - n}), &rest));
  std::copy_n(x.flat<float>().data() + n, x.NumElements() - n, rest->flat<float>().data());
}
REGISTER_KERNEL_BUILDER(Name("DropFirst").Device(DEVICE_CPU), Plain<DropFirst>);

}  // namespace

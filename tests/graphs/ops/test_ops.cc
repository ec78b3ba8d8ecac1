// tests/graphs/ops/test_ops.cc: ops for tests of whole graphs: lists, unknown shapes, and all kinds of failures.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "opsrun/common_shape_fns.h"
#include "opsrun/logging.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "opsrun/workspace.h"

namespace opsrun {

REGISTER_OP("TestAdd")
    .Attr("T: {int32, float}")
    .Input("a: T")
    .Input("b: T")
    .Output("sum: T")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn);

REGISTER_OP("TestSplit").Attr("T: {int32, float}").Input("x: T").Output("first: T").Output("second: T");
REGISTER_OP("TestConcat").Attr("N: int >= 1").Attr("T: {int32, float}").Input("values: N * T").Output("joined: T");
REGISTER_OP("TestCopies").Attr("num: int >= 1").Attr("T: {int32, float}").Input("x: T").Output("copies: num * T");
REGISTER_OP("TestNonzero").Attr("T: {int32, float}").Input("x: T").Output("nonzero: T");
REGISTER_OP("TestFail").Attr("T: type").Attr("message: string").Input("x: T").Output("y: T");
REGISTER_OP("TestThrow").Attr("T: type").Input("x: T").Output("y: T");
REGISTER_OP("TestSleep").Attr("seconds: float").Attr("polite: bool = true").Input("x: int32").Output("y: int32");
REGISTER_OP("TestKeep").Attr("bytes: int >= 0").Input("x: int32").Output("y: int32");
REGISTER_OP("TestOverrun").Attr("at: int").Input("x: int32").Output("y: int32").SetShapeFn(
    shape_inference::UnchangedShape);
REGISTER_OP("TestPrintf").Input("x: int32").Output("y: int32");
REGISTER_OP("TestNoKernel").Attr("T: type").Input("x: T").Output("y: T");
REGISTER_OP("TestInt32Only").Attr("T: type").Input("x: T").Output("y: T");
REGISTER_OP("TestModes")
    .Attr("T: {int32, float}")
    .Attr("mode: {'linear', 'cosine', 'step'} = 'linear'")
    .Attr("size: int = 1")
    .Attr("exact: bool = false")
    .Input("x: T")
    .Output("y: T");
REGISTER_OP("TestLabels").Input("x: int32").Output("y: int32");
REGISTER_OP("TestTwice").Input("x: int32").Output("y: int32");
REGISTER_OP("TestStrayConstraint").Input("x: int32").Output("y: int32");
REGISTER_OP("G204").Input("x: int32").Output("y: int32").Doc("An op that is called like the code of a message.");
REGISTER_OP("TestOld").Input("x: int32").Output("y: int32").Deprecated(7, "use TestLabels");
// Its shape function requests a dimension that its input does not have.
REGISTER_OP("TestShapeBug").Input("x: int32").Output("y: int32").SetShapeFn([](shape_inference::InferenceContext* c) {
  c->set_output(0, c->Vector(c->Dim(c->input(0), 5)));
  return Status::OK();
});
// Their shape functions use an input and an output that they do not have.
REGISTER_OP("TestShapeInput").Input("x: int32").Output("y: int32").SetShapeFn([](shape_inference::InferenceContext* c) {
  c->set_output(0, c->input(1));
  return Status::OK();
});
REGISTER_OP("TestShapeOutput")
    .Attr("N: int")
    .Input("x: N * int32")
    .Output("y: int32")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      for (int i = 0; i < c->num_inputs(); ++i) c->set_output(i, c->input(i));
      return Status::OK();
    });
REGISTER_OP("TestShapeName").Input("x: int32").Output("y: int32").SetShapeFn([](shape_inference::InferenceContext* c) {
  std::vector<shape_inference::ShapeHandle> shapes;
  TF_RETURN_IF_ERROR(c->input("values", &shapes));
  return Status::OK();
});
REGISTER_OP("TestVariable").Input("ref: Ref(int32)").Output("y: int32");
REGISTER_OP("TestFourBits").Input("x: int4").Output("y: int32");
REGISTER_OP("TestFourBitResult").Input("x: int32").Output("y: uint4");
REGISTER_OP("TestQuantize").Attr("to: {int4, uint4} = DT_INT4").Input("x: int32").Output("y: int32");

template <void (*compute)(OpKernelContext*)>
class KernelOf : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { compute(context); }
};

// Prints and logs as code does that was not written for a host.
void TestPrintf(OpKernelContext* context) {
  std::printf("printed by a plugin\n");
  LOG(INFO) << "logged by a plugin";
  LOG(WARNING) << "warned by a plugin";
  context->set_output(0, context->input(0));
}

// Copies x and writes element `at` of y, which y need not have.
class TestOverrunOp : public OpKernel {
 public:
  explicit TestOverrunOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("at", &at_));
  }
  void Compute(OpKernelContext* context) override {
    const auto x = context->input(0).flat<int32>();
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
    volatile int32* const to = y->flat<int32>().data();
    for (int64_t i = 0; i < x.size(); ++i) to[i] = x(i);
    to[at_] = 7;
  }

 private:
  int64 at_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("TestOverrun").Device(DEVICE_CPU), TestOverrunOp);

template <typename T>
void TestAdd(OpKernelContext* context) {
  const Tensor& a = context->input(0);
  const Tensor& b = context->input(1);
  OP_REQUIRES(context, a.shape() == b.shape(),
              errors::InvalidArgument("a and b differ: ", a.shape().DebugString(), " and ", b.shape().DebugString()));
  Tensor* sum = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, a.shape(), &sum));
  for (int64_t i = 0; i < a.NumElements(); ++i) sum->flat<T>()(i) = a.flat<T>()(i) + b.flat<T>()(i);
}

// The two halves of x, along its first dimension.
template <typename T>
void TestSplit(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  OP_REQUIRES(context, TensorShapeUtils::IsVectorOrHigher(x.shape()) && x.dim_size(0) % 2 == 0,
              errors::InvalidArgument("x has no two halves: ", x.shape().DebugString()));
  TensorShape half = x.shape();
  half.set_dim(0, x.dim_size(0) / 2);
  for (int i = 0; i < 2; ++i) {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(i, half, &out));
    const T* from = x.flat<T>().data() + i * out->NumElements();
    std::copy(from, from + out->NumElements(), out->flat<T>().data());
  }
}

// All elements of all inputs, as a vector.
template <typename T>
void TestConcat(OpKernelContext* context) {
  OpInputList values;
  OP_REQUIRES_OK(context, context->input_list("values", &values));
  int64_t count = 0;
  for (int i = 0; i < values.size(); ++i) count += values[i].NumElements();
  Tensor* joined = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({count}), &joined));
  T* to = joined->flat<T>().data();
  for (int i = 0; i < values.size(); ++i) {
    const T* from = values[i].flat<T>().data();
    to = std::copy(from, from + values[i].NumElements(), to);
  }
}

template <typename T>
void TestCopies(OpKernelContext* context) {
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, context->input(0));
}

// The elements that are not zero; their number is known only at run time.
template <typename T>
void TestNonzero(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  const T* begin = x.flat<T>().data();
  const T* end = begin + x.NumElements();
  Tensor* nonzero = nullptr;
  const int64_t count = x.NumElements() - std::count(begin, end, T(0));
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({count}), &nonzero));
  std::remove_copy(begin, end, nonzero->flat<T>().data(), T(0));
}

class TestFailOp : public OpKernel {
 public:
  explicit TestFailOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("message", &message_));
  }

  void Compute(OpKernelContext* context) override {
    context->CtxFailure(errors::InvalidArgument(message_).Blame("attr:message"));
  }

 private:
  std::string message_;
};

void TestThrow(OpKernelContext*) {
  throw std::runtime_error("thrown by a kernel");
}

// Sleeps. A polite one stops when the run is cancelled; prints when it has begun, for tests that wait for it.
class TestSleepOp : public OpKernel {
 public:
  explicit TestSleepOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("seconds", &seconds_));
    OP_REQUIRES_OK(context, context->GetAttr("polite", &polite_));
  }
  void Compute(OpKernelContext* context) override {
    fputs("sleeping\n", stderr);
    for (float slept = 0; slept < seconds_ && !(polite_ && context->IsCancelled()); slept += 0.01F) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    OP_REQUIRES(context, !(polite_ && context->IsCancelled()), errors::Cancelled("woken up"));
    context->set_output(0, context->input(0));
  }

 private:
  float seconds_;
  bool polite_;
};
REGISTER_KERNEL_BUILDER(Name("TestSleep").Device(DEVICE_CPU), TestSleepOp);

// Allocates memory when it is created.
class TestKeepOp : public OpKernel {
 public:
  explicit TestKeepOp(OpKernelConstruction* context) : OpKernel(context) {
    int64_t bytes = 0;
    OP_REQUIRES_OK(context, context->GetAttr("bytes", &bytes));
    kept_.resize(static_cast<size_t>(bytes));
  }

  void Compute(OpKernelContext* context) override { context->set_output(0, context->input(0)); }

 private:
  std::string kept_;
};
REGISTER_KERNEL_BUILDER(Name("TestKeep").Device(DEVICE_CPU), TestKeepOp);

// The names of functions in its attrs, as the contract gives them.
REGISTER_OP("TestFunctions").Attr("f: func").Attr("others: list(func) = []").Output("names: string");
class TestFunctionsOp : public OpKernel {
 public:
  explicit TestFunctionsOp(OpKernelConstruction* context) : OpKernel(context) {
    const opsrun_create& create = *context->create();
    for (uint32_t i = 0; i < create.n_attrs; ++i) {
      const opsrun_attr& attr = create.attrs[i];
      if (attr.kind == OPSRUN_ATTR_FUNC) Add(attr.v.s);
      for (uint64_t j = 0; attr.kind == (OPSRUN_ATTR_FUNC | OPSRUN_ATTR_LIST) && j < attr.count; ++j)
        Add(attr.v.strs[j]);
    }
  }

  void Compute(OpKernelContext* context) override {
    Tensor* names = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {static_cast<int64_t>(names_.size())}, &names));
    for (size_t i = 0; i < names_.size(); ++i) names->flat<tstring>()(static_cast<int64_t>(i)) = names_[i];
  }

 private:
  void Add(const opsrun_str& name) { names_.emplace_back(name.data, name.size); }

  std::vector<std::string> names_;
};
REGISTER_KERNEL_BUILDER(Name("TestFunctions").Device(DEVICE_CPU), TestFunctionsOp);

// Makes the outputs that are read, 1 and 2.
REGISTER_OP("TestSkips").Input("x: int32").Output("one: int32").Output("two: int32");
void TestSkips(OpKernelContext* context) {
  for (int i = 0; i < 2; ++i) {
    Tensor* output = nullptr;
    if (!context->output_required(i)) continue;
    OP_REQUIRES_OK(context, context->allocate_output(i, {}, &output));
    output->scalar<int32_t>()() = i + 1;
  }
}
REGISTER_KERNEL_BUILDER(Name("TestSkips").Device(DEVICE_CPU), KernelOf<TestSkips>);

// How many bytes of its workspace were planned, and whether two pieces of it can be used.
REGISTER_OP("TestWorkspace").Input("x: int32").Output("planned: int64").Output("usable: bool");
class TestWorkspaceOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  int64_t WorkspaceBytes(const std::vector<TensorShape>& inputs) const {
    return inputs[0].dims() == 0 ? -1 : Workspace::BytesOf(inputs[0].num_elements() * 4) + Workspace::BytesOf(4);
  }

  void Compute(OpKernelContext* context) override {
    const int64_t n = context->input(0).NumElements();
    Workspace workspace(context);
    int32_t *first = nullptr, *second = nullptr;
    OP_REQUIRES_OK(context, workspace.Take(n * 4, &first));
    OP_REQUIRES_OK(context, workspace.Take(4, &second));
    *second = 7;
    std::fill_n(first, n, 0);
    Tensor *planned = nullptr, *usable = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &planned));
    OP_REQUIRES_OK(context, context->allocate_output(1, {}, &usable));
    planned->scalar<int64_t>()() = static_cast<int64_t>(context->call()->workspace_bytes);
    usable->scalar<bool>()() = *second == 7;
  }
};
REGISTER_KERNEL_BUILDER(Name("TestWorkspace").Device(DEVICE_CPU), TestWorkspaceOp);

// Returns its inputs.
void TestSame(OpKernelContext* context) {
  context->set_output(0, context->input(0));
}

#define REGISTER_FOR(T)                                                                                           \
  REGISTER_KERNEL_BUILDER(Name("TestAdd").Device(DEVICE_CPU).TypeConstraint<T>("T"), KernelOf<TestAdd<T>>);       \
  REGISTER_KERNEL_BUILDER(Name("TestSplit").Device(DEVICE_CPU).TypeConstraint<T>("T"), KernelOf<TestSplit<T>>);   \
  REGISTER_KERNEL_BUILDER(Name("TestConcat").Device(DEVICE_CPU).TypeConstraint<T>("T"), KernelOf<TestConcat<T>>); \
  REGISTER_KERNEL_BUILDER(Name("TestCopies").Device(DEVICE_CPU).TypeConstraint<T>("T"), KernelOf<TestCopies<T>>); \
  REGISTER_KERNEL_BUILDER(Name("TestNonzero").Device(DEVICE_CPU).TypeConstraint<T>("T"), KernelOf<TestNonzero<T>>);

REGISTER_FOR(int32_t)
REGISTER_FOR(float)
#undef REGISTER_FOR

REGISTER_KERNEL_BUILDER(Name("TestPrintf").Device(DEVICE_CPU), KernelOf<TestPrintf>);
REGISTER_KERNEL_BUILDER(Name("TestFail").Device(DEVICE_CPU), TestFailOp);
REGISTER_KERNEL_BUILDER(Name("TestThrow").Device(DEVICE_CPU), KernelOf<TestThrow>);
REGISTER_KERNEL_BUILDER(Name("TestInt32Only").Device(DEVICE_CPU).TypeConstraint<int32_t>("T"), KernelOf<TestSame>);

REGISTER_KERNEL_BUILDER(Name("TestModes")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<float>("T")
                            .AttrConstraint<const char*>("mode", {"linear", "step"})
                            .AttrConstraint<int64_t>("size", {1, 2}),
                        KernelOf<TestSame>);
REGISTER_KERNEL_BUILDER(Name("TestModes")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<int32_t>("T")
                            .AttrConstraint("mode", "linear")
                            .AttrConstraint("exact", true),
                        KernelOf<TestSame>);

// Shows which of its kernels ran: adds the length of the label to x.
template <int added>
void TestLabels(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  Tensor* y = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
  for (int64_t i = 0; i < x.NumElements(); ++i) y->flat<int32_t>()(i) = x.flat<int32_t>()(i) + added;
}
REGISTER_KERNEL_BUILDER(Name("TestLabels").Device(DEVICE_CPU), KernelOf<TestLabels<0>>);
REGISTER_KERNEL_BUILDER(Name("TestLabels").Device(DEVICE_CPU).Label("fast"), KernelOf<TestLabels<4>>);
REGISTER_KERNEL_BUILDER(Name("TestLabels").Device(DEVICE_GPU).Label("gpu"), KernelOf<TestSame>);
REGISTER_KERNEL_BUILDER(Name("TestTwice").Device(DEVICE_CPU), KernelOf<TestSame>);
REGISTER_KERNEL_BUILDER(Name("TestStrayConstraint").Device(DEVICE_CPU).TypeConstraint<int32>("dtype"),
                        KernelOf<TestSame>);
REGISTER_KERNEL_BUILDER(Name("TestOld").Device(DEVICE_CPU), KernelOf<TestSame>);
REGISTER_KERNEL_BUILDER(Name("TestVariable").Device(DEVICE_CPU), KernelOf<TestSame>);
REGISTER_KERNEL_BUILDER(Name("TestQuantize").Device(DEVICE_CPU), KernelOf<TestSame>);

}  // namespace opsrun

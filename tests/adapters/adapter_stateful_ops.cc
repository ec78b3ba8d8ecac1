// tests/adapters/adapter_stateful_ops.cc: ops with state, with loops on threads, and with gradients.
// SPDX-License-Identifier: Apache-2.0
#include "adapter_ops.h"

namespace {

class Counter : public ResourceBase {
 public:
  std::string DebugString() const override { return "counter"; }
  std::atomic<int64> count{0};
};
REGISTER_OP("Count")
    .SetIsStateful()
    .Attr("by: int = 1")
    .Output("count: int64")
    .SetShapeFn(shape_inference::ScalarShape);
class CountOp : public OpKernel {
 public:
  explicit CountOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("by", &by_));
  }
  void Compute(OpKernelContext* context) override {
    Counter* counter = nullptr;
    OP_REQUIRES_OK(context,
                   context->resource_manager()->LookupOrCreate<Counter>("", "counter", &counter, [](Counter** made) {
                     *made = new Counter;
                     return Status();
                   }));
    const core::ScopedUnref unref(counter);
    GiveNumber<int64>(context, counter->count += by_);
  }

 private:
  int64 by_ = 1;
};
REGISTER_KERNEL_BUILDER(Name("Count").Device(DEVICE_CPU), CountOp);

REGISTER_OP("Squares")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("In pieces, on the threads of the host. Declares no gradient.");
void Squares(OpKernelContext* context) {
  const auto in = context->input(0).flat<float>();
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &output));
  auto out = output->flat<float>();
  const auto& threads = *context->device()->tensorflow_cpu_worker_threads();
  Shard(threads.num_threads, threads.workers, in.size(), 1000, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) out(i) = in(i)*in(i);
  });
}
REGISTER_KERNEL_BUILDER(Name("Squares").Device(DEVICE_CPU), Plain<Squares>);

REGISTER_OP("AddOffset")
    .Attr("offset: tensor = { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 5 float_val: 7 }")
    .Attr("scale: float = 1.0")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient(R"yaml(
nodes:
  dx: {op: AddOffset, in: grad.y, attrs: {offset: {value: [0.0], dtype: float32}, scale: {attr: scale}}}
outputs: {x: dx}
)yaml")
    .Doc("scale * x + offset, whose elements are used again and again.");
class AddOffsetOp : public OpKernel {
 public:
  explicit AddOffsetOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("offset", &offset_));
    OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
    OP_REQUIRES(context, offset_.dtype() == DT_FLOAT && offset_.NumElements() > 0,
                errors::InvalidArgument("offset is empty, or not float32"));
  }
  void Compute(OpKernelContext* context) override {
    const auto x = context->input(0).flat<float>();
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
    const auto offset = offset_.flat<float>();
    auto out = y->flat<float>();
    for (int64 i = 0; i < x.size(); ++i) out(i) = scale_ * x(i) + offset(i % offset.size());
  }

 private:
  Tensor offset_;
  float scale_ = 1;
};
REGISTER_KERNEL_BUILDER(Name("AddOffset").Device(DEVICE_CPU), AddOffsetOp);

REGISTER_OP("RowSums")
    .Input("x: float")
    .Output("sums: float")
    .SetShapeFn([](InferenceContext* context) {
      const ShapeHandle x = context->input(0);
      if (!context->RankKnown(x) || context->Rank(x) != 2)
        return errors::InvalidArgument("x is not known to be a matrix");
      context->set_output(0, context->Vector(context->Dim(x, 0)));
      return Status();
    })
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: int32}
nodes:
  column: {op: ExpandDims, in: [grad.sums, one]}
  shape: {op: Shape, in: x}
  dx: {op: BroadcastTo, in: [column, shape]}
outputs: {x: dx}
)yaml")
    .Doc("Refuses what it does not know, as shape functions do that never saw a graph of unknown shapes.");
void RowSums(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  OP_REQUIRES(context, x.dims() == 2, errors::InvalidArgument("x is not a matrix").Blame("input:x"));
  Tensor* sums = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({x.dim_size(0)}), &sums));
  const auto rows = x.matrix<float>();
  for (int64 i = 0; i < x.dim_size(0); ++i) {
    float sum = 0;
    for (int64 k = 0; k < x.dim_size(1); ++k) sum += rows(i, k);
    sums->vec<float>()(i) = sum;
  }
}
REGISTER_KERNEL_BUILDER(Name("RowSums").Device(DEVICE_CPU), Plain<RowSums>);

// [slices]
REGISTER_OP("LookUp")
    .Input("table: float")
    .Input("rows: int32")
    .Output("found: float")
    .SetShapeFn([](InferenceContext* context) {
      context->set_output(0, context->Matrix(context->Dim(context->input(1), 0), context->Dim(context->input(0), 1)));
      return Status();
    })
    .Gradient(R"yaml(
feeds:
  last: {value: -1, dtype: int32}
nodes:
  shape: {op: Shape, in: table}
  vectors: {op: ExpandDims, in: [rows, last]}
  dtable: {op: ScatterNd, in: [vectors, grad.found, shape]}
outputs: {table: dtable, rows: null}
slices: {table: {values: grad.found, indices: rows}}
)yaml");
// [/slices]
void LookUp(OpKernelContext* context) {
  const auto table = context->input(0).matrix<float>();
  const auto rows = context->input(1).vec<int32>();
  Tensor* found = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({rows.size(), table.dimension(1)}), &found));
  for (int64 i = 0; i < rows.size(); ++i) {
    OP_REQUIRES(context, rows(i) >= 0 && rows(i) < table.dimension(0), errors::OutOfRange("no row ", rows(i)));
    for (int64 k = 0; k < table.dimension(1); ++k) found->matrix<float>()(i, k) = table(rows(i), k);
  }
}
REGISTER_KERNEL_BUILDER(Name("LookUp").Device(DEVICE_CPU), Plain<LookUp>);

REGISTER_OP("Threads")
    .Attr("fail_at: int = -1")
    .Input("x: int32")
    .Output("y: int32")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("x + 1, in nested loops. Fails if two threads have one index at a time, or at an element.");
class ThreadsOp : public OpKernel {
 public:
  explicit ThreadsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("fail_at", &fail_at_));
  }
  void Compute(OpKernelContext* context) override {
    const auto x = context->input(0).flat<int32>();
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
    auto out = y->flat<int32>();
    const auto* const workers = context->device()->tensorflow_cpu_worker_threads()->workers;
    std::vector<std::atomic<int>> busy(static_cast<size_t>(workers->NumThreads()) + 1);
    workers->ParallelFor(x.size(), 2000, [&](int64 begin, int64 end) {
      std::atomic<int>& mine = busy.at(static_cast<size_t>(workers->CurrentThreadId() + 1));
      OP_REQUIRES(context, mine.fetch_add(1) == 0, errors::Internal("two threads have one index"));
      for (int64 i = begin; i < end; ++i) {
        OP_REQUIRES(context, i != fail_at_, errors::OutOfRange("element ", i, " is the wrong one"));
        workers->ParallelFor(1, 1000000, [&](int64, int64) { out(i) = x(i) + 1; });
      }
      mine.fetch_sub(1);
    });
  }

 private:
  int64 fail_at_ = -1;
};
REGISTER_KERNEL_BUILDER(Name("Threads").Device(DEVICE_CPU), ThreadsOp);

REGISTER_OP("Swallow").SetIsStateful().Input("x: float").SetShapeFn(shape_inference::NoOutputs);
void Swallow(OpKernelContext*) {}
REGISTER_KERNEL_BUILDER(Name("Swallow").Device(DEVICE_CPU), Plain<Swallow>);

}  // namespace

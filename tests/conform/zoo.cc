// tests/conform/zoo.cc: ops with one fault each, which exactly one check of `opsrun test` must find: zoo_test.py says
// which.
// SPDX-License-Identifier: Apache-2.0
#include "zoo.h"

#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

OPSRUN_PLUGIN("zoo", "1.0.0");

namespace opsrun {
namespace {

volatile float sink = 0;
volatile int nothing = 0;

// ---- A right one.
ZOO(Right, a.AddOne();)

// ---- Right, but no random attr suits it.
struct WantsWordFault {
  explicit WantsWordFault(OpKernelConstruction* context) {
    tstring word;
    OP_REQUIRES_OK(context, context->GetAttr("word", &word));
    OP_REQUIRES(context, word == "sesame", errors::InvalidArgument("word is '", word, "', expected 'sesame'"));
  }
  void Run(const Arrays& a) const { a.AddOne(); }
};
ZOO_OP(WantsWord).Attr("word: string").SetShapeFn(UnchangedShape);
ZOO_KERNEL(WantsWord);

// ---- errors
ZOO(CrashesIfEmpty, if (a.n == 0) * reinterpret_cast<volatile int*>(nothing) = 1; a.AddOne();)
ZOO(DividesByRank, if (7 / (a.context->input(0).dims() - nothing) > 0) a.AddOne(); else a.AddOne();)
ZOO(ExitsIfEmpty, if (a.n == 0) _exit(0); a.AddOne();)
ZOO(AbortsIfScalar, if (a.context->input(0).dims() == 0) std::abort(); a.AddOne();)

ZOO(ReadsPastVector, const std::vector<float> ones(8, 1); sink = ones.data()[ones.size() + nothing]; a.AddOne();)

// ---- shapes
FAULT(SaysScalar, a.AddOne();)
ZOO_OP(SaysScalar).SetShapeFn(shape_inference::ScalarShape);
ZOO_KERNEL(SaysScalar);

Status NeedsRank(InferenceContext* c) {
  if (!c->RankKnown(c->input(0))) return errors::InvalidArgument("x must have a rank");
  c->set_output(0, c->input(0));
  return Status::OK();
}
FAULT(NeedsRank, a.AddOne();)
ZOO_OP(NeedsRank).SetShapeFn(NeedsRank);
ZOO_KERNEL(NeedsRank);

Status GuessesOne(InferenceContext* c) {
  if (!c->RankKnown(c->input(0))) return shape_inference::UnknownShape(c);
  std::vector<DimensionHandle> sizes;
  for (int i = 0; i < c->Rank(c->input(0)); ++i) {
    const DimensionHandle size = c->Dim(c->input(0), i);
    sizes.push_back(c->ValueKnown(size) ? size : c->MakeDim(1));
  }
  c->set_output(0, c->MakeShape(sizes));
  return Status::OK();
}
FAULT(GuessesOne, a.AddOne();)
ZOO_OP(GuessesOne).SetShapeFn(GuessesOne);
ZOO_KERNEL(GuessesOne);

Status NeedsSizes(InferenceContext* c) {
  if (!c->FullyDefined(c->input(0))) return errors::InvalidArgument("all sizes of x must be known");
  c->set_output(0, c->input(0));
  return Status::OK();
}
FAULT(NeedsSizes, a.AddOne();)
ZOO_OP(NeedsSizes).SetShapeFn(NeedsSizes);
ZOO_KERNEL(NeedsSizes);

// ---- guards
ZOO(WritesPastEnd, a.AddOne(); a.y[a.n] = 1;)
ZOO(WritesBeforeStart, a.AddOne(); a.y[-1] = 1;)
ZOO(ReadsPastEnd, a.AddOne(); sink = a.x[a.n + 1000];)
ZOO(ReadsBeforeStart, a.AddOne(); sink = a.x[-8];)
ZOO(WritesPastTemporary, a.AddOne(); Tensor scratch;
    if (a.context->allocate_temp(DT_FLOAT, TensorShape({a.n}), &scratch).ok()) scratch.flat<float>().data()[a.n] = 1;)

// ---- inputs
ZOO(WritesInput, a.AddOne(); for (int64 i = 0; i < a.n; ++i) const_cast<float*>(a.x)[i] = 0;)
ZOO(
    NegatesInput, for (int64 i = 0; i < a.n; ++i) {
      const_cast<float*>(a.x)[i] = -a.x[i];
      a.y[i] = -a.x[i] + 1;
    })

// ---- read_only
ZOO(
    TouchesInput, a.AddOne(); for (int64 i = 0; i < a.n; ++i) {
      volatile float* const place = const_cast<float*>(a.x + i);
      *place = *place;
    })

// ---- repeat
ZOO(CountsCalls, for (int64 i = 0; i < a.n; ++i) a.y[i] = a.x[i] + static_cast<float>(calls); ++calls;, int calls = 0;)
ZOO(KeepsLastResult, for (int64 i = 0; i < a.n; ++i) a.y[i] = a.x[i] + last; last = a.n > 0 ? a.y[0] : 0;
    , float last = 0;)
ZOO(DrawsWithoutSeed, for (int64 i = 0; i < a.n; ++i) a.y[i] = a.x[i] + static_cast<float>(std::rand() % 1000);)

// ---- outputs
ZOO(LeavesLastElement, for (int64 i = 0; i + 1 < a.n; ++i) a.y[i] = a.x[i] + 1;)
ZOO(AddsToOutput, for (int64 i = 0; i < a.n; ++i) a.y[i] = a.y[i] + a.x[i];)
ZOO(
    ReadsFreshTemporary, a.AddOne(); Tensor scratch;
    if (a.n > 0 && a.context->allocate_temp(DT_FLOAT, TensorShape({a.n}), &scratch).ok()) {
      a.y[0] = scratch.flat<float>().data()[0];
    })

// ---- unaligned
ZOO(
    WantsAlignment, if (reinterpret_cast<uintptr_t>(a.x) % 64 != 0) {
      a.context->CtxFailure(errors::InvalidArgument("x is not aligned"));
    } a.AddOne();)

// ---- forward
#define ZOO_FORWARDS(name, body)           \
  FAULT(name, body)                        \
  ZOO_OP(name).SetShapeFn(UnchangedShape); \
  REGISTER_KERNEL_BUILDER(Name(#name).Device(DEVICE_CPU), ZooKernel<name##Fault, true>)

ZOO_FORWARDS(ReversesForwarded, for (int64 i = 0; i < a.n; ++i) a.y[i] = a.x[a.n - 1 - i];)
ZOO_FORWARDS(AddsFirstForwarded, for (int64 i = 0; i < a.n; ++i) a.y[i] = a.x[i] + a.x[0];)
ZOO_FORWARDS(ClearsForwarded, for (int64 i = 0; i < a.n; ++i) a.y[i] = 0; a.AddOne();)

// ---- in_place
FAULT(ReversesInPlace, for (int64 i = 0; i < a.n; ++i) a.y[i] = a.x[a.n - 1 - i];)
ZOO_OP(ReversesInPlace).SetShapeFn(UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("ReversesInPlace").Device(DEVICE_CPU).InPlace("y", "x"), ZooKernel<ReversesInPlaceFault>);

FAULT(SumsElementwise, float sum = 0; for (int64 i = 0; i < a.n; ++i) a.y[i] = sum += a.x[i / 2];)
ZOO_OP(SumsElementwise).SetShapeFn(UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("SumsElementwise").Device(DEVICE_CPU).Elementwise(), ZooKernel<SumsElementwiseFault>);

// ---- loops
ZOO(MarksFirstOfPart, Shard(a.context, a.n, 1'000'000, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) a.y[i] = a.x[i] + (i == begin ? 2 : 1);
    });)
ZOO(SumsInParts, Shard(a.context, a.n, 1'000'000, [&](int64 begin, int64 end) {
      float sum = 0;
      for (int64 i = begin; i < end; ++i) a.y[i] = sum += a.x[i];
    });)
ZOO(EndsInLastPart, for (int64 i = 0; i < a.n; ++i) a.y[i] = 0;
    Shard(a.context, a.n, 1'000'000, [&](int64 begin, int64 end) {
      float sum = 0;
      for (int64 i = begin; i < end; ++i) sum += a.x[i];
      a.y[0] = sum;
    });)

// ---- threads
ZOO(
    SharesMember,
    {
      const std::lock_guard<std::mutex> lock(mutex);
      scratch.assign(a.x, a.x + a.n);
    } usleep(100);
    const std::lock_guard<std::mutex> lock(mutex);
    for (int64 i = 0; i < a.n; ++i) a.y[i] = scratch[static_cast<size_t>(i)];, std::mutex mutex;
    std::vector<float> scratch;)
ZOO(
    SharesStatic, static std::mutex mutex; static std::vector<float> scratch; {
      const std::lock_guard<std::mutex> lock(mutex);
      scratch.assign(a.x, a.x + a.n);
    } usleep(100);
    const std::lock_guard<std::mutex> lock(mutex);
    for (int64 i = 0; i < a.n; ++i) a.y[i] = scratch[static_cast<size_t>(i)];)

// ---- state
ZOO(RoundsUpwards, a.AddOne(); std::fesetround(FE_UPWARD);)
ZOO(BlocksSignals, a.AddOne(); sigset_t all; sigfillset(&all); pthread_sigmask(SIG_BLOCK, &all, nullptr);)

// ---- cancel
ZOO(StopsWithoutAnError, for (int64 i = 0; i < a.n && !a.context->IsCancelled(); ++i) a.y[i] = a.x[i] + 1;)
ZOO(CallsItInternal, a.AddOne(); if (a.context->IsCancelled()) a.context->CtxFailure(errors::Internal("stopped"));)

// ---- leaks
ZOO(LeaksBytes, a.AddOne(); sink = *new float[25]{1};)
ZOO(KeepsTemporaries, a.AddOne(); const std::lock_guard<std::mutex> lock(mutex); Tensor scratch;
    if (a.context->allocate_temp(DT_FLOAT, TensorShape({4}), &scratch).ok()) kept.push_back(scratch);, std::mutex mutex;
    std::list<Tensor> kept;)

// ---- lifetime
struct LeaksObjectFault {
  explicit LeaksObjectFault(OpKernelConstruction*) : table(new float[100]{1}) {}
  void Run(const Arrays& a) const {
    sink = table[0];
    a.AddOne();
  }
  float* table;
};
ZOO_OP(LeaksObject).SetShapeFn(UnchangedShape);
ZOO_KERNEL(LeaksObject);

// ---- gradient
FAULT(WrongGradient, for (int64 i = 0; i < a.n; ++i) a.y[i] = 2 * a.x[i];)
ZOO_OP(WrongGradient).SetShapeFn(UnchangedShape).Gradient("outputs: {x: grad.y}");
ZOO_KERNEL(WrongGradient);

// ---- Right, but its gradient needs another plugin.
FAULT(NeedsOtherPlugin, a.AddOne();)
ZOO_OP(NeedsOtherPlugin).SetShapeFn(UnchangedShape).Gradient(R"yaml(
nodes: {dx: {op: OpOfAnotherPlugin, in: grad.y}}
outputs: {x: dx}
)yaml");
ZOO_KERNEL(NeedsOtherPlugin);

}  // namespace
}  // namespace opsrun

// tests/host/run/lane_test.cc: what a run does with memory, whatever kernels do.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host/resources/resources.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/int_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {
namespace {

// The elements that are not zero: a shape that only the run knows.
int32_t NonZero(void*, opsrun_call* call) {
  std::vector<int32_t> kept;
  for (int64_t i = 0; i < Count(call->in[0]); ++i) {
    if (Ints(call->in[0])[i] != 0) kept.push_back(Ints(call->in[0])[i]);
  }
  const auto n = static_cast<int64_t>(kept.size());
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  if (n > 0) std::memcpy(out->data, kept.data(), kept.size() * sizeof(int32_t));
  return OPSRUN_OK;
}

int32_t PassOn(void*, opsrun_call* call) {
  return call->host->set_output(call, 0, call->in[0]);
}
int32_t Forget(void*, opsrun_call*) {
  return OPSRUN_OK;
}
int32_t Refuse(void*, opsrun_call* call) {
  return call->host->fail(call, OPSRUN_OUT_OF_RANGE, C("7 is too much"), C("input:x"));
}
int32_t RefuseWithoutReason(void*, opsrun_call*) {
  return OPSRUN_ABORTED;
}
int32_t ClaimSuccessAfterFailing(void*, opsrun_call* call) {
  call->host->fail(call, OPSRUN_INTERNAL, C("broken"), C(""));
  return OPSRUN_OK;
}
int32_t AllocateTwice(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = 1;
  call->host->allocate_output(call, 0, 1, &n, &out);
  return call->host->allocate_output(call, 0, 1, &n, &out);
}
int32_t AllocateAnotherShape(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t dims[] = {2, 3};
  return call->host->allocate_output(call, 0, 2, dims, &out);
}
int32_t AllocateWithoutSizes(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  return call->host->allocate_output(call, 0, 1, nullptr, &out);
}
// In place if the host lets it, else a copy; remembers which.
int forwarded = 0;
int32_t IncrementAndCount(void*, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->forward_input(call, 0, 0, in->rank, in->shape, &out)) return code;
  forwarded += out != nullptr;
  if (out == nullptr) return AddOne(nullptr, call);
  for (int64_t i = 0; i < Count(in); ++i) Ints(out)[i] += 1;
  return OPSRUN_OK;
}
// Keeps its input of the first call and gives it out in all later ones.
const opsrun_tensor* kept = nullptr;
int32_t KeepFirst(void*, opsrun_call* call) {
  if (kept == nullptr) {
    if (int32_t code = call->in[0]->host->retain(call->in[0], &kept)) return code;
  }
  return call->host->set_output(call, 0, kept);
}
// Through a temporary of its own.
int32_t ThroughTemp(void*, opsrun_call* call) {
  const opsrun_tensor* temp = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, in->rank, in->shape, 0, &temp)) return code;
  for (int64_t i = 0; i < Count(in); ++i) Ints(temp)[i] = 10 * Ints(in)[i];
  const int32_t code = call->host->set_output(call, 0, temp);
  temp->host->release(temp);
  return code;
}

// Fails the first time.
int failing_calls = 0;
int32_t FailOnce(void*, opsrun_call* call) {
  if (failing_calls++ == 0) return OPSRUN_ABORTED;
  return AddOne(nullptr, call);
}
// Writes every element twice: a long text, then a short one.
int32_t Rewrite(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  const std::string text(1000, 'x');
  for (const size_t size : {text.size(), size_t{10}}) {
    for (int64_t i = 0; i < Count(in); ++i) {
      if (int32_t code = call->host->string_assign(out, static_cast<uint64_t>(i), text.data(), size)) return code;
    }
  }
  return OPSRUN_OK;
}

// Asks for its input's block: for twice as many elements, or as another type of as many bytes.
int32_t ForwardTwiceAsMany(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = 2 * Count(call->in[0]);
  if (int32_t code = call->host->forward_input(call, 0, 0, 1, &n, &out)) return code;
  forwarded += out != nullptr;
  return out != nullptr ? OPSRUN_OK : call->host->allocate_output(call, 0, 1, &n, &out);
}
int32_t ForwardAsFloat(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->forward_input(call, 0, 0, in->rank, in->shape, &out)) return code;
  forwarded += out != nullptr;
  return out != nullptr ? OPSRUN_OK : call->host->allocate_output(call, 0, in->rank, in->shape, &out);
}
// Allocates its output, then sets it to a temporary, of one dimension more if `grown`.
template <bool grown>
int32_t SetToTemp(void*, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  const int64_t dims[] = {1, Count(in)};
  const opsrun_tensor* temp = nullptr;
  const int32_t rank = grown ? 2 : 1;
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, rank, grown ? dims : dims + 1, 0, &temp))
    return code;
  for (int64_t i = 0; i < Count(in); ++i) Ints(temp)[i] = -Ints(in)[i];
  const int32_t code = call->host->set_output(call, 0, temp);
  temp->host->release(temp);
  return code;
}
// Asks for 4 GiB, and the next time for nothing at all.
int huge_calls = 0;
int32_t HugeThenNothing(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = int64_t{1} << 30;
  return huge_calls++ == 0 ? call->host->allocate_output(call, 0, 1, &n, &out) : OPSRUN_OK;
}
// [2, n]; the sum of its strides comes with the next op.
int32_t TwoRows(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t dims[] = {2, Count(call->in[0])};
  return call->host->allocate_output(call, 0, 2, dims, &out);
}
int32_t Strides(void*, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = nullptr;
  const int64_t n = in->rank;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  for (int64_t i = 0; i < n; ++i) Ints(out)[i] = static_cast<int32_t>(in->strides[i]);
  return OPSRUN_OK;
}
int32_t SetToItself(void*, opsrun_call* call) {
  if (int32_t code = AddOne(nullptr, call)) return code;
  return call->host->set_output(call, 0, call->out[0]);
}
// Only what is there can be kept.
int32_t KeepWhatIsNotMade(void*, opsrun_call* call) {
  const opsrun_tensor* none = nullptr;
  const int32_t code = call->host->retain(call->out[0], &none);
  return code == OPSRUN_FAILED_PRECONDITION ? AddOne(nullptr, call) : OPSRUN_INTERNAL;
}
// A tensor of another host, with one resource of it.
struct OtherHost {
  OtherHost() {
    table.resource_retain = [](const opsrun_resource* r) -> int32_t {
      ++static_cast<OtherHost*>(r->obj)->retained;
      return OPSRUN_OK;
    };
    table.resource_release = [](const opsrun_resource* r) -> int32_t {
      ++static_cast<OtherHost*>(r->obj)->released;
      return OPSRUN_OK;
    };
    resource.host = &table;
    resource.obj = this;
    tensor.host = &table;
    tensor.flags = 1u << 17;  // whatever that means there
    tensor.rank = 1;
    tensor.shape = one;
    tensor.strides = one;
    tensor.dtype = OPSRUN_DT_RESOURCE;
    tensor.data = elements;
  }
  int retained = 0, released = 0;
  opsrun_host table{};
  opsrun_resource resource{};
  const opsrun_resource* elements[1] = {&resource};
  int64_t one[1] = {1};
  opsrun_tensor tensor{};
};
OtherHost* other_host = nullptr;
int32_t SetToOthers(void*, opsrun_call* call) {
  return call->host->set_output(call, 0, &other_host->tensor);
}
// The first reason counts.
int32_t RefuseTwice(void*, opsrun_create* create, void**) {
  create->host->fail(create, OPSRUN_INVALID_ARGUMENT, C("first"), C("attr:level"));
  return create->host->fail(create, OPSRUN_INTERNAL, C("second"), C(""));
}
int32_t AllocateOneMore(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = Count(call->in[0]) + 1;
  return call->host->allocate_output(call, 0, 1, &n, &out);
}
int32_t AllocateNegative(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t dims[] = {0, -1};
  return call->host->allocate_output(call, 0, 2, dims, &out);
}
// All but the last of its outputs.
int32_t ForgetTheLast(void*, opsrun_call* call) {
  for (uint32_t i = 0; i + 1 < call->n_out; ++i) {
    opsrun_tensor* out = nullptr;
    const opsrun_tensor* in = call->in[0];
    if (int32_t code = call->host->allocate_output(call, i, in->rank, in->shape, &out)) return code;
  }
  return OPSRUN_OK;
}
// A temporary lives as long as one of its references.
int32_t KeepATemp(void*, opsrun_call* call) {
  const opsrun_tensor *temp = nullptr, *same = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, in->rank, in->shape, 0, &temp)) return code;
  if (int32_t code = temp->host->retain(temp, &same)) return code;
  call->host->release(temp);
  if (same->rank != in->rank || same->host != call->host) return OPSRUN_INTERNAL;
  for (int64_t i = 0; i < Count(same); ++i) Ints(same)[i] = 5;
  const int32_t code = call->host->set_output(call, 0, same);
  call->host->release(same);
  return code;
}
// Writes past the end of its strings.
int32_t WritePastTheEnd(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  const auto end = static_cast<uint64_t>(Count(in));
  const bool refused = call->host->string_assign(out, end, "x", 1) == OPSRUN_INVALID_ARGUMENT &&
                       call->host->string_swap(out, 0, end) == OPSRUN_INVALID_ARGUMENT &&
                       call->host->string_swap(out, end, 0) == OPSRUN_INVALID_ARGUMENT &&
                       call->host->string_swap(out, 0, end - 1) == OPSRUN_OK;
  return refused ? OPSRUN_OK : OPSRUN_INTERNAL;
}
// What the host refuses counts less than what the function says, and a failure is one whatever its code.
int32_t RefuseShape(void*, opsrun_shape_call* call) {
  call->host->set_output_shape(call, 9, call->in[0]);
  return call->host->fail(call, OPSRUN_OK, C("no"), C("input:x"));
}
int32_t IsAligned(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = 1;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  Ints(out)[0] = (call->in[0]->flags & OPSRUN_TENSOR_ALIGNED64) != 0;
  return OPSRUN_OK;
}
// As somebody who wants the run to end while this kernel works.
StopSignal* to_stop = nullptr;
int32_t StopHere(void*, opsrun_call* call) {
  to_stop->Stop();
  return AddOne(nullptr, call);
}
// Misuses the slot that its name says, on a temporary of two strings, and fails with the slot's answer.
template <int32_t (*kMisuse)(opsrun_call*, const opsrun_tensor*)>
int32_t Misuse(void*, opsrun_call* call) {
  const opsrun_tensor* strings = nullptr;
  const int64_t n = 2;
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_STRING, 1, &n, 0, &strings)) return code;
  const int32_t code = kMisuse(call, strings);
  strings->host->release(strings);
  return code;
}
int32_t AssignBehind(opsrun_call*, const opsrun_tensor* t) {
  return t->host->string_assign(t, 2, "a", 1);
}
int32_t AssignAll(opsrun_call*, const opsrun_tensor* t) {
  return t->host->string_assign(t, 0, "a", UINT64_MAX);
}
int32_t AssignFromNull(opsrun_call*, const opsrun_tensor* t) {
  return t->host->string_assign(t, 0, nullptr, 1);
}
int32_t AssignToNumbers(opsrun_call* call, const opsrun_tensor*) {
  return call->host->string_assign(call->in[0], 0, "a", 1);
}
int32_t SwapBehind(opsrun_call*, const opsrun_tensor* t) {
  return t->host->string_swap(t, 0, 7);
}
int32_t DeleteWhatIsNotThere(opsrun_call* call, const opsrun_tensor*) {
  return call->host->resource_delete(call, C("box"), C("pear"), C("Fruit"));
}
// Goes on after a refusal, and then fails with another code.
int32_t FailLater(opsrun_call*, const opsrun_tensor* t) {
  t->host->string_swap(t, 0, 7);
  return OPSRUN_ABORTED;
}

class LaneTest : public ::testing::Test {
 protected:
  LaneTest() {
    const std::vector<std::string> x = {"x: int32"};
    const std::vector<std::string> y = {"y: int32"};
    ops_.Add({.name = "AddOne", .inputs = x, .outputs = y}, SameShape, AddOne);
    ops_.Add({.name = "LateAddOne", .inputs = x, .outputs = y}, nullptr, AddOne);
    ops_.Add({.name = "NonZero", .inputs = x, .outputs = y}, nullptr, NonZero);
    ops_.Add({.name = "PassOn", .inputs = x, .outputs = y}, SameShape, PassOn);
    ops_.Add({.name = "LatePassOn", .inputs = x, .outputs = y}, nullptr, PassOn);
    ops_.Add({.name = "Forget", .inputs = x, .outputs = y}, nullptr, Forget);
    ops_.Add({.name = "Refuse", .inputs = x, .outputs = y}, nullptr, Refuse);
    ops_.Add({.name = "NoReason", .inputs = x, .outputs = y}, nullptr, RefuseWithoutReason);
    ops_.Add({.name = "Claim", .inputs = x, .outputs = y}, SameShape, ClaimSuccessAfterFailing);
    ops_.Add({.name = "Twice", .inputs = x, .outputs = y}, nullptr, AllocateTwice);
    ops_.Add({.name = "AnotherShape", .inputs = x, .outputs = y}, SameShape, AllocateAnotherShape);
    ops_.Add({.name = "WithoutSizes", .inputs = x, .outputs = y}, SameShape, AllocateWithoutSizes);
    ops_.Add({.name = "AssignBehind", .inputs = x, .outputs = y}, nullptr, Misuse<AssignBehind>);
    ops_.Add({.name = "AssignAll", .inputs = x, .outputs = y}, nullptr, Misuse<AssignAll>);
    ops_.Add({.name = "AssignFromNull", .inputs = x, .outputs = y}, nullptr, Misuse<AssignFromNull>);
    ops_.Add({.name = "AssignToNumbers", .inputs = x, .outputs = y}, nullptr, Misuse<AssignToNumbers>);
    ops_.Add({.name = "SwapBehind", .inputs = x, .outputs = y}, nullptr, Misuse<SwapBehind>);
    ops_.Add({.name = "Delete", .inputs = x, .outputs = y}, nullptr, Misuse<DeleteWhatIsNotThere>);
    ops_.Add({.name = "FailLater", .inputs = x, .outputs = y}, nullptr, Misuse<FailLater>);
    ops_.Add({.name = "Increment", .inputs = x, .outputs = y}, nullptr, IncrementAndCount);
    ops_.Add({.name = "KeepFirst", .inputs = x, .outputs = y}, nullptr, KeepFirst);
    ops_.Add({.name = "ThroughTemp", .inputs = x, .outputs = y}, nullptr, ThroughTemp);
    ops_.Add({.name = "FailOnce", .inputs = x, .outputs = y}, nullptr, FailOnce);
    ops_.Add({.name = "Rewrite", .inputs = x, .outputs = {"y: string"}}, SameShape, Rewrite);
    ops_.Add({.name = "TwiceAsMany", .inputs = x, .outputs = y}, nullptr, ForwardTwiceAsMany);
    ops_.Add({.name = "AsFloat", .inputs = x, .outputs = {"y: float"}}, nullptr, ForwardAsFloat);
    ops_.Add({.name = "SetToTemp", .inputs = x, .outputs = y}, nullptr, SetToTemp<false>);
    ops_.Add({.name = "SetToGrown", .inputs = x, .outputs = y}, SameShape, SetToTemp<true>);
    ops_.Add({.name = "Huge", .inputs = x, .outputs = y}, nullptr, HugeThenNothing);
    ops_.Add({.name = "TwoRows", .inputs = x, .outputs = y}, nullptr, TwoRows);
    ops_.Add({.name = "Strides", .inputs = x, .outputs = y}, nullptr, Strides);
    ops_.Add({.name = "SetToItself", .inputs = x, .outputs = y}, nullptr, SetToItself);
    ops_.Add({.name = "KeepWhatIsNotMade", .inputs = x, .outputs = y}, nullptr, KeepWhatIsNotMade);
    ops_.Add({.name = "SetToOthers", .inputs = x, .outputs = {"y: resource"}}, nullptr, SetToOthers);
    ops_.Add({.name = "RefuseTwice", .inputs = x, .outputs = y, .attrs = {"level: int"}}, SameShape, AddOne,
             RefuseTwice);
    ops_.Add({.name = "OneMore", .inputs = x, .outputs = y}, SameShape, AllocateOneMore);
    ops_.Add({.name = "Negative", .inputs = x, .outputs = y}, nullptr, AllocateNegative);
    ops_.Add({.name = "ForgetTheLast", .inputs = x, .outputs = {"y: int32", "ys: N * int32"}, .attrs = {"N: int = 2"}},
             nullptr, ForgetTheLast);
    ops_.Add({.name = "KeepATemp", .inputs = x, .outputs = y}, nullptr, KeepATemp);
    ops_.Add({.name = "WritePastTheEnd", .inputs = x, .outputs = {"y: string"}}, SameShape, WritePastTheEnd);
    ops_.Add({.name = "RefuseShape", .inputs = x, .outputs = y}, RefuseShape, AddOne);
    ops_.Add({.name = "IsAligned", .inputs = x, .outputs = y}, nullptr, IsAligned);
    ops_.Add({.name = "StopHere", .inputs = x, .outputs = y}, SameShape, StopHere);
    forwarded = 0;
    huge_calls = 0;
    failing_calls = 0;
    kept = nullptr;
  }
  ~LaneTest() override {
    if (kept != nullptr) kept->host->release(kept);
  }

  // A lane for a graph with the declared feed `d` of any length and the constant x = [1, 2, 3].
  void Make(const std::string& nodes, const std::string& output) {
    plan_ = ops_.Make("feeds:\n  x: {value: [1, 2, 3], dtype: int32}\n  d: {dtype: int32, shape: [-1]}\nnodes:\n" +
                          nodes + "outputs: [" + output + "]\n",
                      HostTable());
    ASSERT_NE(plan_, nullptr) << ops_.Found();
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, {device_.get(), HostTable()});
    ASSERT_TRUE(lane.ok());
    lane_ = *std::move(lane);
    Feed({0});
  }
  void Feed(const std::vector<int32_t>& values) {
    Result<Tensor> tensor = Tensor::Create(DType::kInt32, {static_cast<int64_t>(values.size())});
    std::memcpy(tensor->mutable_data(), values.data(), values.size() * sizeof(int32_t));
    ASSERT_TRUE(lane_->SetFeed("d", *tensor).ok());
  }
  std::vector<int32_t> Output() {
    EXPECT_FALSE(lane_->Run().has_value());
    const Result<Tensor> tensor = lane_->Output(0);
    const auto* data = static_cast<const int32_t*>(tensor->data());
    return {data, data + tensor->num_elements()};
  }
  // Makes a lane with a device of that much memory, runs it three times and drops it: then all must be back.
  void ExpectAllComesBack(const std::string& nodes, const std::string& output) {
    constexpr size_t kLimit = 1 << 20;
    lane_.reset();
    device_ = LimitMemory(OpenCpuDevice(), kLimit);
    Make(nodes, output);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Failure(), "none") << nodes;
    lane_.reset();
    void* const all = device_->Allocate(kLimit);
    EXPECT_NE(all, nullptr) << nodes;
    device_->Free(all);
    EXPECT_EQ(device_->Allocate(kLimit + 1), nullptr) << nodes << "more came back than was given out";
  }
  // "CODE: sentence", for what no golden has.
  std::string Said() {
    const std::optional<RunFailure> failure = lane_->Run();
    return failure ? CodeName(failure->status.code()) + ": " + failure->status.message() : "none";
  }
  // The code, and the place within the node: "INTERNAL output:y".
  std::string Failure() {
    const std::optional<RunFailure> failure = lane_->Run();
    if (!failure) return "none";
    const std::string& subject = failure->status.subject();
    return CodeName(failure->status.code()) + (subject.empty() ? "" : " " + subject);
  }

  std::unique_ptr<Device> device_ = OpenCpuDevice();
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
};

using Values = std::vector<int32_t>;

TEST_F(LaneTest, RunsAChainOfPlannedSteps) {
  Make("  a: {op: AddOne, in: x}\n  b: {op: AddOne, in: a}\n  c: {op: AddOne, in: b}\n", "c");
  EXPECT_EQ(Output(), (Values{4, 5, 6}));
  EXPECT_EQ(Output(), (Values{4, 5, 6}));
}

TEST_F(LaneTest, ShapesFollowTheRun) {
  Make("  a: {op: NonZero, in: d}\n  b: {op: AddOne, in: a}\n", "b");
  for (const Values& fed : {Values{0, 5, 0}, Values{1, 2, 3, 4}, Values{0}}) {
    Feed(fed);
    Values expected;
    for (int32_t v : fed) {
      if (v != 0) expected.push_back(v + 1);
    }
    EXPECT_EQ(Output(), expected);
  }
}

TEST_F(LaneTest, LateOutputsReuseTheirMemory) {
  std::string nodes = "  n0: {op: LateAddOne, in: x}\n";
  for (int i = 1; i < 50; ++i)
    nodes += "  n" + std::to_string(i) + ": {op: LateAddOne, in: n" + std::to_string(i - 1) + "}\n";
  Make(nodes, "n49");
  const size_t before = lane_->MemoryBytes();
  EXPECT_EQ(Output(), (Values{51, 52, 53}));
  const size_t bytes = lane_->MemoryBytes();
  EXPECT_GT(bytes, before);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Output(), (Values{51, 52, 53}));
  EXPECT_EQ(lane_->MemoryBytes(), bytes);
}

TEST_F(LaneTest, AnInputHandedOnAsOutputIsCopiedWherePlannedAndSharedWhereNot) {
  Make(
      "  a: {op: LateAddOne, in: x}\n  b: {op: LatePassOn, in: a}\n  c: {op: PassOn, in: x}\n  d1: {op: LatePassOn, "
      "in: c}\n  e: {op: AddOne, in: b}\n",
      "e");
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
}

TEST_F(LaneTest, ForwardsABufferThatNobodyElseReads) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: Increment, in: a}\n", "b");
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(forwarded, 2);
}

TEST_F(LaneTest, ForwardsNeitherASharedBufferNorAResultNorAFeed) {
  Make(
      "  a: {op: LateAddOne, in: x}\n  p: {op: LatePassOn, in: a}\n  b: {op: Increment, in: p, after: c}\n  c: {op: "
      "LatePassOn, in: a}\n  e: {op: Increment, in: d}\n",
      "c");
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(forwarded, 0);
}

TEST_F(LaneTest, ForwardsNoBlockOfAnotherSizeOrType) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: TwiceAsMany, in: a}\n", "b");
  EXPECT_EQ(Output().size(), 6u);
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: AsFloat, in: a}\n", "b");
  EXPECT_EQ(Failure(), "none");
  EXPECT_EQ(forwarded, 0);
}

TEST_F(LaneTest, AnOutputIsWhatItWasSetToLast) {
  Make("  a: {op: SetToTemp, in: x}\n", "a");
  EXPECT_EQ(Output(), (Values{-1, -2, -3}));
  Make("  a: {op: SetToGrown, in: d}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

TEST_F(LaneTest, AnOutputMayBeSetToItself) {
  Make("  a: {op: SetToItself, in: x}\n", "a");
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
}

TEST_F(LaneTest, OnlyWhatIsMadeCanBeKept) {
  Make("  a: {op: KeepWhatIsNotMade, in: x}\n", "a");
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
}

TEST_F(LaneTest, ResourcesOfAnotherHostAreCounted) {
  OtherHost other;
  other_host = &other;
  Make("  a: {op: SetToOthers, in: x}\n  b: {op: AddOne, in: x, after: a}\n", "b");
  for (int run = 1; run <= 3; ++run) {
    EXPECT_EQ(Failure(), "none");
    EXPECT_EQ(other.retained, run);
    EXPECT_EQ(other.released, run);
  }
}

TEST_F(LaneTest, TheFirstReasonWhyAKernelCannotBeMadeCounts) {
  const Plan* plan = ops_.Make(
      "feeds: {x: {value: [1], dtype: int32}}\nnodes:\n  a: {op: RefuseTwice, in: x, attrs: {level: 3}}\noutputs: "
      "[a]\n",
      HostTable());
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(ops_.Places(), "G216 4:46\n");
}

TEST_F(LaneTest, OutputsOfWrongSizesAreRefused) {
  Make("  a: {op: OneMore, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
  Make("  a: {op: Negative, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

TEST_F(LaneTest, AnOutputOfAListIsNamedByItsPlace) {
  Make("  a: {op: ForgetTheLast, in: x}\n", "a.y");
  EXPECT_EQ(Failure(), "INTERNAL output:ys.1");
}

TEST_F(LaneTest, AResultIsNotForwarded) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: Increment, in: a}\n", "a, b");
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(forwarded, 0);
}

TEST_F(LaneTest, ATemporaryIsCounted) {
  Make("  a: {op: KeepATemp, in: x}\n", "a");
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Output(), (Values{5, 5, 5}));
}

TEST_F(LaneTest, StringsEndWhereTheyEnd) {
  Make("  a: {op: WritePastTheEnd, in: x}\n", "a");
  EXPECT_EQ(Failure(), "none");
}

TEST_F(LaneTest, AShapeFunctionThatRefusesSaysWhere) {
  const Plan* plan = ops_.Make(
      "feeds: {x: {value: [1], dtype: int32}}\nnodes:\n  a: {op: RefuseShape, in: x}\noutputs: [a]\n", HostTable());
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(ops_.Places(), "G217 4:28\n");
}

TEST_F(LaneTest, LateTensorsAreDense) {
  Make(
      "  a: {op: TwoRows, in: x}\n  b: {op: TwoRows, in: x, after: f}\n  f: {op: NonZero, in: a}\n"
      "  g: {op: Strides, in: b}\n",
      "g");
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Output(), (Values{3, 1}));
}

TEST_F(LaneTest, WhatAFailedAllocationLeftIsForgotten) {
  device_ = LimitMemory(OpenCpuDevice(), 1 << 20);
  Make("  a: {op: Huge, in: x}\n", "a");
  EXPECT_EQ(Failure(), "RESOURCE_EXHAUSTED output:y");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
}

TEST_F(LaneTest, AnOutputIsBoundUntilItIsUnbound) {
  Make("  a: {op: AddOne, in: x}\n", "a");
  alignas(64) int32_t mine[3] = {};
  ASSERT_TRUE(lane_->BindOutput(0, mine));
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(mine[2], 4);
  mine[2] = 0;
  ASSERT_TRUE(lane_->BindOutput(0, nullptr));
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(mine[2], 0);
}

TEST_F(LaneTest, AFeedIsCalledAlignedIfItIs) {
  Make("  a: {op: IsAligned, in: d}\n", "a");
  alignas(64) int32_t mine[3] = {};
  const int64_t n = 2;
  lane_->BindFeed(0, DType::kInt32, 1, &n, mine);
  EXPECT_EQ(Output(), Values{1});
  lane_->BindFeed(0, DType::kInt32, 1, &n, mine + 1);
  EXPECT_EQ(Output(), Values{0});
}

TEST_F(LaneTest, AStoppedRunNamesTheNodeThatRanLast) {
  Make("  a: {op: AddOne, in: x}\n  b: {op: StopHere, in: a}\n  c: {op: AddOne, in: b}\n", "c");
  StopSignal stop;
  to_stop = &stop;
  lane_->SetStop(&stop);
  const std::optional<RunFailure> failure = lane_->Run();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->status.code(), OPSRUN_CANCELLED);
  EXPECT_EQ(failure->step, 1u);
  lane_->SetStop(nullptr);
  EXPECT_EQ(Output(), (Values{4, 5, 6}));
}

TEST_F(LaneTest, AStepThatDidNotRunHasNoTime) {
  Make("  a: {op: FailOnce, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  std::vector<StepTime> times(2, StepTime{7, 8, 9});
  EXPECT_TRUE(lane_->RunTimed(times).has_value());
  EXPECT_NE(times[0].begin, 0);
  EXPECT_EQ(times[1].begin, 0);
}

TEST_F(LaneTest, WhatAKernelKeepsStaysAsItWas) {
  Make("  a: {op: NonZero, in: d}\n  b: {op: KeepFirst, in: a}\n", "b");
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{1, 2}));
  Feed({7, 8, 9});
  EXPECT_EQ(Output(), (Values{1, 2}));
}

TEST_F(LaneTest, KeepingPlannedMemoryCopiesIt) {
  Make("  b: {op: KeepFirst, in: d}\n", "b");
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{1, 2}));
  Feed({7, 8});
  EXPECT_EQ(Output(), (Values{1, 2}));
}

TEST_F(LaneTest, ATemporaryBecomesAnOutput) {
  Make("  a: {op: ThroughTemp, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  EXPECT_EQ(Output(), (Values{11, 21, 31}));
  const size_t bytes = lane_->MemoryBytes();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Output(), (Values{11, 21, 31}));
  EXPECT_EQ(lane_->MemoryBytes(), bytes);
}

TEST_F(LaneTest, ManyTemporariesNeedNoMoreMemoryThanOne) {
  device_ = LimitMemory(OpenCpuDevice(), 1 << 16);
  Make("  a: {op: ThroughTemp, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(Failure(), "none");
}

TEST_F(LaneTest, TellsWhoFailedAndRunsAgain) {
  Make("  a: {op: NonZero, in: d}\n  b: {op: Twice, in: a}\n", "b");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
}

TEST_F(LaneTest, ARunAfterAFailureBeginsAnew) {
  Make("  a: {op: LateAddOne, in: d}\n  b: {op: FailOnce, in: a}\n  c: {op: AddOne, in: b}\n", "c");
  EXPECT_NE(Failure(), "none");
  Feed({4, 5});
  EXPECT_EQ(Output(), (Values{7, 8}));
}

TEST_F(LaneTest, MemoryComesBackFromOutputsTemporariesAndStrings) {
  ExpectAllComesBack("  a: {op: LateAddOne, in: x}\n  b: {op: NonZero, in: a}\n", "b");
  ExpectAllComesBack("  a: {op: ThroughTemp, in: x}\n  b: {op: LatePassOn, in: a}\n", "b");
  ExpectAllComesBack("  a: {op: SetToTemp, in: x}\n", "a");
  ExpectAllComesBack("  a: {op: Rewrite, in: x}\n", "a");
  ExpectAllComesBack("  a: {op: Rewrite, in: x}\n  b: {op: AddOne, in: x, after: a}\n", "b");
}

TEST_F(LaneTest, TellsWhatTheKernelSaid) {
  Make("  a: {op: Refuse, in: x}\n", "a");
  EXPECT_EQ(Failure(), "OUT_OF_RANGE input:x");
  const Diagnostic told = DescribeFailure(*plan_, *lane_->Run());
  EXPECT_EQ(told.code.text(), "R401");
  EXPECT_EQ(told.where.begin.column, 23u);
}

TEST_F(LaneTest, AFailureWithoutAReasonIsNamed) {
  Make("  a: {op: NoReason, in: x}\n", "a");
  EXPECT_EQ(Failure(), "ABORTED");
}

TEST_F(LaneTest, TellsWhatTheHostRefusedLast) {
  const auto said = [&](const char* op) {
    Make(std::string("  a: {op: ") + op + ", in: x}\n", "a");
    const std::string failure = Said();
    const size_t at = failure.find("refused ");
    return at == std::string::npos ? failure : failure.substr(at);
  };
  EXPECT_EQ(said("AssignBehind"), "refused string_assign: element 2 of a tensor with 2");
  EXPECT_EQ(said("AssignAll"), "refused string_assign: no memory for 18446744073709551615 bytes");
  EXPECT_EQ(said("AssignFromNull"), "refused string_assign: 1 bytes at a null pointer");
  EXPECT_EQ(said("AssignToNumbers"),
            "refused string_assign: the tensor is read-only: it is not memory that this plugin allocated");
  EXPECT_EQ(said("SwapBehind"), "refused string_swap: element 7 of a tensor with 2");
  EXPECT_EQ(said("FailLater"), "ABORTED: the kernel failed with ABORTED and no reason");
}

TEST_F(LaneTest, NamesAnObjectThatIsNotThere) {
  Make("  a: {op: Delete, in: x}\n", "a");
  Resources resources;
  lane_ = *Lane::Create(*plan_, {device_.get(), HostTable(), nullptr, nullptr, &resources});
  EXPECT_EQ(
      Said(),
      "NOT_FOUND: the kernel failed with NOT_FOUND and no reason; the host last refused resource_delete: there is "
      "no object 'pear' in container 'box'");
  lane_ = nullptr;  // before what it uses
}

TEST_F(LaneTest, ARecordedFailureCountsWhateverTheKernelReturns) {
  Make("  a: {op: Claim, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INTERNAL");
}

TEST_F(LaneTest, AForgottenOutputIsNamed) {
  Make("  a: {op: Forget, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
}

TEST_F(LaneTest, AKernelThatContradictsItsShapeFunctionIsNamedWithBothShapes) {
  Make("  a: {op: AnotherShape, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

// Also where a block of a node before is at hand.
TEST_F(LaneTest, AShapeThatIsKnownInPartIsComparedToo) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: NonZero, in: a}\n  c: {op: AnotherShape, in: d, after: b}\n", "c");
  const std::optional<RunFailure> failure = lane_->Run();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(failure->status.subject(), "output:y");
  EXPECT_EQ(failure->step, 2u);
}

TEST_F(LaneTest, AShapeWithoutSizesIsRefused) {
  Make("  a: {op: WithoutSizes, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

TEST_F(LaneTest, AFeedThatDoesNotFitIsRefused) {
  Make("  a: {op: AddOne, in: d}\n", "a");
  const Status status = lane_->SetFeed("d", *Tensor::Create(DType::kFloat32, {2}));
  EXPECT_EQ(status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("d", *Tensor::Create(DType::kInt32, {2, 2})).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("x", *Tensor::Create(DType::kInt32, {3})).code(), OPSRUN_NOT_FOUND);
}

TEST_F(LaneTest, TwoLanesOfOnePlanDoNotMeet) {
  Make("  a: {op: NonZero, in: d}\n", "a");
  Result<std::unique_ptr<Lane>> other = Lane::Create(*plan_, {device_.get(), HostTable()});
  Result<Tensor> tensor = Tensor::Create(DType::kInt32, {1});
  static_cast<int32_t*>(tensor->mutable_data())[0] = 42;
  ASSERT_TRUE((*other)->SetFeed("d", *tensor).ok());
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{1, 2}));
  ASSERT_FALSE((*other)->Run().has_value());
  EXPECT_EQ((*other)->Output(0)->shape(), Shape{1});
  EXPECT_EQ(lane_->Output(0)->shape(), Shape{2});
}

}  // namespace
}  // namespace opsrun::host

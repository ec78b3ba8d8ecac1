// tests/host/run/keep_going_test.cc: lanes that keep going after a failure: what runs, what is there, what is released.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/host/run/device_kernels.h"
#include "tests/host/run/fake_device.h"
#include "tests/host/run/reference_ops.h"
#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

int32_t Refuse(void*, opsrun_call* call) {
  return call->host->fail(call->host, call, OPSRUN_ABORTED, C("no"), C(""));
}
int32_t RefuseLate(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int32_t code = AllocateLikeInput(call, &out);
  return code != OPSRUN_OK ? code : Refuse(nullptr, call);
}
int32_t Throw(void*, opsrun_call*) {
  throw std::runtime_error("thrown");
}
// y = max(a, b) + 1
int32_t Top(void*, opsrun_call* call) {
  Row top = RowOf(call->in[0]);
  for (size_t i = 0; i < top.size(); ++i) top[i] = std::max(top[i], Ints(call->in[1])[i]) + 1;
  return Put(call, 0, top);
}

class KeepGoingTest : public RunTest {
 protected:
  KeepGoingTest() {
    ops_.keep_going = options_.keep_going = true;
    Add("Fail", SameShape, Refuse);
    Add("LateFail", nullptr, RefuseLate);
    Add("Throw", SameShape, Throw);
    Add("MakeNothing", nullptr, ComputeNothing);
    for (const auto& [name, compute] : std::map<std::string, ComputeFn>{{"Top", Top}, {"FailTop", RefuseLate}}) {
      const std::vector<std::string> inputs = {"a: int32", "b: int32"}, outputs = {"y: int32"};
      ops_.Add({.name = name, .inputs = inputs, .outputs = outputs}, SameShape, compute);
      ops_.Add({.name = "Late" + name, .inputs = inputs, .outputs = outputs}, nullptr, compute);
    }
  }

  // Of the next run, the nodes that failed, in the order of their steps: "a b"; empty if none.
  std::string Failed() {
    const std::optional<RunFailure> failure = lane_->Run();
    if (!failure) return "";
    std::map<uint32_t, std::string_view> names = {{failure->step, NameOf(failure->step)}};
    for (const RunFailure& each : failure->more) names.emplace(each.step, NameOf(each.step));
    EXPECT_EQ(names.size(), failure->more.size() + 1) << "a node failed twice";
    return JoinNames(names);
  }
  // The outputs that are there after the last run: "b c".
  std::string There() const {
    std::map<size_t, std::string_view> names;
    for (size_t i = 0; i < plan_->outputs.size(); ++i) {
      if (lane_->HasOutput(i)) names[i] = plan_->outputs[i].output->name.value;
    }
    return JoinNames(names);
  }
  std::string_view NameOf(uint32_t step) const { return plan_->NodeName(plan_->steps[step]); }

 private:
  template <typename Names>
  static std::string JoinNames(const Names& names) {
    std::string text;
    for (const auto& [number, name] : names) text += (text.empty() ? "" : " ") + std::string(name);
    return text;
  }
};

TEST_F(KeepGoingTest, RunsWhatDoesNotDependOnAFailure) {
  for (int threads : {1, 2}) {
    Make(
        "  a: {op: Fail, in: x}\n  b: {op: AddOne, in: a}\n  c: {op: AddOne, in: b}\n"
        "  e: {op: AddOne, in: x}\n  f: {op: LateAddOne, in: e}\n",
        "c, f, e", threads);
    EXPECT_EQ(Failed(), "a");
    EXPECT_EQ(There(), "f e");
    EXPECT_EQ(ValuesOf(lane_->Output(1)), (Row{3, 4, 5}));
    EXPECT_EQ(ValuesOf(lane_->Output(2)), (Row{2, 3, 4}));
  }
}

TEST_F(KeepGoingTest, AllFailuresAreKnown) {
  for (int threads : {1, 2}) {
    Make(
        "  a: {op: Fail, in: x}\n  b: {op: LateFail, in: a}\n  c: {op: LateFail, in: x}\n  e: {op: Throw, in: x}\n"
        "  f: {op: MakeNothing, in: x}\n  g: {op: AddOne, in: x}\n",
        "b, g", threads);
    EXPECT_EQ(Failed(), "a c e f");
    EXPECT_EQ(There(), "g");
  }
}

TEST_F(KeepGoingTest, WhatComesAfterAFailureIsSkipped) {
  Make(
      "  a: {op: Fail, in: x}\n  b: {op: AddOne, in: x, after: a}\n  c: {op: AddOne, in: x, after: b}\n"
      "  e: {op: AddOne, in: x}\n",
      "b, c, e");
  EXPECT_EQ(Failed(), "a");
  EXPECT_EQ(There(), "e");
}

TEST_F(KeepGoingTest, FeedsAreThere) {
  Make("  a: {op: Fail, in: x}\n", "x, a");
  EXPECT_EQ(Failed(), "a");
  EXPECT_EQ(There(), "x");
}

TEST_F(KeepGoingTest, TheLaneRunsAgain) {
  for (int threads : {1, 2}) {
    int32_t code = OPSRUN_ABORTED;
    to_do = [&](opsrun_call* call) { return AddOne(nullptr, call) == OPSRUN_OK ? code : OPSRUN_INTERNAL; };
    Make(
        "  a: {op: LateDo, in: d}\n  b: {op: LateAddOne, in: a}\n  c: {op: LateTop, in: [a, b]}\n"
        "  e: {op: LateAddOne, in: d}\n",
        "c, e", threads);
    for (int i = 0; i < 3; ++i) {
      code = OPSRUN_ABORTED;
      EXPECT_EQ(Failed(), "a");
      EXPECT_EQ(There(), "e");
      EXPECT_EQ(ValuesOf(lane_->Output(1)), (Row{1}));
      code = OPSRUN_OK;
      EXPECT_EQ(Failed(), "");
      EXPECT_EQ(There(), "c e");
      EXPECT_EQ(ValuesOf(lane_->Output(0)), (Row{3}));
    }
  }
}

// A reader that is skipped is a reader that has ended.
TEST_F(KeepGoingTest, SkippedReadersReleaseWhatTheyRead) {
  for (int threads : {1, 2}) {
    Make(
        "  big: {op: LateAddOne, in: x}\n  a: {op: Fail, in: x}\n  b: {op: LateTop, in: [big, a]}\n"
        "  c: {op: LateAddOne, in: big}\n",
        "b, c", threads);
    EXPECT_EQ(Failed(), "a");
    const size_t used = device_->used();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(Failed(), "a");
    EXPECT_EQ(device_->used(), used);
    EXPECT_EQ(ValuesOf(lane_->Output(1)), (Row{3, 4, 5}));
  }
}

TEST_F(KeepGoingTest, AStopEndsTheRunAndComesFirst) {
  for (int threads : {1, 2}) {
    to_do = [this](opsrun_call* call) {
      stop_->Stop();
      return AddOne(nullptr, call);
    };
    Make("  a: {op: Fail, in: x}\n  b: {op: Do, in: x, after: a}\n  c: {op: Do, in: x}\n  e: {op: AddOne, in: c}\n",
         "c, e", threads);
    const RunFailure failure = Failure();
    EXPECT_EQ(failure.status.code(), OPSRUN_CANCELLED);
    EXPECT_EQ(There(), "");
  }
}

TEST_F(KeepGoingTest, AFailureDoesNotCancelOthers) {
  int32_t cancelled = -1;
  to_do = [&](opsrun_call* call) {
    cancelled = call->host->cancelled(call);
    return AddOne(nullptr, call);
  };
  Make("  a: {op: Fail, in: x}\n  b: {op: Do, in: x}\n", "a, b");
  EXPECT_EQ(Failed(), "a");
  EXPECT_EQ(cancelled, 0);
}

TEST_F(KeepGoingTest, SkippedStepsTakeNoTime) {
  Make("  a: {op: Fail, in: x}\n  b: {op: AddOne, in: a}\n  c: {op: AddOne, in: x}\n", "b, c");
  RunTimes times;
  ASSERT_TRUE(lane_->RunTimed(times).has_value());
  for (uint32_t s = 0; s < plan_->steps.size(); ++s) EXPECT_EQ(times.steps[s].begin == 0, NameOf(s) == "b");
}

TEST_F(KeepGoingTest, MessagesNameWhatIsMissing) {
  Make(
      "  a: {op: Fail, in: x}\n  b: {op: AddOne, in: x, after: a}\n  c: {op: Fail, in: x}\n  e: {op: Fail, in: x}\n"
      "  f: {op: Top, in: [b, c]}\n",
      "a, f");
  const RunFailure failure = Failure();
  EXPECT_EQ(DescribeFailure(*plan_, failure).notes.back(), "2 other nodes failed, too: 'c', 'e'");
  std::vector<std::string> notes;
  for (const Diagnostic& d : DescribeFailures(*plan_, failure)) notes.push_back(d.notes.back());
  EXPECT_EQ(notes, (std::vector<std::string>{"2 results are missing because of it: 'a', 'f'",
                                             "1 result is missing because of it: 'f'", "no result depends on it"}));
}

TEST_F(KeepGoingTest, WithoutItNothingIsThere) {
  options_.keep_going = false;
  Make("  a: {op: AddOne, in: x}\n  b: {op: Fail, in: a}\n", "a, b");
  EXPECT_EQ(Failed(), "b");
  EXPECT_EQ(There(), "");
}

// Graphs over x in which one node in eight fails, with the values that must be there.
class RandomKeepGoingTest : public KeepGoingTest {
 protected:
  void MakeRandom(unsigned seed, int threads) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    const auto name = [](size_t value) { return value == 0 ? "x" : fmt::format("n{}", value); };
    std::string nodes, outputs = "x";
    values_ = {1};
    outputs_ = {0};
    const size_t count = 1 + below(40);
    for (size_t n = 1; n <= count; ++n) {
      const size_t a = below(n), b = below(n), after = below(4) == 0 ? below(n) : 0;
      const bool fails = below(8) == 0;
      nodes += fmt::format("  {}: {{op: {}{}, in: [{}, {}]{}}}\n", name(n), below(2) == 0 ? "Late" : "",
                           fails ? "FailTop" : "Top", name(a), name(b), after > 0 ? ", after: " + name(after) : "");
      const bool is_made = !fails && values_[a] && values_[b] && values_[after];
      values_.push_back(is_made ? std::optional(std::max(*values_[a], *values_[b]) + 1) : std::nullopt);
      if (below(3) != 0) continue;
      outputs += ", " + name(n);
      outputs_.push_back(n);
    }
    Make(nodes, outputs, threads);
  }
  void ExpectWhatMustBeThere() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const std::optional<int32_t>& value = values_[outputs_[i]];
      ASSERT_EQ(lane_->HasOutput(i), value.has_value()) << i;
      if (!value) continue;
      EXPECT_EQ(ValuesOf(lane_->Output(i)), (Row{*value, *value + 1, *value + 2}));
    }
  }

  std::vector<std::optional<int32_t>> values_;  // the first element of x and of each node; none: missing
  std::vector<size_t> outputs_;
};

TEST_F(RandomKeepGoingTest, WhatIsThereIsRight) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    MakeRandom(seed, 1 + static_cast<int>(seed % 4));
    for (int run = 0; run < 5 && !HasFatalFailure(); ++run) {
      (void)lane_->Run();
      ExpectWhatMustBeThere();
    }
  }
}

// What a device has made before it failed is unknown.
TEST(KeepGoingOnADevice, NothingIsThereAfterAnErrorThatComesLate) {
  FakeDevices gpus;
  Devices devices{OpenCpuDevice()};
  AddFakeGpus(devices, gpus, Schedule::kLazy);
  InProcessOps ops;
  ops.devices = &devices;
  ops.keep_going = true;
  ops.Add({.name = "Refuse", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, Refuse);
  ops.Add({.name = "AddOne", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, AddOne);
  ops.AddOp({.name = "FailWhenDone", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
  const auto fail_when_done = [](void*, opsrun_call* call) -> int32_t {
    FakeDevice::Enqueue(reference::QueueOf(call), [] { return false; });
    return OPSRUN_OK;
  };
  ops.AddKernel("FailWhenDone", fail_when_done).def.device = "GPU";
  const Plan* const plan = ops.Make(
      "feeds: {x: {value: [3, 1, 4], dtype: int32}}\nnodes:\n  a: {op: Refuse, in: x}\n"
      "  b: {op: FailWhenDone, in: x, device: gpu}\n  c: {op: AddOne, in: x}\noutputs: [a, b, c]\n",
      HostTable());
  ASSERT_NE(plan, nullptr) << ops.Found();
  LaneContext context{&devices.cpu(), HostTable()};
  context.options.keep_going = true;
  const std::unique_ptr<Lane> lane = *Lane::Create(*plan, context);
  const std::optional<RunFailure> failure = lane->Run();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(plan->NodeName(plan->steps[failure->step]), "b");
  EXPECT_EQ(failure->status.code(), OPSRUN_INTERNAL);
  ASSERT_EQ(failure->more.size(), 1u);
  EXPECT_EQ(plan->NodeName(plan->steps[failure->more[0].step]), "a");
  for (size_t i = 0; i < 3; ++i) EXPECT_FALSE(lane->HasOutput(i));
}

}  // namespace
}  // namespace opsrun::host

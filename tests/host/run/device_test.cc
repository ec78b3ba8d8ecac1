// tests/host/run/device_test.cc: where nodes run, which tensors are copied there, and what becomes of errors.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/device_kernels.h"

namespace opsrun::host {
namespace {

// A kernel whose work fails when it is done, long after it was enqueued.
int32_t FailWhenDone(void*, opsrun_call* call) {
  FakeDevice::Enqueue(reference::QueueOf(call), [] { return false; });
  opsrun_tensor* out = nullptr;
  return reference::BeginLikeFirst(call, &out);
}

int32_t FifthStream(void*, opsrun_call* call) {
  void* stream = nullptr;
  return static_cast<const opsrun_cuda*>(call->host->query(call->host, C(OPSRUN_CUDA_1)))
      ->side_stream(call, 4, &stream);
}

std::atomic<int> calls{0};
std::atomic<int> fails_at{-1};  // the call with this number fails, or throws
std::atomic<bool> throws{false};

int32_t TwiceCounted(void* kernel, opsrun_call* call) {
  if (calls++ == fails_at) {
    if (throws) throw std::runtime_error("told to");
    return call->host->fail(call->host, call, OPSRUN_ABORTED, C("told to"), {});
  }
  return reference::TwiceEnqueued(kernel, call);
}

// Through two temporaries of the device at a time.
int32_t TwiceThroughTwo(void*, opsrun_call* call) {
  ++calls;
  const opsrun_tensor& in = *call->in[0];
  const opsrun_tensor* temps[2] = {};
  opsrun_tensor* out = nullptr;
  for (const opsrun_tensor*& temp : temps) {
    if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, in.rank, in.shape, 0, &temp)) return code;
  }
  if (int32_t code = call->host->allocate_output(call, 0, in.rank, in.shape, &out)) return code;
  const auto add = [from = Ints(&in), a = Ints(temps[0]), b = Ints(temps[1]), to = Ints(out)] {
    for (int i = 0; i < 3; ++i) a[i] = from[i];
    for (int i = 0; i < 3; ++i) b[i] = from[i] + 1;
    for (int i = 0; i < 3; ++i) to[i] = a[i] + b[i];
    return true;
  };
  FakeDevice::Enqueue(reference::QueueOf(call), add);
  for (const opsrun_tensor* temp : temps) call->host->release(temp);
  return OPSRUN_OK;
}

std::atomic<int> times_done{0};
int32_t FailThirdTime(void* kernel, opsrun_call* call) {
  FakeDevice::Enqueue(reference::QueueOf(call), [] { return ++times_done != 3; });
  return reference::TwiceEnqueued(kernel, call);
}

// Of a share of its input, which it releases before the work is done.
int32_t TwiceRetained(void*, opsrun_call* call) {
  ++calls;
  const opsrun_tensor* kept = nullptr;
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->retain(call->in[0], &kept)) return code;
  if (int32_t code = reference::BeginLikeFirst(call, &out)) return code;
  FakeDevice::Enqueue(reference::QueueOf(call), [from = Ints(kept), to = Ints(out)] {
    for (int i = 0; i < 3; ++i) to[i] = 2 * from[i] + 1;
    return true;
  });
  call->host->release(kept);
  return OPSRUN_OK;
}

int32_t TwiceThroughTheCpu(void* kernel, opsrun_call* call) {
  ++calls;
  const opsrun_tensor* temp = nullptr;
  const opsrun_tensor& in = *call->in[0];
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, in.rank, in.shape, OPSRUN_TEMP_ON_HOST, &temp))
    return code;
  call->host->release(temp);
  return reference::TwiceEnqueued(kernel, call);
}

class DeviceTest : public ::testing::Test {
 protected:
  DeviceTest() {
    AddFakeGpus(devices_, gpus_, Schedule::kLazy);
    ops_.devices = &devices_;
    ops_.device = "gpu";
    reference::AddTo(ops_);
    reference::AddDeviceKernels(ops_, [](const std::string& op) { return op != "Temporary"; });
    const auto add = [&](const char* name, ComputeFn compute, uint32_t flags) {
      ops_.AddOp({.name = name, .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
      RegisteredKernel& kernel = ops_.AddKernel(name, compute);
      kernel.def.device = "GPU";
      kernel.flags = flags;
    };
    add("FailWhenDone", FailWhenDone, 0);
    add("Fifth", FifthStream, 0);
    add("Counted", TwiceCounted, OPSRUN_KERNEL_CAPTURABLE);
    add("Waits", TwiceCounted, OPSRUN_KERNEL_CAPTURABLE | OPSRUN_KERNEL_WAITS);
    add("ThroughTheCpu", TwiceThroughTheCpu, OPSRUN_KERNEL_CAPTURABLE);
    add("ThroughTwo", TwiceThroughTwo, OPSRUN_KERNEL_CAPTURABLE);
    add("Retained", TwiceRetained, OPSRUN_KERNEL_CAPTURABLE);
    add("FailThirdTime", FailThirdTime, OPSRUN_KERNEL_CAPTURABLE);
    times_done = calls = 0;
    fails_at = -1;
    throws = false;
  }

  // Over the constant x = [3, 1, 4] and the declared feed d of three elements.
  void Make(const std::string& nodes, const std::string& outputs) {
    plan_ = ops_.Make("feeds:\n  x: {value: [3, 1, 4], dtype: int32}\n  d: {dtype: int32, shape: [3]}\nnodes:\n" +
                          nodes + "outputs: [" + outputs + "]\n",
                      HostTable());
    ASSERT_NE(plan_, nullptr) << ops_.Found();
  }
  // "d to gpu:0, a, a to cpu"
  std::string Steps() const {
    std::string names;
    for (const Step& step : plan_->steps) names += (names.empty() ? "" : ", ") + plan_->NodeOf(step).name.value;
    return names;
  }
  // "a b, e f": the steps of each capture.
  std::string Captures() const {
    std::string text;
    for (const Capture& capture : plan_->captures) {
      if (!text.empty()) text += ",";
      for (uint32_t s = 0; s < capture.count; ++s)
        text += (text.empty() ? "" : " ") + plan_->NodeOf(plan_->steps[capture.first + s]).name.value;
    }
    return text;
  }
  void MakeLane(void (*change)(LaneContext&) = nullptr) {
    LaneContext context{&devices_.cpu(), HostTable()};
    if (change != nullptr) change(context);
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, context);
    ASSERT_TRUE(lane.ok()) << lane.status().message();
    lane_ = *std::move(lane);
    if (!plan_->declared_feeds.empty()) Feed(10);
  }
  void Feed(int32_t first) { ASSERT_TRUE(lane_->SetFeed("d", TensorOf({first, 20, 30})).ok()); }
  Row Output() {
    MakeLane();
    const std::optional<RunFailure> failure = lane_->Run();
    EXPECT_FALSE(failure.has_value()) << failure->status.message();
    return ValuesOf(lane_->Output(0));
  }
  RunFailure Failure() {
    std::optional<RunFailure> failure = lane_->Run();
    EXPECT_TRUE(failure.has_value());
    return failure.value_or(RunFailure{});
  }
  std::string NodeOf(const RunFailure& failure) const { return plan_->NodeOf(plan_->steps[failure.step]).name.value; }

  FakeDevices gpus_;
  Devices devices_{OpenCpuDevice()};
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
};

TEST_F(DeviceTest, TensorsAreCopiedWhereTheyAreRead) {
  const auto expect = [&](const char* nodes, const char* output, const char* steps, const Row& row) {
    Make(nodes, output);
    EXPECT_EQ(Steps(), steps);
    EXPECT_EQ(Output(), row) << steps;
  };
  expect("  a: {op: Twice, in: d}\n  b: {op: Twice, in: a}\n", "b", "d to gpu:0, a, b, b to cpu", {43, 83, 123});
  // Once for all readers.
  expect("  a: {op: Twice, in: d}\n  b: {op: Sum, in: [d, a]}\n  c: {op: Temporary, in: [b, b]}\n", "c, b",
         "d to gpu:0, a, b, b to cpu, c", {62, 122, 182});
  // Not where an argument is in the CPU's memory.
  expect("  a: {op: Loop, in: [d, x]}\n  b: {op: Turn, in: a}\n  c: {op: Temporary, in: [b.y, b.n]}\n", "c",
         "d to gpu:0, a, b, c", {71, 45, 29});
  expect("  a: {op: Twice, in: d}\n  b: {op: Twice, in: a, device: \"gpu:1\"}\n", "b",
         "d to gpu:0, a, a to cpu, a to gpu:1, b, b to cpu", {43, 83, 123});
  // Nothing orders the copy of c after b, which reads what a made: it takes memory that no kernel has used.
  expect(
      "  a: {op: Sum, in: [x, x]}\n  b: {op: Sum, in: [a, a]}\n  c: {op: Temporary, in: [x, d]}\n"
      "  d2: {op: Sum, in: [b, c]}\n",
      "d2", "a, b, c, c to gpu:0, d2, d2 to cpu", {25, 25, 50});
  // A node that runs after another waits for its work.
  Make("  a: {op: Twice, in: d}\n  b: {op: Temporary, in: [x, x], after: a}\n", "a, b");
  const Step& last = plan_->steps.back();
  ASSERT_EQ(plan_->NodeOf(last).name.value, "b");
  EXPECT_EQ(last.more->awaited.size(), 1u);
}

TEST_F(DeviceTest, ALargeFeedIsCopiedWhenItIsFirstNeeded) {
  plan_ = ops_.Make(
      "feeds:\n  large: {dtype: int32, shape: [262144]}\n  d: {dtype: int32, shape: [262143]}\nnodes:\n"
      "  a: {op: Twice, in: d}\n  b: {op: Twice, in: large}\n  c: {op: Sum, in: [b, large]}\noutputs: [a, c]\n",
      HostTable());
  ASSERT_NE(plan_, nullptr) << ops_.Found();
  EXPECT_EQ(Steps(), "d to gpu:0, a, a to cpu, large to gpu:0, b, c, c to cpu");
}

TEST_F(DeviceTest, AConstantIsCopiedOnceForAllRunsToTheDevicesThatAreUsed) {
  Make("  a: {op: Twice, in: d, device: cpu}\n", "a");
  EXPECT_EQ(Steps(), "a");
  EXPECT_TRUE(gpus_.empty()) << "opened for nothing";
  Make("  a: {op: Sum, in: [x, x]}\n", "a");
  EXPECT_EQ(Steps(), "a, a to cpu");
  EXPECT_EQ(Output(), (Row{6, 2, 8}));
  EXPECT_FALSE(lane_->Run().has_value());
  EXPECT_EQ(gpus_.at(0)->copies_in(), 1);
  EXPECT_EQ(gpus_.at(0)->copies_out(), 2);
  // There are four streams beside the call's own.
  Make("  a: {op: Fifth, in: d}\n", "a");
  MakeLane();
  EXPECT_EQ(Failure().status.code(), OPSRUN_OUT_OF_RANGE);
}

TEST_F(DeviceTest, AnErrorThatComesLateNamesTheNodeWhoseKernelFailed) {
  Make("  a: {op: Twice, in: d}\n  b: {op: FailWhenDone, in: a}\n  c: {op: Twice, in: b}\n", "c");
  MakeLane();
  const RunFailure failure = Failure();
  EXPECT_EQ(NodeOf(failure), "b");
  EXPECT_EQ(failure.status.code(), OPSRUN_INTERNAL);
}

// What is timed is the work, not its enqueueing.
TEST_F(DeviceTest, ATimedRunWaitsForEachNode) {
  Make("  a: {op: FailWhenDone, in: d}\n  b: {op: Twice, in: a}\n", "b");
  MakeLane();
  RunTimes times;
  const std::optional<RunFailure> failure = lane_->RunTimed(times);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(NodeOf(*failure), "a");
  EXPECT_EQ(times.steps.back().begin, 0) << "nothing runs after a failure";
}

const char kChain[] = "  a: {op: Counted, in: d}\n  b: {op: Counted, in: a}\n  c: {op: Counted, in: b}\n";

class CaptureTest : public DeviceTest {
 protected:
  // Of the last output, whose d is [n, 20, 30].
  void ExpectRun(int n, int factor) {
    Feed(n);
    const std::optional<RunFailure> failure = lane_->Run();
    ASSERT_FALSE(failure.has_value()) << failure->status.message();
    EXPECT_EQ(ValuesOf(lane_->Output(0)).at(0), n * factor + (factor - 1));
  }
};

TEST_F(CaptureTest, CallsKernelsInTheFirstTwoRunsAndThenNoMore) {
  const struct {
    const char *nodes, *output;
    int runs, factor, calls, launches;
  } rows[] = {
      {kChain, "c", 5, 8, 6, 4},
      // What a kernel retains is copied by the captured work.
      {"  a: {op: Retained, in: d}\n  b: {op: Retained, in: a}\n", "b", 4, 4, 4, 3},
      // A kernel that takes memory of the CPU is called in each run.
      {"  a: {op: Counted, in: d}\n  b: {op: ThroughTheCpu, in: a}\n", "b", 4, 4, 8, 0},
  };
  for (const auto& row : rows) {
    Make(row.nodes, row.output);
    MakeLane();
    calls = 0;
    const int before = gpus_.at(0)->launches();
    for (int run = 0; run < row.runs; ++run) ExpectRun(run, row.factor);
    EXPECT_EQ(calls, row.calls) << row.nodes;
    EXPECT_EQ(gpus_.at(0)->launches() - before, row.launches) << row.nodes;
  }
}

TEST_F(CaptureTest, IsLeftOutIfTheCallerSaysSoOrFaultsAreSought) {
  constexpr void (*kChanges[])(LaneContext&) = {
      [](LaneContext& c) { c.options.no_cuda_graphs = true; }, [](LaneContext& c) { c.options.sync_each_node = true; },
      [](LaneContext& c) { c.options.keep_going = true; }, [](LaneContext& c) { c.options.nan_check = true; }};
  Make(kChain, "c");
  for (const auto change : kChanges) {
    calls = 0;
    MakeLane(change);
    for (int run = 0; run < 3; ++run) ExpectRun(run, 8);
    EXPECT_EQ(calls, 9);
  }
  EXPECT_EQ(gpus_.at(0)->launches(), 0);
  // A timed run calls each kernel.
  calls = 0;
  MakeLane();
  for (int run = 0; run < 3; ++run) ExpectRun(run, 8);
  RunTimes times;
  EXPECT_FALSE(lane_->RunTimed(times).has_value());
  EXPECT_EQ(calls, 9);
  ExpectRun(4, 8);
  EXPECT_EQ(calls, 9);
}

TEST_F(CaptureTest, GoesAroundKernelsThatWaitNodesOfTheCpuAndTensorsOfLateShape) {
  Make(
      "  a: {op: Sum, in: [x, x]}\n  b: {op: Sum, in: [a, a]}\n  l: {op: LateTwice, in: a}\n"
      "  m: {op: LateTwice, in: l}\n",
      "b, m");
  EXPECT_EQ(Captures(), "a b");
  Make(
      "  a: {op: Counted, in: d}\n  b: {op: Counted, in: a}\n  w: {op: Waits, in: b}\n  c: {op: Counted, in: w}\n"
      "  e: {op: Counted, in: c}\n  t: {op: Temporary, in: [e, e]}\n  g: {op: Counted, in: t}\n",
      "e, g");
  EXPECT_EQ(Captures(), "a b, c e");
  MakeLane();
  for (int run = 0; run < 3; ++run) ExpectRun(run, 32);
}

TEST_F(CaptureTest, AFailureThatComesLateMayBeThatOfAnyOfItsNodes) {
  Make("  a: {op: Counted, in: d}\n  f: {op: FailThirdTime, in: a}\n  b: {op: Counted, in: f}\n", "b");
  EXPECT_EQ(Captures(), "a f b");
  MakeLane();
  for (int run = 0; run < 2; ++run) ExpectRun(run, 8);
  const RunFailure failure = Failure();
  EXPECT_EQ(NodeOf(failure), "a");
  EXPECT_NE(failure.status.message().find("up to 'b'"), std::string::npos) << failure.status.message();
}

TEST_F(CaptureTest, AKernelThatFailsWhileItIsCapturedIsCalledAgain) {
  for (const bool thrown : {false, true}) {
    Make(kChain, "c");
    MakeLane();
    calls = 0;
    throws = thrown;
    fails_at = 4;  // b, in the second run
    for (int run = 0; run < 5; ++run) ExpectRun(run, 8);
    EXPECT_EQ(calls, 3 + 2 + 4 * 3);
  }
  EXPECT_EQ(gpus_.at(0)->launches(), 0);
  fails_at = -1;
  calls = 0;
  MakeLane();
  gpus_.at(0)->fail_captures = true;
  for (int run = 0; run < 4; ++run) ExpectRun(run, 8);
  EXPECT_EQ(calls, 3 + 3 + 3 * 3) << "what the device refuses is run node by node";
}

TEST_F(CaptureTest, TemporariesStayWhereTheyAreAndNodesShareThem) {
  Make("  a: {op: ThroughTwo, in: d}\n  b: {op: ThroughTwo, in: a}\n", "b");
  MakeLane();
  ExpectRun(0, 4);
  const size_t blocks = gpus_.at(0)->blocks();
  for (int run = 1; run < 4; ++run) ExpectRun(run, 4);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(gpus_.at(0)->blocks(), blocks) << "memory is taken in the first run alone";
}

}  // namespace
}  // namespace opsrun::host

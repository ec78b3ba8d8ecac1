// tests/host/run/sweep_test.cc: steps that run tile by tile: which ones, what they compute, and how they end.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>

#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

constexpr int64_t kRows = 300, kColumns = 40;

// What the last run has seen of the calls of Watch.
struct Seen {
  std::atomic<int> calls{0};
  std::atomic<int64_t> rows{0}, most_rows{0};
} seen;
std::function<int32_t(opsrun_call*)> watch;

int64_t Elements(const opsrun_tensor* t) {
  return *NumElementsOf({t->shape, static_cast<size_t>(t->rank)});
}

int32_t Twice(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = AllocateLikeInput(call, &out)) return code;
  for (int64_t i = 0; i < Elements(out); ++i) Ints(out)[i] = 2 * Ints(call->in[0])[i] + 1;
  return OPSRUN_OK;
}

// The index in `t` of the element that is broadcast to element i of `out`.
int64_t BroadcastIndex(const opsrun_tensor* t, const opsrun_tensor* out, int64_t i) {
  int64_t index = 0;
  for (int32_t dim = out->rank - 1, at = t->rank - 1, step = 1; at >= 0; --dim, --at) {
    if (t->shape[at] != 1) index += i % out->shape[dim] * step;
    step *= static_cast<int32_t>(t->shape[at]);
    i /= out->shape[dim];
  }
  return index;
}
int32_t Minus(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = AllocateLikeInput(call, &out)) return code;
  for (int64_t i = 0; i < Elements(out); ++i)
    Ints(out)[i] = Ints(call->in[0])[i] - 3 * Ints(call->in[1])[BroadcastIndex(call->in[1], out, i)];
  return OPSRUN_OK;
}
int32_t Watch(void* object, opsrun_call* call) {
  ++seen.calls;
  seen.rows += call->in[0]->shape[0];
  seen.most_rows = std::max<int64_t>(seen.most_rows, call->in[0]->shape[0]);
  const int32_t code = watch ? watch(call) : OPSRUN_OK;
  return code != OPSRUN_OK ? code : Twice(object, call);
}

class SweepTest : public RunTest {
 protected:
  SweepTest() {
    watch = nullptr;
    Add("Plain", SameShape, Twice);
    Tiled({.name = "Twice", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, Twice);
    Tiled({.name = "Watch", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, Watch);
    ops_.Add({.name = "RowsMinus", .inputs = {"x: int32", "y: int32"}, .outputs = {"z: int32"}}, SameShape, Minus);
    ops_.LastKernel().flags = OPSRUN_KERNEL_TILED;
    ops_.LastKernel().aliases = {{"z", "x", OPSRUN_ALIAS_ROWS}};
    spec::OpStrings minus{.name = "Minus", .inputs = {"x: int32", "y: int32"}, .outputs = {"z: int32"}};
    Tiled(minus, Minus);
    minus.name = "BroadcastMinus";
    minus.batch = "(),()->()";
    minus.flags = OPSRUN_OP_BROADCASTS;
    Tiled(minus, Minus);
  }
  void Tiled(const spec::OpStrings& strings, ComputeFn compute) {
    ops_.Add(strings, SameShape, compute);
    ops_.LastKernel().flags = OPSRUN_KERNEL_ELEMENTWISE | OPSRUN_KERNEL_TILED;
  }
  // A graph over d, [300, 40], and parts of its shape.
  void MakeLarge(const std::string& nodes, const std::string& outputs, int threads = 1) {
    nodes_ = nodes, outputs_ = outputs, threads_ = threads;
    MakeFrom(
        "feeds:\n  d: {dtype: int32, shape: [300, 40]}\n  small: {dtype: int32, shape: [10]}\n"
        "  row: {fill: 2, dtype: int32, shape: [40]}\n  column: {dtype: int32, shape: [300, 1]}\n"
        "  one: {value: 5, dtype: int32}\nnodes:\n" +
            nodes + "outputs: [" + outputs + "]\n",
        threads);
    ASSERT_NE(lane_, nullptr);
    FeedRows("d", {kRows, kColumns});
    FeedRows("column", {kRows, 1});
    FeedRows("small", {10});
  }
  void FeedRows(const char* name, const Shape& shape) {
    Row numbers(static_cast<size_t>(*NumElements(shape)));
    std::iota(numbers.begin(), numbers.end(), -500);
    ASSERT_TRUE(lane_->SetFeed(name, *Tensor::CopyOf(DType::kInt32, shape, numbers.data())).ok());
  }
  // "steps 0 to 2, 64 of 300 rows": the sweeps of the plan.
  std::string Sweeps() const {
    std::string text;
    for (const Sweep& sweep : plan_->sweeps) {
      text += (text.empty() ? "" : "; ") + std::to_string(sweep.first) + " to " +
              std::to_string(sweep.first + sweep.count - 1) + ", " + std::to_string(sweep.rows_per_tile) + " of " +
              std::to_string(sweep.rows) + " rows";
    }
    return text;
  }
  // A run of the graph in tiles, and one of a plan without tiles, have the same outputs.
  void ExpectTheSameWhole() {
    const std::vector<Row> in_tiles = Outputs();
    ops_.whole_steps = true;
    MakeLarge(nodes_, outputs_, threads_);
    ops_.whole_steps = false;
    EXPECT_EQ(Sweeps(), "");
    EXPECT_EQ(in_tiles, Outputs()) << nodes_ << outputs_ << threads_;
  }
  std::vector<Row> Outputs() {
    EXPECT_FALSE(lane_->Run().has_value());
    std::vector<Row> rows;
    for (size_t i = 0; i < plan_->outputs.size(); ++i) rows.push_back(ValuesOf(lane_->Output(i)));
    return rows;
  }

  std::string nodes_, outputs_;
  int threads_ = 1;
};

constexpr char kLargeChain[] = "  a: {op: Twice, in: d}\n  b: {op: Watch, in: a}\n  c: {op: Twice, in: b}\n";

TEST_F(SweepTest, AChainOnALargeTensorRunsInTiles) {
  for (const int threads : {1, 3}) {
    MakeLarge(kLargeChain, "c", threads);
    EXPECT_EQ(Sweeps(), "0 to 2, 4096 of 12000 rows");
    seen.calls = seen.rows = seen.most_rows = 0;
    EXPECT_EQ(Output()[7], 8 * (-493) + 7);
    EXPECT_EQ(seen.calls, 3);
    EXPECT_EQ(seen.rows, kRows * kColumns);
    EXPECT_EQ(seen.most_rows, 4096);
    ExpectTheSameWhole();
  }
}

TEST_F(SweepTest, OperandsAreBroadcastToRows) {
  MakeLarge("  a: {op: BroadcastMinus, in: [d, one]}\n  b: {op: BroadcastMinus, in: [a, d]}\n", "b");
  EXPECT_EQ(Sweeps(), "0 to 1, 4096 of 12000 rows");
  ExpectTheSameWhole();
  MakeLarge(
      "  a: {op: BroadcastMinus, in: [d, row]}\n  b: {op: BroadcastMinus, in: [a, column]}\n  c: {op: Twice, in: b}\n",
      "a, c");
  EXPECT_EQ(Sweeps(), "0 to 2, 64 of 300 rows");
  ExpectTheSameWhole();
  MakeLarge("  a: {op: Minus, in: [d, one]}\n  b: {op: Minus, in: [a, d]}\n", "b");
  EXPECT_EQ(Sweeps(), "0 to 1, 4096 of 12000 rows");
  MakeLarge("  a: {op: Minus, in: [d, d]}\n  b: {op: Minus, in: [a, row]}\n", "b");
  EXPECT_EQ(Sweeps(), "") << "an op that says nothing about broadcasting may read `row` as it likes";
}

TEST_F(SweepTest, OtherStepsRunWhole) {
  MakeLarge("  a: {op: Twice, in: small}\n  b: {op: Twice, in: a}\n", "b");
  EXPECT_EQ(Sweeps(), "") << "one tile";
  MakeLarge("  a: {op: Twice, in: d}\n  b: {op: Plain, in: a}\n  c: {op: Twice, in: b}\n", "c");
  EXPECT_EQ(Sweeps(), "") << "a kernel between them is not for tiles";
  MakeLarge("  a: {op: Twice, in: d}\n  b: {op: Twice, in: column}\n", "a, b");
  EXPECT_EQ(Sweeps(), "") << "two shapes";
}

// What a step of the sweep reads for the last time is not free for a later step of the sweep: that one writes its first
// tile before the other reads its second.
TEST_F(SweepTest, MemoryStaysAsLongAsTheSweepReadsIt) {
  const std::string nodes =
      "  p: {op: Plain, in: d}\n  q: {op: Plain, in: d}\n  r: {op: Plain, in: d}\n"
      "  a: {op: BroadcastMinus, in: [p, q]}\n  b: {op: BroadcastMinus, in: [a, r]}\n"
      "  c: {op: BroadcastMinus, in: [d, b]}\n  e: {op: BroadcastMinus, in: [c, a]}\n";
  for (const int threads : {1, 3}) {
    for (const char* outputs : {"e", "e, a", "b, e", "c, e, p"}) {
      MakeLarge(nodes, outputs, threads);
      ExpectTheSameWhole();
    }
  }
}

// Rows are examples then, which go through all steps one after another.
TEST_F(SweepTest, StepsOnExamplesRunInTilesToo) {
  for (const int threads : {1, 3}) {
    MakeLarge("  a: {op: RowsMinus, in: [d, row]}\n  b: {op: Twice, in: a}\n  c: {op: RowsMinus, in: [b, row]}\n", "c",
              threads);
    EXPECT_EQ(Sweeps(), threads == 1 ? "" : "0 to 2, 25 of 300 rows");
    ExpectTheSameWhole();
  }
  // Intermediate results exist for the rows of a tile only.
  MakeLarge("  a: {op: RowsMinus, in: [d, row]}\n  b: {op: RowsMinus, in: [a, row]}\n  c: {op: Minus, in: [b, d]}\n",
            "c", 3);
  EXPECT_EQ(Sweeps(), "0 to 2, 25 of 300 rows");
  EXPECT_EQ(plan_->devices[0].arena_bytes, 300 * 40 * 4 + 3 * 2 * 4032u);
  ExpectTheSameWhole();
  MakeLarge("  a: {op: RowsMinus, in: [d, row]}\n  b: {op: RowsMinus, in: [row, a]}\n", "b", 3);
  EXPECT_EQ(Sweeps(), "") << "b reads all rows of a";
}

// If threads could not share examples evenly, element-wise steps on them still run in tiles.
TEST_F(SweepTest, ElementwiseStepsBetweenOthersDoToo) {
  ops_.Add({.name = "Five", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, Twice);
  ops_.LastKernel().flags = OPSRUN_KERNEL_TILED;
  ops_.LastKernel().aliases = {{"y", "x", OPSRUN_ALIAS_ROWS}};
  MakeFrom(
      "feeds:\n  x: {fill: 1, dtype: int32, shape: [5, 4000]}\nnodes:\n  a: {op: Five, in: x}\n"
      "  b: {op: Twice, in: a}\n  c: {op: Twice, in: b}\noutputs: [c]\n",
      3);
  EXPECT_EQ(Sweeps(), "1 to 2, 4096 of 20000 rows");
  EXPECT_EQ(Output(), Row(20000, 15));
}

TEST_F(SweepTest, AFailureNamesItsNode) {
  const auto fails_late = [](opsrun_call* call) {
    if (seen.calls < 3) return int32_t{OPSRUN_OK};
    return call->host->fail(call->host, call, OPSRUN_ABORTED, C("told to"), C("input:x"));
  };
  const auto throws = [](opsrun_call*) -> int32_t { throw std::runtime_error("thrown"); };
  const auto forgets = [](opsrun_call* call) -> int32_t {
    call->host->try_schedule(
        call, [](void*) { return int32_t{OPSRUN_OK}; }, nullptr);
    return OPSRUN_OK;
  };
  for (const int threads : {1, 3}) {
    MakeLarge(kLargeChain, "c", threads);
    for (const auto& [does, code] : std::vector<std::pair<std::function<int32_t(opsrun_call*)>, int32_t>>{
             {fails_late, OPSRUN_ABORTED}, {throws, OPSRUN_INTERNAL}}) {
      seen.calls = 0;
      watch = does;
      const RunFailure failure = Failure();
      EXPECT_EQ(failure.step, 1u);
      EXPECT_EQ(failure.status.code(), code);
      EXPECT_EQ(failure.inputs, std::vector<std::string>{"int32 [300, 40]"});
      watch = nullptr;
      EXPECT_EQ(Output()[7], 8 * (-493) + 7) << "after the failure";
    }
    watch = forgets;
    const std::optional<RunFailure> forgotten = lane_->Run();  // fails if a thread was idle
    EXPECT_TRUE(!forgotten || (forgotten->step == 1 && forgotten->status.code() == OPSRUN_INTERNAL));
    watch = nullptr;
    EXPECT_EQ(Output()[7], 8 * (-493) + 7);
  }
}

TEST_F(SweepTest, ItStopsBetweenTiles) {
  MakeLarge(kLargeChain, "c");
  seen.calls = 0;
  watch = [&](opsrun_call*) {
    stop_->Stop();
    return int32_t{OPSRUN_OK};
  };
  EXPECT_EQ(Failure().status.code(), OPSRUN_CANCELLED);
  EXPECT_EQ(seen.calls, 1);
}

TEST_F(SweepTest, TheNodeThatRunsIsKnownAndItsTime) {
  MakeLarge(kLargeChain, "c");
  watch = [&](opsrun_call*) {
    const std::vector<RunningStep> running = lane_->Running();
    EXPECT_EQ(running.size(), 1u);
    EXPECT_EQ(running.at(0).step, 1u);
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
    return int32_t{OPSRUN_OK};
  };
  RunTimes times;
  ASSERT_FALSE(lane_->RunTimed(times).has_value());
  EXPECT_TRUE(lane_->Running().empty());
  const auto time_of = [&](size_t step) { return times.steps[step].end - times.steps[step].begin; };
  EXPECT_GE(time_of(1), 3 * 2'000'000);
  EXPECT_GT(time_of(0), 0);
  EXPECT_LT(time_of(0), time_of(1));
  EXPECT_EQ(times.steps[0].end, times.steps[1].begin);
}

}  // namespace
}  // namespace opsrun::host

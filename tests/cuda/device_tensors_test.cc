// tests/cuda/device_tensors_test.cc: feeds and results in the memory of a card, and runs that a caller's stream orders.
// The fake driver reports each use of memory that is not ordered.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/device_tensors.h"

namespace opsrun::host {
namespace {

constexpr char kGraph[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: float32}\n  k: {dtype: float32}\nnodes:\n  a: {op: Mul, in: [x, k]}\n"
    "  b: {op: Add, in: [a, x]}\noutputs: [b, a]\n";

constexpr char kOneResult[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: float32}\n  k: {dtype: float32}\nnodes:\n  a: {op: Mul, in: [x, k]}\n"
    "  b: {op: Add, in: [a, x]}\noutputs: [b]\n";

// Memory of a pool is the engine's card's only if the pool is the engine's, too.
class DeviceTensorsWithoutPools : public OrderedDeviceTensors {
 protected:
  DeviceTensorsWithoutPools() { setenv("OPSRUN_DOUBLE_POOLS", "0", 1); }
};

TEST_P(OrderedDeviceTensors, StayOnTheCard) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  const embed::View x = Feed(OnCard(4, 1), {4}), k = Feed(OnCard(1, 10), {});
  std::vector<embed::Tensor> results = graph.Run({x, k}, At({Gpu(0, stream_), Gpu(0, stream_)}));
  EXPECT_EQ(results[0].place().device.type, OPSRUN_DEVICE_CUDA);
  EXPECT_EQ(FromCard(results[0].data(), 4), (std::vector<float>{11, 22, 33, 44}));
  EXPECT_EQ(FromCard(results[1].data(), 4), (std::vector<float>{10, 20, 30, 40}));
  // The same numbers on the CPU, from feeds in both places.
  const float ten = 10;
  results = graph.Run({x, {&ten, {}}}, At({{}, Gpu(0, stream_)}));
  EXPECT_EQ(results[0].data<float>()[3], 44);
  EXPECT_EQ(FromCard(results[1].data(), 4)[3], 40);
}

// As in training: each step has what the one before has made, and nobody waits.
TEST_P(OrderedDeviceTensors, OfManyRunsAreOrderedByOneStream) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  const embed::View k = Feed(OnCard(1, 1), {});
  const embed::View begin = Feed(OnCard(3, 1), {3});
  // [steps]
  embed::RunOptions options;
  options.stream = stream_;
  options.results = {Gpu(), Gpu()};
  embed::Tensor last = std::move(graph.Run({begin, k}, options)[0]);
  for (int step = 0; step < 5; ++step) last = std::move(graph.Run({last, k}, options)[0]);
  // [/steps]
  EXPECT_EQ(FromCard(last.data(), 3), (std::vector<float>{64, 128, 192}));
  graph.Wait();
}

TEST_P(OrderedDeviceTensors, AreWrittenToMemoryOfTheCaller) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  const embed::View x = Feed(OnCard(4, 1), {4}), k = Feed(OnCard(1, 2), {});
  for (const size_t offset : {size_t{0}, size_t{4}}) {  // a kernel writes to what is aligned; the rest is copied
    char* const memory = static_cast<char*>(OnCard(8, 0)) + offset;
    graph.RunInto({x, k}, {{memory, OPSRUN_DT_FLOAT, {4}, Gpu(0, stream_)}});
    EXPECT_EQ(FromCard(memory, 4), (std::vector<float>{3, 6, 9, 12})) << offset;
  }
}

TEST_P(OrderedDeviceTensors, AreCopiedWhereResultsWouldShareThem) {
  const embed::Graph graph = engine_->LoadText(
      "g.yaml",
      "opsrun: 1\nfeeds:\n  x: {dtype: float32}\nnodes:\n  a: {op: Neg, in: x}\noutputs: {x: x, a: a, again: a}\n");
  void* const memory = OnCard(3, 1);
  const std::vector<embed::Tensor> results = graph.Run({Feed(memory, {3})}, Options(stream_, 3));
  EXPECT_NE(results[0].data(), memory);
  EXPECT_NE(results[1].data(), results[2].data());
  EXPECT_EQ(FromCard(results[0].data(), 3)[2], 3);
  for (const size_t i : {1, 2}) EXPECT_EQ(FromCard(results[i].data(), 3)[2], -3);
}

// A card that copies from another one waits for the caller's stream there.
TEST_P(DeviceTensorsWithoutPools, AreOrderedOnTheirWayToAnotherCard) {
  const embed::Graph graph = engine_->LoadText(
      "g.yaml",
      "opsrun: 1\nfeeds:\n  x: {dtype: float32}\nnodes:\n  a: {op: Neg, in: x, device: 'gpu:1'}\noutputs: [a]\n");
  EXPECT_EQ(graph.Run({Feed(OnCard(3, 1), {3})})[0].data<float>()[2], -3);
  const embed::View unordered = Feed(OnCard(3, 4), {3}, /*ordered=*/false);
  EXPECT_EQ(graph.Run({unordered}, Options(stream_, 0))[0].data<float>()[2], -6);
}

TEST_P(OrderedDeviceTensors, OfSingleOps) {
  const embed::PreparedOp op =
      engine_->Prepare("Mul", {{"x", OPSRUN_DT_FLOAT, {3}}, {"y", OPSRUN_DT_FLOAT, {}}}, {}, {.device = "gpu"});
  const embed::View x = Feed(OnCard(3, 1), {3}), k = Feed(OnCard(1, 5), {});
  const std::vector<embed::Tensor> there = op.Call({x, k}, Options(stream_, 1));
  EXPECT_EQ(FromCard(there[0].data(), 3), (std::vector<float>{5, 10, 15}));
  EXPECT_EQ(op.Call({x, k})[0].data<float>()[2], 15);
  op.Wait();
}

TEST_P(OrderedDeviceTensors, AreOrderedForProgramsWithoutStreams) {
  void* const stream = engine_->Stream(Gpu().device);
  EXPECT_EQ(stream, engine_->Stream(Gpu().device));
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  void *const x = OnCard(4, 1), *const k = OnCard(1, 2);
  engine_->Order(Gpu().device, stream_, stream);
  const embed::View feeds[] = {Feed(x, {4}, false), Feed(k, {}, false)};
  const std::vector<embed::Tensor> results = graph.Run({feeds[0], feeds[1]}, Options(stream, 2));
  engine_->Order(Gpu().device, stream, stream_);
  EXPECT_EQ(FromCard(results[0].data(), 4)[3], 12);
  engine_->Order(Gpu().device, stream, nullptr);
  engine_->Order(Gpu().device, stream_, stream);  // before the feeds are freed
  EXPECT_NE(ErrorOf([&] { engine_->Stream({OPSRUN_DEVICE_CPU, 0}); }), "");
}

TEST_P(OrderedDeviceTensors, RunOnTheDeviceOfTheGraph) {
  embed::EngineOptions options;
  options.plugins = {OPSRUN_EMULATED_PLUGINS};
  options.default_plugins = false;
  options.threads = 1;
  const embed::Engine engine(options);  // its default device is the CPU
  const embed::Graph graph = engine.LoadText("g.yaml", kGraph, 0, nullptr, "gpu");
  EXPECT_NE(graph.Plan().find("gpu:0"), std::string::npos) << graph.Plan();
  EXPECT_EQ(engine.LoadText("g.yaml", kGraph).Plan().find("gpu:0"), std::string::npos);
}

// What is computed from sizes stays on the CPU, so that it needs no copies.
TEST_P(OrderedDeviceTensors, LeaveSizesToTheCpu) {
  const embed::Graph graph = engine_->LoadText(
      "g.yaml",
      "opsrun: 1\nfeeds:\n  x: {dtype: float32, shape: [-1, 3]}\n  one: {value: 1, dtype: int32}\n"
      "nodes:\n  n: {op: Size, in: x}\n  m: {op: Maximum, in: [n, one]}\n  one_more: {op: Maximum, in: [one, one]}\n"
      "  there: {op: Maximum, in: [n, one], device: gpu}\noutputs: [m, one_more, there]\n");
  const std::string plan = graph.Plan({}, OPSRUN_PLAN_JSON);
  const auto device_of = [&](const std::string& node) {
    const size_t step = plan.find("\"node\": \"" + node + "\""), at = plan.find("\"device\": \"", step) + 11;
    return plan.substr(at, plan.find('"', at) - at);
  };
  EXPECT_EQ(device_of("m"), "cpu");
  EXPECT_EQ(device_of("one_more"), "gpu:0") << "constants alone say nothing";
  EXPECT_EQ(device_of("there"), "gpu:0");
  const embed::View x = Feed(OnCard(6, 1), {2, 3});
  for (const embed::Tensor& result : graph.Run({x})) EXPECT_GE(result.data<int32_t>()[0], 1);
}

// A run that has returned keeps memory until it is done; a run that needs this memory waits for that.
TEST_P(OrderedDeviceTensors, OfRunsThatAreNotDoneGiveUpTheirMemory) {
  constexpr int64_t kCount = 80'000;  // 640,000 bytes while it runs, and 320,000 for the result
  Open(/*memory_limit=*/1'300'000);
  const embed::Graph graph = engine_->LoadText("g.yaml", kOneResult);
  const embed::View k = Feed(OnCard(1, 2), {});
  const auto run = [&](int64_t count) {
    const embed::View x = Feed(OnCard(static_cast<size_t>(count), 1), {count});
    return FromCard(graph.Run({x, k}, Options(stream_, 1))[0].data(), 2);
  };
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(run(kCount - i), (std::vector<float>{3, 6}));
  EXPECT_EQ(ErrorOf([&] { graph.Wait(); }), "");
  EXPECT_NE(ErrorOf([&] { run(2 * kCount); }), "");
  EXPECT_EQ(run(kCount), (std::vector<float>{3, 6}));
}

TEST_P(OrderedDeviceTensors, ThatCannotBeUsedAreRefused) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  const embed::View x = Feed(OnCard(4, 1), {4}), k = Feed(OnCard(1, 2), {});
  const std::vector<float> host(4);
  const auto says = [&](const embed::View& feed, const std::string& what, const embed::RunOptions& options = {}) {
    const std::string error = ErrorOf([&] { graph.Run({feed, k}, options); });
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  says(embed::View(host.data(), {4}).At(Gpu()), "its address is none of a card's memory");
  says(embed::View(made_[0], OPSRUN_DT_FLOAT, {4}).At(Gpu(1)), "said to be on gpu:1, but its memory is that of gpu:0");
  says(embed::View(made_[0], OPSRUN_DT_FLOAT, {4}).At(Gpu(7)), "this machine has 2 GPUs");
  says(embed::View(made_[0], OPSRUN_DT_FLOAT, {2, 2}, {1, 2}).At(Gpu()), "neither dense and row-major nor aligned");
  says(embed::View(static_cast<float*>(made_[0]) + 1, OPSRUN_DT_COMPLEX64, {1}).At(Gpu()), "nor aligned");
  says(embed::View(host.data(), {4}).At({{OPSRUN_DEVICE_CPU, 0}, stream_}), "it has a stream, but is on the CPU");
  says(embed::View(made_[0], OPSRUN_DT_FLOAT, {4}).At({{8, 0}, nullptr}), "no device of type 8");
  const std::string on_cpu = ErrorOf([&] { graph.Run({x, k}, At({{{OPSRUN_DEVICE_CPU, 0}, stream_}})); });
  EXPECT_NE(on_cpu.find("opsrun_out.stream: the result is on the CPU"), std::string::npos) << on_cpu;
  std::vector<float> into(4);
  const std::string wrong = ErrorOf([&] {
    graph.RunInto({x, k}, {{into.data(), OPSRUN_DT_FLOAT, {4}, Gpu(0, stream_)}});
  });
  EXPECT_NE(wrong.find("its address is none of a card's memory"), std::string::npos) << wrong;
}

TEST_P(OrderedDeviceTensors, OfAnotherCardsStreamAreRefused) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  const embed::View x = Feed(OnCard(4, 1), {4}), k = Feed(OnCard(1, 2), {});
  const std::unique_ptr<Device> other = *OpenCudaDevice(1);
  const Stream foreign = *other->TakeStream();
  const std::string error = ErrorOf([&] { graph.Run({x.At(Gpu(0, foreign)), k}); });
  EXPECT_NE(error.find("not one of the primary context of gpu:0"), std::string::npos) << error;
  EXPECT_NE(ErrorOf([&] {
              graph.Run({x, k}, Options(foreign, 0));
            }).find("not one of a GPU that this run uses"),
            std::string::npos);
  other->GiveStream(foreign);
}

// The fake driver is honest: it reports what nothing has ordered.
TEST_P(DeviceTensors, AreReportedWithoutTheirStream) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  const embed::View k = Feed(OnCard(1, 2), {}, /*ordered=*/false);
  ASSERT_EQ(reports_.Text(), "");
  graph.Run({Feed(OnCard(4, 1), {4}, /*ordered=*/false), k}, At({Gpu(0, stream_)}));
  EXPECT_NE(reports_.Text(), "");
}

// The kernel reads beyond the feed's memory, which shows after the call has returned.
TEST_P(DeviceTensors, WhoseErrorsComeLateNameTheNode) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph);
  const embed::View x = Feed(OnCard(4, 1), {1 << 20}), k = Feed(OnCard(1, 2), {});
  const std::string error = ErrorOf([&] {
    graph.Run({x, k}, Options(stream_, 2));
    graph.Wait();
  });
  EXPECT_NE(error.find("node 'a' failed: INTERNAL"), std::string::npos) << error;
  has_failed_ = true;
}

// The same, found by a call that is not to blame.
TEST_P(DeviceTensors, WhoseErrorsComeLateNameTheNodeOfTheEarlierCall) {
  const embed::Graph graph = engine_->LoadText("g.yaml", kGraph), other = engine_->LoadText("other.yaml", kOneResult);
  const embed::View k = Feed(OnCard(1, 2), {}), good = Feed(OnCard(4, 1), {4}), bad = Feed(OnCard(4, 1), {1 << 20});
  const std::string error = ErrorOf([&] {
    graph.Run({good, k}, Options(stream_, 2));
    graph.Run({bad, k}, Options(stream_, 2));
    other.Run({good, k});
  });
  EXPECT_NE(error.find("node 'a' failed: INTERNAL"), std::string::npos) << error;
  EXPECT_NE(error.find("g.yaml:"), std::string::npos) << error;
  has_failed_ = true;
}

INSTANTIATE_TEST_SUITE_P(Schedules, OrderedDeviceTensors, kSchedules, NameOfSchedule);
INSTANTIATE_TEST_SUITE_P(Schedules, DeviceTensorsWithoutPools, kSchedules, NameOfSchedule);
INSTANTIATE_TEST_SUITE_P(Schedules, DeviceTensors, kSchedules, NameOfSchedule);

}  // namespace
}  // namespace opsrun::host

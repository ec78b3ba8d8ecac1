// tests/host/embed/graph_test.cc: graphs, run through the C interface.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <thread>

#include "host/embed/dlpack.h"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

using GraphTest = Embedded;
using Values = std::vector<int32_t>;

TEST_F(GraphTest, RunsOnTheCallersMemory) {
  ASSERT_EQ(Load(kZeroOut), "");
  const Ints x({3}, {1, 2, 3});
  opsrun_out out{};
  EXPECT_EQ(Run({x.in()}, &out, 1), "");
  EXPECT_EQ(ValuesOf(out), (Values{1, 0, 0}));
  opsrun_outs_free(&out, 1);
}

TEST_F(GraphTest, TellsItsFeedsAndOutputs) {
  ASSERT_EQ(Load(kZeroOut), "");
  EXPECT_EQ(opsrun_graph_n_feeds(graph_), 1u);
  EXPECT_EQ(opsrun_graph_find_feed(graph_, opsrun_str_of("x")), 0);
  EXPECT_EQ(opsrun_graph_find_output(graph_, opsrun_str_of("y")), -1);
  const opsrun_tensor_info& x = *opsrun_graph_feed(graph_, 0);
  EXPECT_EQ(TextOf(x.name), "x");
  EXPECT_EQ(x.dtype, OPSRUN_DT_INT32);
  ASSERT_EQ(x.rank, 1);
  EXPECT_EQ(x.shape[0], -1);
  EXPECT_EQ(opsrun_graph_output(graph_, 1), nullptr);
}

TEST_F(GraphTest, DescribesItself) {
  ASSERT_EQ(Load(kZeroOut), "");
  opsrun_text* json = nullptr;
  ASSERT_EQ(opsrun_graph_to_json(graph_, &json), OPSRUN_OK);
  EXPECT_NE(TextOf(opsrun_text_get(json)).find("\"op\": \"ZeroOut\""), std::string::npos);
  opsrun_text_free(json);
  opsrun_text* dot = nullptr;
  ASSERT_EQ(opsrun_graph_to_dot(graph_, &dot), OPSRUN_OK);
  EXPECT_EQ(TextOf(opsrun_text_get(dot)).substr(0, 7), "digraph");
  opsrun_text_free(dot);
}

TEST_F(GraphTest, ShowsItsPlan) {
  ASSERT_EQ(Load(kZeroOut), "");
  const int64_t shape[] = {3}, negative[] = {-3};
  const auto plan = [&](const char* feed, int32_t dtype, const int64_t* sizes, uint32_t flags) {
    const opsrun_tensor_info info{opsrun_str_of(feed), dtype, 1, sizes};
    opsrun_text* text = nullptr;
    opsrun_report* report = nullptr;
    opsrun_graph_plan(graph_, &info, 1, flags, &text, &report);
    std::string result = text == nullptr ? CodesOf(report) : TextOf(opsrun_text_get(text));
    opsrun_text_free(text);
    return result;
  };
  EXPECT_NE(plan("x", OPSRUN_DT_INT32, shape, 0).find("int32 [3]"), std::string::npos);
  EXPECT_EQ(plan("x", OPSRUN_DT_INT32, shape, OPSRUN_PLAN_JSON).substr(0, 1), "{");
  EXPECT_EQ(plan("x", OPSRUN_DT_FLOAT, shape, 0), "F202 3:14 ");
  EXPECT_EQ(plan("x", OPSRUN_DT_INT32, negative, 0), "F305 ");
  EXPECT_EQ(plan("y", OPSRUN_DT_INT32, shape, 0), "F301 ");
}

TEST_F(GraphTest, WritesResultsWhereTheCallerWants) {
  ASSERT_EQ(Load(kZeroOut), "");
  const Ints x({2}, {7, 8});
  Ints into({2}, {-1, -1});
  opsrun_out out{};
  out.into = &into.array();
  EXPECT_EQ(Run({x.in()}, &out, 1), "");
  EXPECT_EQ(into.values(), (Values{7, 0}));
  EXPECT_EQ(out.tensor, nullptr);
  Ints small({1}, {-1});
  out.into = &small.array();
  EXPECT_EQ(Run({x.in()}, &out, 1, OPSRUN_INVALID_ARGUMENT), "R506 ");
  EXPECT_EQ(small.values(), (Values{-1}));
}

// The shape is the graph's: known before the run, and with Pad only after it.
TEST_F(GraphTest, LeavesMemoryThatDoesNotFitAsItWas) {
  constexpr char kBoth[] =
      "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\n  by: {dtype: int32, shape: [1, 2]}\n"
      "nodes:\n  z: {op: ZeroOut, in: x}\n  p: {op: Pad, in: [x, by]}\noutputs: [z, p]\n";
  ASSERT_EQ(Load(kBoth), "");
  const Ints x({2}, {7, 8}), by({1, 2}, {0, 1});
  Ints wide({4}, {-1, -1, -1, -1}), square({1, 3}, {-1, -1, -1}), right({3}, {-1, -1, -1});
  opsrun_out outs[2] = {};
  outs[0].into = &wide.array();
  EXPECT_EQ(Run({x.in(), by.in()}, outs, 2, OPSRUN_INVALID_ARGUMENT), "R506 ");
  EXPECT_EQ(wide.values(), (Values{-1, -1, -1, -1}));
  outs[0].into = nullptr;
  outs[1].into = &square.array();
  EXPECT_EQ(Run({x.in(), by.in()}, outs, 2, OPSRUN_INVALID_ARGUMENT), "R506 ");
  EXPECT_EQ(square.values(), (Values{-1, -1, -1}));
  outs[1].into = &right.array();
  EXPECT_EQ(Run({x.in(), by.in()}, outs, 2), "");
  EXPECT_EQ(right.values(), (Values{7, 8, 0}));
  opsrun_outs_free(outs, 2);
}

// Where an output went once, nothing is written later.
TEST_F(GraphTest, ForgetsTheMemoryOfEarlierRuns) {
  ASSERT_EQ(Load(kZeroOut), "");
  const Ints x({2}, {7, 8}), y({2}, {5, 6});
  alignas(64) int32_t first[2] = {-1, -1};
  const int64_t shape[] = {2};
  const opsrun_array into{first, shape, nullptr, OPSRUN_DT_INT32, 1};
  opsrun_out out{};
  out.into = &into;
  EXPECT_EQ(Run({x.in()}, &out, 1), "");
  EXPECT_EQ(first[0], 7);
  EXPECT_EQ(Run({y.in()}, nullptr, 0), "");
  EXPECT_EQ(first[0], 7);
}

TEST_F(GraphTest, RefusesListsAndStringsThatAreNotThere) {
  ASSERT_EQ(Load(kZeroOut), "");
  EXPECT_EQ(opsrun_graph_run(graph_, nullptr, 1, nullptr, 0, nullptr, nullptr), OPSRUN_INVALID_ARGUMENT);
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  s: {dtype: string, shape: [-1]}\noutputs: [s]\n"), "");
  const opsrun_str words[] = {{"a", 1}, {nullptr, 3}};
  const int64_t shape[] = {2};
  opsrun_array array{const_cast<opsrun_str*>(words), shape, nullptr, OPSRUN_DT_STRING, 1};
  opsrun_out out{};
  EXPECT_EQ(Run({{nullptr, &array, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
  array.data = static_cast<char*>(array.data) + 1;
  EXPECT_EQ(Run({{nullptr, &array, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
}

TEST_F(GraphTest, ResultsOutliveGraphAndEngine) {
  ASSERT_EQ(Load(kZeroOut), "");
  const Ints x({4}, {5, 6, 7, 8});
  opsrun_out out{};
  ASSERT_EQ(Run({x.in()}, &out, 1), "");
  opsrun_graph_destroy(std::exchange(graph_, nullptr));
  opsrun_engine_destroy(std::exchange(engine_, nullptr));
  EXPECT_EQ(ValuesOf(out), (Values{5, 0, 0, 0}));
  DLManagedTensorVersioned* const tensor = out.tensor;
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->major, 1u);
  EXPECT_EQ(tensor->dl_tensor.ndim, 1);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->dl_tensor.data) % 64, 0u);
  tensor->deleter(tensor);
}

TEST_F(GraphTest, PlansAgainForOtherShapes) {
  ASSERT_EQ(Load(kZeroOut), "");
  for (const size_t n : {1, 5, 2, 5, 0}) {
    const Ints x({static_cast<int64_t>(n)}, Values(n, 3));
    opsrun_out out{};
    EXPECT_EQ(Run({x.in()}, &out, 1), "");
    EXPECT_EQ(ValuesOf(out).size(), n);
    opsrun_outs_free(&out, 1);
  }
}

TEST_F(GraphTest, CopiesWhatIsNotDense) {
  ASSERT_EQ(Load(kZeroOut), "");
  std::vector<int32_t> memory = {1, -1, 2, -1, 3, -1};
  const int64_t shape[] = {3}, strides[] = {2};
  const opsrun_array every_other{memory.data(), shape, strides, OPSRUN_DT_INT32, 1};
  const int64_t backwards[] = {-1};
  const opsrun_array reversed{&memory[4], shape, backwards, OPSRUN_DT_INT32, 1};
  opsrun_out out{};
  EXPECT_EQ(Run({{nullptr, &every_other, 0, 0}}, &out, 1), "");
  EXPECT_EQ(ValuesOf(out), (Values{1, 0, 0}));
  opsrun_outs_free(&out, 1);
  EXPECT_EQ(Run({{nullptr, &reversed, 0, 0}}, &out, 1), "");
  EXPECT_EQ(ValuesOf(out), (Values{3, 0, 0}));
  opsrun_outs_free(&out, 1);
}

TEST_F(GraphTest, TakesDLPackTensors) {
  ASSERT_EQ(Load(kZeroOut), "");
  std::vector<int32_t> memory = {9, 4, 5};
  int64_t shape[] = {2};
  opsrun_dltensor x{memory.data(), {OPSRUN_DEVICE_CPU, 0}, 1, {0, 32, 1}, shape, nullptr, sizeof(int32_t)};
  opsrun_out out{};
  EXPECT_EQ(Run({{&x, nullptr, 0, 0}}, &out, 1), "");
  EXPECT_EQ(ValuesOf(out), (Values{4, 0}));
  opsrun_outs_free(&out, 1);
  x.device.type = OPSRUN_DEVICE_CUDA;
  EXPECT_EQ(Run({{&x, nullptr, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
  x.device.type = OPSRUN_DEVICE_CPU;
  x.dtype = {0, 24, 1};
  EXPECT_EQ(Run({{&x, nullptr, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
}

TEST_F(GraphTest, ExchangesFloatsOf8BitsWithDLPack) {
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  x: {dtype: float8_e4m3fn, shape: [-1]}\nnodes: {}\noutputs: [x]\n"), "");
  std::vector<uint8_t> memory = {0x38, 0x7e};
  int64_t shape[] = {2};
  constexpr opsrun_dldtype kE4M3FN = {10, 8, 1}, kE5M2 = {12, 8, 1}, kUInt8 = {1, 8, 1}, kInt4 = {0, 4, 1};
  opsrun_dltensor x{memory.data(), {OPSRUN_DEVICE_CPU, 0}, 1, kE4M3FN, shape, nullptr, 0};
  opsrun_out out{};
  EXPECT_EQ(Run({{&x, nullptr, 0, 0}}, &out, 1), "");
  ASSERT_NE(out.tensor, nullptr);
  EXPECT_EQ(out.array.dtype, OPSRUN_DT_FLOAT8_E4M3FN);
  EXPECT_EQ(out.tensor->dl_tensor.dtype.code, 10);
  EXPECT_EQ(out.tensor->dl_tensor.dtype.bits, 8);
  EXPECT_EQ(static_cast<const uint8_t*>(out.array.data)[1], 0x7e);
  opsrun_outs_free(&out, 1);
  x.dtype = kUInt8;
  EXPECT_EQ(Run({{&x, nullptr, OPSRUN_DT_FLOAT8_E4M3FN, 0}}, &out, 1), "");
  opsrun_outs_free(&out, 1);
  EXPECT_EQ(Run({{&x, nullptr, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F202 3:14 ");
  x.dtype = kE5M2;
  EXPECT_EQ(Run({{&x, nullptr, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F202 3:14 ");
  x.dtype = kInt4;
  EXPECT_EQ(Run({{&x, nullptr, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
  EXPECT_EQ(Run({{&x, nullptr, OPSRUN_DT_INT4, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
}

TEST_F(GraphTest, RefusesTensorsThatDoNotFit) {
  ASSERT_EQ(Load(kZeroOut), "");
  float numbers[] = {1, 2};
  const int64_t shape[] = {2};
  const opsrun_array floats{numbers, shape, nullptr, OPSRUN_DT_FLOAT, 1};
  const Ints matrix({1, 2}, {1, 2});
  opsrun_out out{};
  EXPECT_EQ(Run({{nullptr, &floats, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F202 3:14 ");
  EXPECT_EQ(Run({matrix.in()}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F203 3:28 ");
  EXPECT_EQ(Run({{nullptr, nullptr, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
  EXPECT_EQ(Run({}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
  const opsrun_array nowhere{nullptr, shape, nullptr, OPSRUN_DT_INT32, 1};
  EXPECT_EQ(Run({{nullptr, &nowhere, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "F305 ");
}

TEST_F(GraphTest, TellsAllMistakesWithTheirPlaces) {
  EXPECT_EQ(Load("opsrun: 1\nnodes:\n  a: {op: ZeroOt, in: b}\noutputs: [c]\n"), "G201 3:11 G204 3:23 G204 4:11 ");
  EXPECT_EQ(graph_, nullptr);
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_graph_load_file(engine_, opsrun_str_of("/nowhere.yaml"), nullptr, &graph_, &report),
            OPSRUN_NOT_FOUND);
  EXPECT_EQ(CodesOf(report), "G000 ");
}

TEST_F(GraphTest, RendersAReportAsTheProgramDoes) {
  opsrun_report* report = nullptr;
  const std::string text = "opsrun: 1\nnodes:\n  a: {op: ZeroOt}\noutputs: []\n";
  EXPECT_EQ(
      opsrun_graph_load_text(engine_, opsrun_str_of("g.yaml"), {text.data(), text.size()}, nullptr, &graph_, &report),
      OPSRUN_NOT_FOUND);
  const std::string human = TextOf(opsrun_report_text(report, OPSRUN_FORMAT_HUMAN));
  EXPECT_NE(human.find("3 |   a: {op: ZeroOt}"), std::string::npos) << human;
  EXPECT_EQ(TextOf(opsrun_report_text(report, OPSRUN_FORMAT_SHORT)).substr(0, 23), "g.yaml:3:11: error[G201");
  EXPECT_EQ(TextOf(opsrun_report_text(report, OPSRUN_FORMAT_JSON)).substr(0, 16), "{\"level\":\"error\"");
  EXPECT_EQ(TextOf(opsrun_report_text(report, 7)), "");
  const opsrun_diagnostic& d = *opsrun_report_get(report, 0);
  EXPECT_EQ(TextOf(d.suggestion), "ZeroOut");
  EXPECT_EQ(d.exit_status, 3);
  opsrun_report_free(report);
}

TEST_F(GraphTest, AFailureInARunHasItsPlace) {
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  s: {dtype: string, shape: [-1]}\nnodes:\n"
                 "  n: {op: StringToNumber, in: s}\noutputs: [n]\n"),
            "");
  const opsrun_str words[] = {opsrun_str_of("1.5"), opsrun_str_of("x")};
  const int64_t shape[] = {2};
  const opsrun_array strings{const_cast<opsrun_str*>(words), shape, nullptr, OPSRUN_DT_STRING, 1};
  opsrun_out out{};
  EXPECT_EQ(Run({{nullptr, &strings, 0, 0}}, &out, 1, OPSRUN_INVALID_ARGUMENT), "R401 5:31 ");
  EXPECT_EQ(out.tensor, nullptr);
}

TEST_F(GraphTest, GivesStringsAsStrings) {
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  x: {dtype: int32}\nnodes:\n  s: {op: NumberToString, in: x}\noutputs: [s]\n"),
            "");
  const Ints x({2}, {12, -3});
  opsrun_out out{};
  ASSERT_EQ(Run({x.in()}, &out, 1), "");
  opsrun_graph_destroy(std::exchange(graph_, nullptr));
  opsrun_engine_destroy(std::exchange(engine_, nullptr));
  ASSERT_NE(out.strings, nullptr);
  ASSERT_EQ(out.array.dtype, OPSRUN_DT_STRING);
  EXPECT_EQ(TextOf(static_cast<const opsrun_str*>(out.array.data)[0]), "12");
  EXPECT_EQ(TextOf(static_cast<const opsrun_str*>(out.array.data)[1]), "-3");
  opsrun_outs_free(&out, 1);
}

TEST_F(GraphTest, OutputsThatAreOneTensorDoNotShareMemory) {
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  z: {op: ZeroOut, in: x}\n"
                 "outputs: {a: z, b: z, c: x}\n"),
            "");
  const Ints x({2}, {3, 4});
  opsrun_out outs[3] = {};
  ASSERT_EQ(Run({x.in()}, outs, 3), "");
  EXPECT_EQ(ValuesOf(outs[0]), (Values{3, 0}));
  EXPECT_EQ(ValuesOf(outs[1]), (Values{3, 0}));
  EXPECT_EQ(ValuesOf(outs[2]), (Values{3, 4}));
  EXPECT_NE(outs[0].array.data, outs[1].array.data);
  opsrun_outs_free(outs, 3);
}

TEST_F(GraphTest, ManyThreadsRunOneGraph) {
  ASSERT_EQ(Load(kZeroOut), "");
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 1; i <= 200; ++i) {
        const Ints x({1 + caller % 3}, Values(static_cast<size_t>(1 + caller % 3), i));
        opsrun_out out{};
        const opsrun_in in = x.in();
        if (opsrun_graph_run(graph_, &in, 1, &out, 1, nullptr, nullptr) != OPSRUN_OK || ValuesOf(out)[0] != i) ++wrong;
        opsrun_outs_free(&out, 1);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(GraphTest, AStoppedRunSaysSo) {
  ASSERT_EQ(Load(kZeroOut), "");
  opsrun_stop* stop = nullptr;
  ASSERT_EQ(opsrun_stop_create(&stop), OPSRUN_OK);
  opsrun_stop_now(stop);
  const Ints x({1}, {1});
  opsrun_out out{};
  EXPECT_EQ(Run({x.in()}, &out, 1, OPSRUN_CANCELLED, stop), "R401 5:11 ");
  EXPECT_EQ(Run({x.in()}, &out, 1), "") << "the lane runs again";
  opsrun_outs_free(&out, 1);
  opsrun_stop_destroy(stop);
}

TEST_F(GraphTest, TheMemoryLimitIsAnEnginesOwn) {
  opsrun_engine_destroy(engine_);
  engine_ = NewEngine(1024);
  ASSERT_EQ(Load(kZeroOut), "");
  const Ints x({4096}, Values(4096, 1));
  opsrun_out out{};
  EXPECT_EQ(Run({x.in()}, &out, 1, OPSRUN_RESOURCE_EXHAUSTED), "D102 ");
}

}  // namespace
}  // namespace opsrun_test

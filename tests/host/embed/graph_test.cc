// tests/host/embed/graph_test.cc: graphs, run through the C interface.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "host/embed/dlpack.h"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

using Values = std::vector<int32_t>;

class GraphTest : public Embedded {
 protected:
  void SetUp() override {
    Embedded::SetUp();
    ASSERT_EQ(Load(kZeroOut), "");
  }
};

TEST_F(GraphTest, TellsItsFeedsAndOutputs) {
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

TEST_F(GraphTest, ShowsItsPlan) {
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

TEST_F(GraphTest, TakesWhatIsNotDense) {
  Values memory = {1, -1, 2, -1, 3, -1};
  const int64_t shape[] = {3}, forwards[] = {2}, backwards[] = {-1};
  const opsrun_array every_other{memory.data(), shape, forwards, OPSRUN_DT_INT32, 1};
  const opsrun_array reversed{&memory[4], shape, backwards, OPSRUN_DT_INT32, 1};
  EXPECT_EQ(Results({{nullptr, &every_other, 0, 0}}), (Values{1, 0, 0}));
  EXPECT_EQ(Results({{nullptr, &reversed, 0, 0}}), (Values{3, 0, 0}));
}

TEST_F(GraphTest, TakesDLPackTensors) {
  Values memory = {9, 4, 5};
  int64_t shape[] = {2};
  opsrun_dltensor x{memory.data(), {OPSRUN_DEVICE_CPU, 0}, 1, {0, 32, 1}, shape, nullptr, sizeof(int32_t)};
  EXPECT_EQ(Results({{&x, nullptr, 0, 0}}), (Values{4, 0}));
  x.device.type = OPSRUN_DEVICE_CUDA;
  EXPECT_EQ(Refusal({{&x, nullptr, 0, 0}}), "F305 ");
  x.device.type = OPSRUN_DEVICE_CPU;
  x.dtype = {0, 24, 1};
  EXPECT_EQ(Refusal({{&x, nullptr, 0, 0}}), "F305 ");
}

TEST_F(GraphTest, RefusesTensorsThatDoNotFit) {
  float numbers[] = {1, 2};
  const int64_t shape[] = {2};
  const opsrun_array floats{numbers, shape, nullptr, OPSRUN_DT_FLOAT, 1};
  const opsrun_array nowhere{nullptr, shape, nullptr, OPSRUN_DT_INT32, 1};
  EXPECT_EQ(Refusal({{nullptr, &floats, 0, 0}}), "F202 3:14 ");
  EXPECT_EQ(Refusal({Ints({1, 2}, {1, 2}).in()}), "F203 3:28 ");
  EXPECT_EQ(Refusal({{nullptr, nullptr, 0, 0}}), "F305 ");
  EXPECT_EQ(Refusal({}), "F305 ");
  EXPECT_EQ(Refusal({{nullptr, &nowhere, 0, 0}}), "F305 ");
  EXPECT_EQ(opsrun_graph_run(graph_, nullptr, 1, nullptr, 0, nullptr, nullptr), OPSRUN_INVALID_ARGUMENT);
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  s: {dtype: string, shape: [-1]}\noutputs: [s]\n"), "");
  const opsrun_str words[] = {{"a", 1}, {nullptr, 3}};
  opsrun_array array{const_cast<opsrun_str*>(words), shape, nullptr, OPSRUN_DT_STRING, 1};
  EXPECT_EQ(Refusal({{nullptr, &array, 0, 0}}), "F305 ");
  array.data = static_cast<char*>(array.data) + 1;
  EXPECT_EQ(Refusal({{nullptr, &array, 0, 0}}), "F305 ");
}

TEST_F(GraphTest, ResultsOutliveGraphAndEngine) {
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  z: {op: ZeroOut, in: x}\n"
                 "  s: {op: NumberToString, in: x}\noutputs: {a: z, b: z, c: x, d: s}\n"),
            "");
  const Ints x({2}, {12, -3});
  opsrun_out outs[4] = {};
  ASSERT_EQ(Run({x.in()}, outs, 4), "");
  opsrun_graph_destroy(std::exchange(graph_, nullptr));
  opsrun_engine_destroy(std::exchange(engine_, nullptr));
  EXPECT_EQ(ValuesOf(outs[0]), (Values{12, 0}));
  EXPECT_EQ(ValuesOf(outs[1]), (Values{12, 0}));
  EXPECT_EQ(ValuesOf(outs[2]), (Values{12, -3}));
  EXPECT_NE(outs[0].array.data, outs[1].array.data) << "one tensor, but not one memory";
  ASSERT_NE(outs[3].strings, nullptr);
  ASSERT_EQ(outs[3].array.dtype, OPSRUN_DT_STRING);
  EXPECT_EQ(TextOf(static_cast<const opsrun_str*>(outs[3].array.data)[1]), "-3");
  DLManagedTensorVersioned* const tensor = std::exchange(outs[0].tensor, nullptr);
  opsrun_outs_free(outs, 4);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->major, 1u);
  EXPECT_EQ(tensor->dl_tensor.ndim, 1);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->dl_tensor.data) % 64, 0u);
  tensor->deleter(tensor);
}

TEST_F(GraphTest, RendersAReportAsTheProgramDoes) {
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_graph_load_text(engine_, opsrun_str_of("g.yaml"),
                                   opsrun_str_of("opsrun: 1\nnodes:\n  a: {op: ZeroOt}\noutputs: []\n"), nullptr,
                                   &graph_, &report),
            OPSRUN_NOT_FOUND);
  EXPECT_EQ(TextOf(opsrun_report_text(report, OPSRUN_FORMAT_JSON)).substr(0, 16), "{\"level\":\"error\"");
  EXPECT_EQ(TextOf(opsrun_report_text(report, 7)), "");
  EXPECT_EQ(opsrun_report_get(report, 0)->exit_status, 3);
  opsrun_report_free(report);
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
  EXPECT_EQ(outs[1].tensor, nullptr);
  opsrun_outs_free(outs, 2);
}

// Where an output went once, nothing is written later.
TEST_F(GraphTest, ForgetsTheMemoryOfEarlierRuns) {
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
  EXPECT_EQ(Refusal({{&x, nullptr, 0, 0}}), "F202 3:14 ");
  x.dtype = kE5M2;
  EXPECT_EQ(Refusal({{&x, nullptr, 0, 0}}), "F202 3:14 ");
  x.dtype = kInt4;
  EXPECT_EQ(Refusal({{&x, nullptr, 0, 0}}), "F305 ");
  EXPECT_EQ(Refusal({{&x, nullptr, OPSRUN_DT_INT4, 0}}), "F305 ");
}

TEST_F(GraphTest, AFailureInARunHasItsPlace) {
  ASSERT_EQ(Load("opsrun: 1\nfeeds:\n  s: {dtype: string, shape: [-1]}\nnodes:\n"
                 "  n: {op: StringToNumber, in: s}\noutputs: [n]\n"),
            "");
  const opsrun_str words[] = {opsrun_str_of("1.5"), opsrun_str_of("x")};
  const int64_t shape[] = {2};
  const opsrun_array strings{const_cast<opsrun_str*>(words), shape, nullptr, OPSRUN_DT_STRING, 1};
  EXPECT_EQ(Refusal({{nullptr, &strings, 0, 0}}), "R401 5:31 ");
}

TEST_F(GraphTest, AStoppedRunSaysSo) {
  opsrun_stop* stop = nullptr;
  ASSERT_EQ(opsrun_stop_create(&stop), OPSRUN_OK);
  opsrun_stop_now(stop);
  const Ints x({1}, {1});
  opsrun_out out{};
  EXPECT_EQ(Run({x.in()}, &out, 1, OPSRUN_CANCELLED, stop), "R401 5:11 ");
  EXPECT_EQ(Results({x.in()}), Values{1}) << "the lane runs again";
  opsrun_stop_destroy(stop);
}

}  // namespace
}  // namespace opsrun_test

// tests/host/embed/embed_hpp_test.cc: graphs, run through the C++ layer, which gives what the C interface gives, as
// objects and exceptions; feeds and results of DLPack.
// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "host/embed/objects.h"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

TEST(EmbedHpp, RunsAGraphOnTheCallersMemory) {
  const Graph graph = ZeroOut();
  ASSERT_EQ(graph.n_feeds(), 1u);
  EXPECT_EQ(Text(graph.feed(0).name), "x");
  EXPECT_EQ(graph.feed(0).dtype, kInt32);
  ASSERT_EQ(graph.feed(0).rank, 1);
  EXPECT_EQ(graph.feed(0).shape[0], -1);
  EXPECT_EQ(graph.find_feed("x"), 0);
  EXPECT_EQ(graph.find_output("z"), 0);
  EXPECT_EQ(graph.find_output("y"), -1);
  EXPECT_EQ(opsrun_graph_output(graph.get(), 1), nullptr);
  const std::vector<int32_t> x = {7, 8, 9};
  const std::vector<Tensor> results = graph.Run({{x.data(), {3}}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].dtype(), OPSRUN_DT_INT32);
  EXPECT_THAT(results[0].shape(), ElementsAre(3));
  EXPECT_THAT(All(results[0]), ElementsAre(7, 0, 0));
  EXPECT_THROW(results[0].data<float>(), std::invalid_argument);
  EXPECT_THAT(All(graph.RunNamed({{"x", {x.data(), {3}}}})[0]), ElementsAre(7, 0, 0));
  EXPECT_THROW(graph.RunNamed({}), std::invalid_argument);
  EXPECT_THROW(graph.RunNamed({{"x", {x.data(), {3}}}, {"y", {x.data(), {3}}}}), std::invalid_argument);
}

TEST(EmbedHpp, WritesResultsWhereTheCallerWants) {
  const Graph graph = ZeroOut();
  // [into]
  const std::vector<int32_t> x = {7, 8};
  std::vector<int32_t> z(2, -1);
  graph.RunInto({{x.data(), {2}}}, {{z.data(), {2}}});
  // [/into]
  EXPECT_THAT(z, ElementsAre(7, 0));
  EXPECT_EQ(ErrorOf([&] { graph.RunInto({{x.data(), {2}}}, {{z.data(), {1}}}); }).code(), OPSRUN_INVALID_ARGUMENT);
  // Where an output went once, nothing is written later.
  const int32_t y[] = {5, 6};
  alignas(64) int32_t first[2] = {-1, -1};
  graph.RunInto({{x.data(), {2}}}, {{first, {2}}});
  EXPECT_EQ(first[0], 7);
  graph.RunInto({{y, {2}}}, {});
  EXPECT_EQ(first[0], 7);
}

// The shape is the graph's: known before the run, and with Pad only after it.
TEST(EmbedHpp, LeavesMemoryThatDoesNotFitAsItWas) {
  const Graph graph = GraphOf(
      "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\n  by: {dtype: int32, shape: [1, 2]}\n"
      "nodes:\n  z: {op: ZeroOut, in: x}\n  p: {op: Pad, in: [x, by]}\noutputs: [z, p]\n");
  const int32_t x[] = {7, 8}, by[] = {0, 1};
  std::vector<int32_t> wide(4, -1), zeroed(2, -1), padded(3, -1);
  const std::vector<View> feeds = {{x, {2}}, {by, {1, 2}}};
  EXPECT_EQ(Refusal([&] { graph.RunInto(feeds, {{wide.data(), {4}}}); }), "R506 ");
  EXPECT_THAT(wide, ElementsAre(-1, -1, -1, -1));
  EXPECT_EQ(Refusal([&] { graph.RunInto(feeds, {{zeroed.data(), {2}}, {padded.data(), {1, 3}}}); }), "R506 ");
  EXPECT_THAT(padded, ElementsAre(-1, -1, -1));
  graph.RunInto(feeds, {{zeroed.data(), {2}}, {padded.data(), {3}}});
  EXPECT_THAT(padded, ElementsAre(7, 8, 0));
}

TEST(EmbedHpp, GivesMemoryForOutputsThatHaveNone) {
  const Graph graph = GraphOf(
      "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [2]}\nnodes:\n  z: {op: ZeroOut, in: x}\noutputs: [x, z]\n");
  const int64_t shape[] = {2};
  int32_t x[] = {7, 8}, zeroed[] = {-1, -1};
  const opsrun_array array{x, shape, nullptr, OPSRUN_DT_INT32, 1, {}},
      into{zeroed, shape, nullptr, OPSRUN_DT_INT32, 1, {}};
  const opsrun_in feed{nullptr, &array, 0, 0, nullptr, {}};
  opsrun_out outs[2] = {};
  outs[1].into = &into;
  ASSERT_EQ(opsrun_graph_run(graph.get(), &feed, 1, outs, 2, nullptr, nullptr), OPSRUN_OK);
  EXPECT_NE(outs[0].tensor, nullptr);
  EXPECT_EQ(outs[1].tensor, nullptr);
  EXPECT_THAT(zeroed, ElementsAre(7, 0));
  opsrun_outs_free(outs, 2);
}

TEST(EmbedHpp, RefusesTensorsThatDoNotFit) {
  const Graph graph = ZeroOut();
  const float floats[] = {1, 2};
  const int32_t ints[] = {1, 2};
  EXPECT_EQ(Refusal([&] { graph.Run({{floats, {2}}}); }), "F202 3:14 ");
  EXPECT_EQ(Refusal([&] { graph.Run({{ints, {1, 2}}}); }), "F203 3:28 ");
  EXPECT_EQ(Refusal([&] { graph.Run({View(static_cast<const opsrun_dltensor*>(nullptr))}); }), "F305 ");
  EXPECT_EQ(Refusal([&] { graph.Run({}); }), "F305 ");
  EXPECT_EQ(Refusal([&] { graph.Run({View(nullptr, kInt32, {2})}); }), "F305 ");
  const opsrun_in nothing{};
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_graph_run(graph.get(), &nothing, 1, nullptr, 0, nullptr, &report), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(CodesOf(Report(report)), "F305 ");
  EXPECT_EQ(opsrun_graph_run(graph.get(), nullptr, 1, nullptr, 0, nullptr, nullptr), OPSRUN_INVALID_ARGUMENT);
  const Graph of_strings = GraphOf("opsrun: 1\nfeeds:\n  s: {dtype: string, shape: [-1]}\noutputs: [s]\n");
  const opsrun_str words[] = {{"a", 1}, {nullptr, 3}};
  EXPECT_EQ(Refusal([&] { of_strings.Run({{words, {2}}}); }), "F305 ");
  const char* const odd = reinterpret_cast<const char*>(words) + 1;
  EXPECT_EQ(Refusal([&] { of_strings.Run({View(odd, OPSRUN_DT_STRING, {2})}); }), "F305 ");
}

TEST(EmbedHpp, StringsAreViews) {
  const Graph graph =
      Bundled().LoadText("test.yaml",
                         "opsrun: 1\nfeeds: {s: {dtype: string}}\nnodes:\n  n: {op: StringToNumber, in: s}\n"
                         "  t: {op: NumberToString, in: n}\noutputs: [t]\n");
  // [strings]
  const std::vector<std::string> words = {"0.5", "2"};
  const std::vector<opsrun_str> feed = {Str(words[0]), Str(words[1])};
  std::vector<Tensor> results = graph.Run({{feed.data(), {2}}});
  const std::string_view first = Text(results[0].data<opsrun_str>()[0]);
  // [/strings]
  EXPECT_EQ(first, "0.5");
  EXPECT_EQ(results[0].release(), nullptr);
  EXPECT_EQ(ErrorOf([&] { graph.Run({{&feed[0], {}}, {&feed[1], {}}}); }).report().size(), 1u);
  const opsrun_str wrong = Str("x");
  EXPECT_EQ(Refusal([&] { graph.Run({{&wrong, {1}}}); }), "R401 4:31 ") << "a failure in a run has its place";
}

// [report]
void Print(const Report& report, std::ostream& out) {
  for (uint32_t i = 0; i < report.size(); ++i) {
    const opsrun_diagnostic& found = report[i];
    out << Text(found.code) << " " << found.where.line << ":" << found.where.column << " " << Text(found.message)
        << "\n";
  }
}
// [/report]

TEST(EmbedHpp, AnErrorCarriesTheReport) {
  const Engine engine = Bundled();
  const Error error =
      ErrorOf([&] { engine.LoadText("g.yaml", "opsrun: 1\nnodes:\n  a: {op: ZeroOt, in: b}\noutputs: [a]\n"); });
  EXPECT_EQ(error.code(), OPSRUN_NOT_FOUND);
  EXPECT_THAT(error.what(), HasSubstr("3 |   a: {op: ZeroOt, in: b}"));
  std::ostringstream printed;
  Print(error.report(), printed);
  EXPECT_EQ(printed.str(), "G201 3:11 no op named 'ZeroOt'\nG204 3:23 no feed or node named 'b'\n");
  ASSERT_EQ(error.report().size(), 2u);
  EXPECT_EQ(Text(error.report()[0].suggestion), "ZeroOut");
  EXPECT_EQ(error.report()[0].exit_status, 3);
  EXPECT_EQ(error.report().text(OPSRUN_FORMAT_SHORT).substr(0, 12), "g.yaml:3:11:");
  EXPECT_EQ(error.report().text(OPSRUN_FORMAT_JSON).substr(0, 16), "{\"level\":\"error\"");
  EXPECT_EQ(error.report().text(7), "");
  EXPECT_THAT(ErrorOf([&] { engine.LoadFile("/nowhere.yaml"); }).what(), HasSubstr("G000"));
  EXPECT_THAT(ErrorOf([] { Builder().Feed("x", -1); }).what(), HasSubstr("code 3"));
}

TEST(EmbedHpp, CallsPreparedOps) {
  const Engine engine = Bundled();
  const std::vector<int32_t> x = {1, 2, 3};
  // [prepare]
  const PreparedOp keep_second =
      engine.Prepare("ZeroOut", {{"to_zero", OPSRUN_DT_INT32, {3}}}, {Attr::Int("preserve_index", 1)});
  const std::vector<Tensor> kept = keep_second.Call({{x.data(), {3}}});
  // [/prepare]
  engine.Trim();
  EXPECT_EQ(Text(keep_second.output(0).name), "zeroed");
  EXPECT_THAT(All(kept[0]), ElementsAre(0, 2, 0));
  const PreparedOp add =
      engine.Prepare("AddN", {{"inputs", OPSRUN_DT_INT32, {3}, true}, {"inputs", OPSRUN_DT_INT32, {3}, true}});
  std::vector<int32_t> sum(3);
  add.CallInto({{x.data(), {3}}, {x.data(), {3}}}, {{sum.data(), {3}}});
  EXPECT_THAT(sum, ElementsAre(2, 4, 6));
}

TEST(EmbedHpp, StopsRuns) {
  const Graph graph = ZeroOut();
  Stop stop;
  stop.Now();
  const int32_t x = 1;
  EXPECT_EQ(Refusal([&] { graph.Run({{&x, {1}}}, &stop); }, OPSRUN_CANCELLED), "R401 5:11 ");
  EXPECT_THAT(All(graph.Run({{&x, {1}}})[0]), ElementsAre(1)) << "the lane runs again";
}

TEST(EmbedHpp, BuildsGraphs) {
  const Engine engine = Bundled();
  // [builder]
  const std::vector<int32_t> tens = {10, 10};
  Builder builder;
  builder.Feed("x", OPSRUN_DT_INT32, {-1});
  builder.Constant("tens", {tens.data(), {2}});
  builder.Node("z", "ZeroOut", {"x"}, {Attr::Int("preserve_index", 1)});
  builder.Node("sum", "AddN", {NodeInput::List({"z", "tens"})});
  builder.Output("sum", "sum");
  const std::string yaml = builder.ToYaml();
  const Graph graph = builder.Load(engine, "built");
  // [/builder]
  const std::vector<int32_t> x = {1, 2};
  EXPECT_THAT(All(graph.Run({{x.data(), {2}}})[0]), ElementsAre(10, 12));
  EXPECT_THAT(All(engine.LoadText("written", yaml).Run({{x.data(), {2}}})[0]), ElementsAre(10, 12)) << yaml;
  const int64_t two[] = {2};
  EXPECT_EQ(Refusal([&] { graph.Plan({{Str("tens"), OPSRUN_DT_INT32, 1, two}}); }), "F303 4:3 ");
}

TEST(EmbedHpp, ObjectsMayEndInAnyOrder) {
  auto engine = std::make_unique<Engine>(Bundled());
  auto graph = std::make_unique<Graph>(engine->LoadText("test.yaml", kZeroOut));
  engine.reset();
  const int32_t x = 3;
  Tensor result = std::move(graph->Run({{&x, {1}}})[0]);
  graph.reset();
  Tensor other = std::move(result);
  EXPECT_THAT(All(other), ElementsAre(3));
}

constexpr char kSquares[] = R"(
opsrun: 1
feeds:
  x: {dtype: float32, shape: [3]}
nodes:
  squares: {op: Mul, in: [x, x]}
outputs: [squares]
)";

TEST(EmbedHpp, DifferentiatesAGraph) {
  const Engine engine = Bundled();
  const Graph graph = engine.LoadText("test.yaml", kSquares);
  // [differentiate]
  const std::vector<float> x = {1, 2, 3};
  const Graph with_gradient = graph.Differentiate({"squares"}, {"x"});
  const std::vector<Tensor> results = with_gradient.Run({{x.data(), {3}}});
  const float* grad_x = results[with_gradient.find_output("grad_x")].data<float>();  // 2, 4, 6
  // [/differentiate]
  EXPECT_THAT(std::vector<float>(grad_x, grad_x + 3), ElementsAre(2, 4, 6));
  EXPECT_THAT(with_gradient.ToYaml(), HasSubstr("gradient_of: squares"));
  EXPECT_EQ(graph.ToYaml(), kSquares);
  EXPECT_THAT(with_gradient.ToJson(), HasSubstr("\"gradient_of\": \"squares\""));
  EXPECT_THAT(with_gradient.ToDot(), HasSubstr("squares"));
  EXPECT_THAT(with_gradient.Plan(), HasSubstr("squares"));
  // Weights beside a graph.
  EXPECT_THAT(graph.ToYaml({{"x", "weights.npz", "w"}}), HasSubstr("npz: weights.npz, key: w"));
  EXPECT_THROW(graph.ToYaml({{"y", "weights.npz", "w"}}), Error);
}

TEST(EmbedHpp, ShowsThePlanForTypesOfFeeds) {
  const Graph graph = ZeroOut();
  const int64_t shape[] = {3}, negative[] = {-3};
  const auto plan = [&](const char* feed, int32_t dtype, const int64_t* sizes, uint32_t flags) {
    return graph.Plan({{Str(feed), dtype, 1, sizes}}, flags);
  };
  EXPECT_THAT(plan("x", kInt32, shape, 0), HasSubstr("int32 [3]"));
  EXPECT_EQ(plan("x", kInt32, shape, OPSRUN_PLAN_JSON).substr(0, 1), "{");
  EXPECT_EQ(Refusal([&] { plan("x", kFloat, shape, 0); }), "F202 3:14 ");
  EXPECT_EQ(Refusal([&] { plan("x", kInt32, negative, 0); }), "F305 ");
  EXPECT_EQ(Refusal([&] { plan("y", kInt32, shape, 0); }), "F301 ");
}

TEST(EmbedHpp, TakesAGradientForANodeWhoseOpDeclaresNone) {
  Engine engine = Bundled();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(engine.AddPlugin(OPSRUN_GRADIENT_OPS), "test_gradients");
  const Graph graph = engine.LoadText("test.yaml", R"(
opsrun: 1
feeds: {x: {dtype: float32, shape: [3]}}
nodes: {y: {op: TestUndeclared, in: x}}
outputs: [y]
)");
  EXPECT_THAT(ErrorOf([&] { graph.Differentiate({"y"}, {"x"}); }).what(), HasSubstr("declares no gradient"));
  const char* const text = "{nodes: {dx: {op: Mul, in: [grad.y, x]}}, outputs: {x: dx}}";
  const Graph gradient = graph.Differentiate({"y"}, {"x"}, {{"y", text}});
  const std::vector<float> x = {2, 3, 5};
  const std::vector<Tensor> results = gradient.Run({{x.data(), {3}}});
  const float* grad_x = results[1].data<float>();
  EXPECT_THAT(std::vector<float>(grad_x, grad_x + 3), ElementsAre(2, 3, 5));
  EXPECT_THAT(ErrorOf([&] {
                graph.Differentiate({"y"}, {"x"}, {{"y", "outputs: {x: nothing}"}});
              }).what(),
              HasSubstr("the gradient provided for node 'y' is invalid"));
}

}  // namespace

namespace {

TEST(DLPack, FeedsResultsStridesAndDLPack) {
  const Graph graph = ZeroOut();
  std::vector<int32_t> x = {1, 2, 3, 4};
  const Tensor first = std::move(graph.Run({View(x.data(), OPSRUN_DT_INT32, {2}, {2})})[0]);
  EXPECT_THAT(All(first), ElementsAre(1, 0));
  EXPECT_THAT(All(graph.Run({first.view()})[0]), ElementsAre(1, 0));
  EXPECT_THAT(All(graph.Run({View(&x[3], kInt32, {3}, {-1})})[0]), ElementsAre(4, 0, 0));
  int64_t shape[] = {3};
  opsrun_dltensor tensor{x.data(), {OPSRUN_DEVICE_CPU, 0}, 1, {0, 32, 1}, shape, nullptr, sizeof(int32_t)};
  EXPECT_THAT(All(graph.Run({View(&tensor)})[0]), ElementsAre(2, 0, 0));
  tensor.device = {OPSRUN_DEVICE_CUDA, 999};
  EXPECT_EQ(Refusal([&] { graph.Run({View(&tensor)}); }, OPSRUN_UNAVAILABLE), "D201 ") << "there is no such GPU";
  tensor.device = {OPSRUN_DEVICE_CPU, 0};
  tensor.dtype = {0, 24, 1};
  EXPECT_EQ(Refusal([&] { graph.Run({View(&tensor)}); }), "F305 ");
  EXPECT_THROW(View(x.data(), OPSRUN_DT_INT32, {2, 2}, {1}), std::invalid_argument);
}

TEST(DLPack, ResultsOutliveGraphAndEngineAndAreHandedOverToDLPack) {
  const int32_t x[] = {12, -3};
  std::vector<Tensor> results =
      GraphOf(
          "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  z: {op: ZeroOut, in: x}\n"
          "  s: {op: NumberToString, in: x}\noutputs: {a: z, b: z, c: x, d: s}\n")
          .Run({{x, {2}}});
  EXPECT_THAT(All(results[0]), ElementsAre(12, 0));
  EXPECT_THAT(All(results[1]), ElementsAre(12, 0));
  EXPECT_THAT(All(results[2]), ElementsAre(12, -3));
  EXPECT_NE(results[0].data(), results[1].data()) << "one tensor, but not one memory";
  EXPECT_EQ(Text(results[3].data<opsrun_str>()[1]), "-3");
  DLManagedTensorVersioned* const tensor = results[0].release();
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(results[0].release(), nullptr);
  results.clear();
  EXPECT_EQ(tensor->major, 1u);
  EXPECT_EQ(tensor->dl_tensor.ndim, 1);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->dl_tensor.data) % 64, 0u);
  EXPECT_EQ(*static_cast<int32_t*>(tensor->dl_tensor.data), 12);
  tensor->deleter(tensor);
}

TEST(DLPack, ExchangesFloatsOf8BitsWithDLPack) {
  const Graph graph = GraphOf("opsrun: 1\nfeeds:\n  x: {dtype: float8_e4m3fn, shape: [-1]}\nnodes: {}\noutputs: [x]\n");
  std::vector<uint8_t> memory = {0x38, 0x7e};
  int64_t shape[] = {2};
  opsrun_dltensor x{memory.data(), {OPSRUN_DEVICE_CPU, 0}, 1, {}, shape, nullptr, 0};
  const auto refusal = [&](opsrun_dldtype dtype, int32_t as = 0) {
    x.dtype = dtype;
    return Refusal([&] { graph.Run({View(&x, as)}); });
  };
  constexpr opsrun_dldtype kE4M3FN = {10, 8, 1}, kE5M2 = {12, 8, 1}, kUInt8 = {1, 8, 1}, kInt4 = {0, 4, 1};
  x.dtype = kE4M3FN;
  Tensor result = std::move(graph.Run({View(&x)})[0]);
  EXPECT_EQ(result.dtype(), OPSRUN_DT_FLOAT8_E4M3FN);
  EXPECT_EQ(static_cast<const uint8_t*>(result.data())[1], 0x7e);
  DLManagedTensorVersioned* const tensor = result.release();
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->dl_tensor.dtype.code, 10);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 8);
  tensor->deleter(tensor);
  x.dtype = kUInt8;
  graph.Run({View(&x, OPSRUN_DT_FLOAT8_E4M3FN)});
  EXPECT_EQ(refusal(kUInt8), "F202 3:14 ");
  EXPECT_EQ(refusal(kE5M2), "F202 3:14 ");
  EXPECT_EQ(refusal(kInt4), "F305 ");
  EXPECT_EQ(refusal(kInt4, OPSRUN_DT_INT4), "F305 ");
}

}  // namespace
}  // namespace opsrun_test

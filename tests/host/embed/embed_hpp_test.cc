// tests/host/embed/embed_hpp_test.cc: the C++ layer gives what the C interface gives, as objects and exceptions.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "host/embed/dlpack.h"
#include "opsrun/embed.hpp"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

using namespace opsrun::embed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Engine Bundled() {
  EngineOptions options;
  options.plugins = {OPSRUN_BUNDLED_PLUGINS};
  options.default_plugins = false;
  options.threads = 2;
  return Engine(options);
}

Graph ZeroOut() {
  return Bundled().LoadText("test.yaml", kZeroOut);
}

std::vector<int32_t> Ints32(const Tensor& tensor) {
  return {tensor.data<int32_t>(), tensor.data<int32_t>() + tensor.size()};
}

// The error that `call` throws.
template <typename Call>
Error ErrorOf(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(OPSRUN_OK, Report());
}

TEST(EmbedHpp, RunsAGraphOnTheCallersMemory) {
  const Engine engine = Bundled();
  const Graph graph = engine.LoadText("test.yaml", kZeroOut);
  ASSERT_EQ(graph.n_feeds(), 1u);
  EXPECT_EQ(Text(graph.feed(0).name), "x");
  EXPECT_EQ(graph.find_output("z"), 0);
  EXPECT_EQ(graph.find_output("y"), -1);
  const std::vector<int32_t> x = {7, 8, 9};
  const std::vector<Tensor> results = graph.Run({{x.data(), {3}}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].dtype(), OPSRUN_DT_INT32);
  EXPECT_THAT(results[0].shape(), ElementsAre(3));
  EXPECT_THAT(Ints32(results[0]), ElementsAre(7, 0, 0));
  EXPECT_THROW(results[0].data<float>(), std::invalid_argument);
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
}

TEST(EmbedHpp, FeedsResultsStridesAndDLPack) {
  const Graph graph = ZeroOut();
  std::vector<int32_t> x = {1, 2, 3, 4};
  const Tensor first = std::move(graph.Run({View(x.data(), OPSRUN_DT_INT32, {2}, {2})})[0]);
  EXPECT_THAT(Ints32(first), ElementsAre(1, 0));
  EXPECT_THAT(Ints32(graph.Run({first.view()})[0]), ElementsAre(1, 0));
  int64_t shape[] = {4};
  const opsrun_dltensor tensor{x.data(), {OPSRUN_DEVICE_CPU, 0}, 1, {0, 32, 1}, shape, nullptr, 0};
  EXPECT_THAT(Ints32(graph.Run({View(&tensor)})[0]), ElementsAre(1, 0, 0, 0));
  EXPECT_THROW(View(x.data(), OPSRUN_DT_INT32, {2, 2}, {1}), std::invalid_argument);
}

TEST(EmbedHpp, HandsResultsOverToDLPack) {
  const std::vector<int32_t> x = {5, 6};
  std::vector<Tensor> results = ZeroOut().Run({{x.data(), {2}}});
  DLManagedTensorVersioned* const tensor = results[0].release();
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(results[0].release(), nullptr);
  results.clear();
  EXPECT_EQ(*static_cast<int32_t*>(tensor->dl_tensor.data), 5);
  tensor->deleter(tensor);
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
  EXPECT_EQ(printed.str(), "G201 3:11 no op named 'ZeroOt'\nG204 3:23 nothing is named 'b'\n");
  ASSERT_EQ(error.report().size(), 2u);
  EXPECT_EQ(Text(error.report()[0].suggestion), "ZeroOut");
  EXPECT_EQ(error.report().text(OPSRUN_FORMAT_SHORT).substr(0, 12), "g.yaml:3:11:");
  EXPECT_THAT(ErrorOf([&] { engine.LoadFile("/nowhere.yaml"); }).what(), HasSubstr("G000"));
  EXPECT_THAT(ErrorOf([] { Builder().Feed("x", -1); }).what(), HasSubstr("code 3"));
}

TEST(EmbedHpp, ListsPluginsAndDescribesOps) {
  Engine engine = Bundled();
  const Plugins plugins = engine.ListPlugins();
  ASSERT_GT(plugins.size(), 1u);
  EXPECT_EQ(plugins[0].state, OPSRUN_PLUGIN_OK);
  EXPECT_EQ(Text(engine.FindOp("AddN")->plugin), "list_ops");
  EXPECT_EQ(ErrorOf([&] { engine.FindOp("Nothing"); }).code(), OPSRUN_NOT_FOUND);
  EXPECT_EQ(ErrorOf([&] { engine.AddPlugin("/no/such.so"); }).code(), OPSRUN_FAILED_PRECONDITION);
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
  EXPECT_THAT(Ints32(kept[0]), ElementsAre(0, 2, 0));
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
  EXPECT_EQ(ErrorOf([&] { graph.Run({{&x, {1}}}, &stop); }).code(), OPSRUN_CANCELLED);
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
  EXPECT_THAT(Ints32(graph.Run({{x.data(), {2}}})[0]), ElementsAre(10, 12));
  EXPECT_THAT(Ints32(engine.LoadText("written", yaml).Run({{x.data(), {2}}})[0]), ElementsAre(10, 12)) << yaml;
}

// Each kind of attr, as the graph file has it.
TEST(EmbedHpp, WritesAllThatANodeMaySay) {
  const std::vector<Attr> attrs = {Attr::Int("i", -1),
                                   Attr::Bool("b", true),
                                   Attr::Type("t", OPSRUN_DT_HALF),
                                   Attr::Float("f", 0.5),
                                   Attr::String("s", "a b"),
                                   Attr::Shape("shape", {2, -1}),
                                   Attr::Ints("is", {1, 2}),
                                   Attr::Bools("bs", {true, false}),
                                   Attr::Types("ts", {OPSRUN_DT_BOOL}),
                                   Attr::Floats("fs", {1, 2}),
                                   Attr::Strings("ss", {"x", "y"})};
  Builder builder;
  builder.Node("n", "Op", {NodeInput("x").For("in")}, attrs, {{"m"}, "fast"});
  EXPECT_THAT(builder.ToYaml(),
              HasSubstr("attrs:\n      i: -1\n      b: true\n      t: float16\n      f: 0.5\n      s: a b\n"
                        "      shape: [2, -1]\n      is: [1, 2]\n      bs: [true, false]\n      ts: [bool]\n"
                        "      fs: [1.0, 2.0]\n      ss: [x, y]\n    after: [m]\n    label: fast\n"));
}

TEST(EmbedHpp, ObjectsMayEndInAnyOrder) {
  auto engine = std::make_unique<Engine>(Bundled());
  auto graph = std::make_unique<Graph>(engine->LoadText("test.yaml", kZeroOut));
  engine.reset();
  const int32_t x = 3;
  Tensor result = std::move(graph->Run({{&x, {1}}})[0]);
  graph.reset();
  Tensor other = std::move(result);
  EXPECT_THAT(Ints32(other), ElementsAre(3));
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
}

TEST(EmbedHpp, StoresWeightsBesideAGraph) {
  const Graph graph = Bundled().LoadText("test.yaml", kSquares);
  EXPECT_THAT(graph.ToYaml({{"x", "weights.npz", "w"}}), HasSubstr("npz: weights.npz, key: w"));
  EXPECT_THROW(graph.ToYaml({{"y", "weights.npz", "w"}}), Error);
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
              HasSubstr("the gradient that is given for node 'y' is invalid"));
}

}  // namespace
}  // namespace opsrun_test

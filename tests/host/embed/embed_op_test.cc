// tests/host/embed/embed_op_test.cc: single ops, prepared once or by each call for the tensors that it gets, and graphs
// that are built by calls.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/embed_op.hpp"

#include <cstring>
#include <thread>

#include "host/embed/objects.h"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

// With the ops of the tests beside those that are bundled.
Engine WithTestOps() {
  const std::string_view test_ops = OPSRUN_GRADIENT_OPS;
  return EngineOf({OPSRUN_BUNDLED_PLUGINS, std::string(test_ops.substr(0, test_ops.rfind('/')))});
}

TEST(EmbedOp, ARunEndsAtItsTimeout) {
  const Engine engine = WithTestOps();
  const Graph graph = engine.LoadText("test.yaml",
                                      "opsrun: 1\nfeeds: {x: {dtype: int32}}\nnodes:\n"
                                      "  slow: {op: TestSleep, in: x, attrs: {seconds: 60}}\noutputs: [slow]\n");
  const int32_t x = 1;
  EXPECT_EQ(Refusal([&] { graph.Run({{&x, {1}}}, {nullptr, 10}); }, OPSRUN_DEADLINE_EXCEEDED), "R403 4:14 ");
  Stop stop;
  stop.Now();
  EXPECT_EQ(Refusal([&] { graph.Run({{&x, {1}}}, {&stop, UINT64_MAX}); }, OPSRUN_CANCELLED), "R401 4:14 ");
}

TEST(EmbedOp, TakesTensorsOfAnyTypeAndShape) {
  const Engine engine = WithTestOps();
  const Op zero_out(engine, "ZeroOut", {Attr::Int("preserve_index", 1)});
  const std::vector<int32_t> ints = {1, 2, 3};
  const std::vector<float> floats = {1, 2, 3, 4};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(All(zero_out.Call({{"to_zero", View(ints.data(), {3})}}).Take()), ElementsAre(0, 2, 0));
    EXPECT_THAT(All<float>(zero_out.Call({{"to_zero", View(floats.data(), {2, 2})}}).Take()), ElementsAre(0, 2, 0, 0));
  }
}

TEST(EmbedOp, TakesAndGivesLists) {
  const Engine engine = WithTestOps();
  const std::vector<int32_t> x = {1, 2, 3, 4};
  const Op add(engine, "AddN");
  const std::vector<View> both = {{x.data(), {4}}, {x.data(), {4}}};
  const Tensor sum = add.Call({{"inputs", both}}).Take();
  EXPECT_THAT(All(sum), ElementsAre(2, 4, 6, 8));
  const Op split(engine, "Split", {Attr::Int("num_split", 2)});
  const int32_t axis = 0;
  OpResults results = split.Call({{"split_dim", View(&axis, {})}, {"value", sum}});  // a result is an argument
  const std::vector<Tensor> parts = results.TakeList("output");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(All(parts[1]), ElementsAre(6, 8));
  EXPECT_TRUE(results.TakeList("output").empty());
}

TEST(EmbedOp, ThrowsWhatTheOpReports) {
  const Engine engine = WithTestOps();
  const float x[] = {1, 2};
  Op concat(engine, "Concat");
  EXPECT_THROW(concat.Call({{"concat_dim", View(x, {2})}}), Error);
  EXPECT_THROW(Op(engine, "Nothing").Call({}), Error);
  int64_t shape[] = {2};
  const opsrun_dltensor tensor{const_cast<float*>(x), {OPSRUN_DEVICE_CPU, 0}, 1, {2, 32, 1}, shape, nullptr, 0};
  EXPECT_THROW(Op(engine, "ZeroOut").Call({{"to_zero", View(&tensor)}}), std::invalid_argument);
}

// An error is found in a graph without places, and once more in its text; a warning needs no second kernel.
TEST(EmbedOp, FailsIfItsKernelCanBeConstructedOnlyTheSecondTime) {
  const Engine engine = WithTestOps();
  const Op busy(engine, "TestBusy");
  EXPECT_EQ(Refusal([&] { busy.Call({}); }), "G216 ");
  EXPECT_THAT(All(busy.Call({}).Take()), ElementsAre(3));
  EXPECT_THAT(All(Op(WithTestOps(), "TestOutdated").Call({}).Take()), ElementsAre(1));
}

TEST(EmbedOp, MayBeCalledByManyThreads) {
  const Engine engine = WithTestOps();
  const Op zero_out(engine, "ZeroOut");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int& each : wrong) {
    threads.emplace_back([&] {
      const std::vector<int32_t> x(100, 7);
      for (int64_t n = 1; n <= 100; ++n) {  // more shapes than it keeps
        const Tensor z = zero_out.Call({{"to_zero", View(x.data(), {n})}}).Take();
        each += z.data<int32_t>()[0] != 7 || z.size() != static_cast<size_t>(n);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

TEST(EmbedOp, AttrsOfEveryKindReachTheOp) {
  const Engine engine = WithTestOps();
  const std::vector<float> value = {1, 2, 3};
  const Op constant(engine, "TestConst", {Attr::Tensor("value", View(value.data(), {3})), Attr::Type("T", kFloat)});
  EXPECT_EQ(All<float>(constant.Call({}).Take()), value);
  EXPECT_THROW(Attr::Tensor("value", View(value.data(), kFloat, {2}, {2})), std::invalid_argument);
  const Attr shapes = Attr::Shapes("s", {PartialShape{2, -1}, PartialShape::UnknownRank(), PartialShape{}});
  ASSERT_EQ(shapes.get().count, 3u);
  EXPECT_EQ(shapes.get().v.shapes[0].dims[1], -1);
  EXPECT_EQ(shapes.get().v.shapes[1].rank, -1);
  EXPECT_EQ(shapes.get().v.shapes[2].rank, 0);
  EXPECT_EQ(Attr::Funcs("f", {"g"}).get().kind, OPSRUN_ATTR_FUNC | OPSRUN_ATTR_LIST);
  EXPECT_EQ(Attr::Func("f", "g").get().kind, OPSRUN_ATTR_FUNC);
}

TEST(PreparedOp, IsCalledManyTimesWithTheShapeThatItWasPreparedFor) {
  const PreparedOp zero_out =
      Bundled().Prepare("ZeroOut", {{"to_zero", kInt32, {3}}}, {Attr::Int("preserve_index", 2)});
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t x[] = {i, i, i + 1};
    EXPECT_THAT(All(zero_out.Call({{x, {3}}})[0]), ElementsAre(0, 0, i + 1));
  }
  const int32_t other[] = {1, 2};
  EXPECT_EQ(Refusal([&] { zero_out.Call({{other, {2}}}); }), "F305 ");
  EXPECT_EQ(Refusal([&] { zero_out.Call({}); }), "F305 ");
}

TEST(PreparedOp, TellsWhyNot) {
  const struct {
    const char *op, *input;
    std::vector<Attr> attrs;
    int32_t code;
    const char* found;
  } rows[] = {{"ZeroOt", "to_zero", {}, OPSRUN_NOT_FOUND, "G201"},
              {"ZeroOut", "x", {}, OPSRUN_INVALID_ARGUMENT, "G210"},
              {"ZeroOut", "to_zero", {Attr::Int("preserve_idx", 2)}, OPSRUN_INVALID_ARGUMENT, "G212"},
              {"ZeroOut", "to_zero", {Attr::Int("preserve_index", -1)}, OPSRUN_INVALID_ARGUMENT, "G214"}};
  const Engine engine = Bundled();
  for (const auto& row : rows) {
    const auto prepare = [&] { engine.Prepare(row.op, {{row.input, kInt32, {3}}}, row.attrs); };
    EXPECT_EQ(Refusal(prepare, row.code).substr(0, 4), row.found);
  }
}

TEST(PreparedOp, RefusesTypesThatAreNone) {
  const Engine engine = Bundled();
  const auto refusal = [&](int32_t dtype, int32_t rank, const int64_t* shape) {
    const opsrun_op_input input{Str("to_zero"), dtype, rank, shape, 0, 0};
    opsrun_prepared* prepared = nullptr;
    opsrun_report* report = nullptr;
    opsrun_engine_prepare(engine.get(), Str("ZeroOut"), &input, 1, nullptr, 0, nullptr, &prepared, &report);
    EXPECT_EQ(prepared, nullptr);
    return CodesOf(Report(report));
  };
  constexpr int64_t kThree[] = {3}, kNegative[] = {-1};
  EXPECT_EQ(refusal(kInt32, -1, kThree), "F305 ");
  EXPECT_EQ(refusal(kInt32, OPSRUN_MAX_RANK + 1, kThree), "F305 ");
  EXPECT_EQ(refusal(kInt32, 1, nullptr), "F305 ");
  EXPECT_EQ(refusal(kInt32, 1, kNegative), "F305 ");
  EXPECT_EQ(refusal(OPSRUN_DT_RESOURCE, 1, kThree), "F305 ");
  opsrun_prepared* prepared = nullptr;
  EXPECT_EQ(opsrun_engine_prepare(engine.get(), Str("AddN"), nullptr, 1, nullptr, 0, nullptr, &prepared, nullptr),
            OPSRUN_INVALID_ARGUMENT);
}

TEST(PreparedOp, RunsTheKernelThatTheOptionsAskFor) {
  Engine engine = Bundled();
  engine.AddPlugin(OPSRUN_TESTING_OPS);
  const auto label = [&](const PrepareOptions& options) {
    return std::string(Text(engine.Prepare("Labels", {}, {}, options).Call({})[0].data<opsrun_str>()[0]));
  };
  EXPECT_EQ(label({"", "fast"}), "fast");
  EXPECT_EQ(label({}), "plain") << "calls with other options are other calls";
  EXPECT_EQ(label({"cpu", "fast"}), "fast");
  EXPECT_EQ(Refusal([&] { label({"", "slow"}); }, OPSRUN_UNIMPLEMENTED), "K301 3:14 ");
  EXPECT_EQ(Refusal([&] { label({"gpu:99", ""}); }, OPSRUN_UNAVAILABLE), "D201 3:30 ");
}

TEST(PreparedOp, RefusesAttrsWithoutValues) {
  const Engine engine = Bundled();
  opsrun_attr attr{};
  attr.name = Str("preserve_index");
  attr.count = 1;
  const auto refusal = [&](uint32_t kind) {
    attr.kind = kind;
    return Refusal([&] { engine.Prepare("ZeroOut", {{"to_zero", kInt32, {3}}}, {Attr(attr)}); });
  };
  for (const uint32_t kind : {OPSRUN_ATTR_INT | OPSRUN_ATTR_LIST, OPSRUN_ATTR_SHAPE + 0, OPSRUN_ATTR_TENSOR + 0}) {
    EXPECT_EQ(refusal(kind), "G214 ");
  }
  attr.v.s = Str("\xff");
  EXPECT_EQ(refusal(OPSRUN_ATTR_STRING), "G214 5:71 ");
  const opsrun_partial wild = {2, 0, nullptr};
  attr.v.shapes = &wild;
  EXPECT_EQ(refusal(OPSRUN_ATTR_SHAPE), "G214 ");
}

// Each kind of attr, as the graph file has it.
TEST(Builder, WritesAllThatANodeMaySay) {
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

TEST(Builder, WritesConstantsExactly) {
  const double numbers[] = {0.1, 2, 1e-300, -0.0};
  Builder builder;
  builder.Constant("c", {numbers, {2, 2}});
  builder.Output("c", "c");
  const Tensor constant = std::move(builder.Load(Bundled(), "built").Run({})[0]);
  EXPECT_EQ(memcmp(constant.data<double>(), numbers, sizeof(numbers)), 0);
  const int32_t nothing[] = {0};
  builder.Node("n", "Const", {}, {Attr::Tensor("value", View(nothing, {0, 2}))});
  EXPECT_THAT(builder.ToYaml(), HasSubstr("{fill: 0, shape: [0, 2], dtype: int32}")) << "no list can say it";
}

TEST(Builder, RefusesANodeWhoseListsAreMissing) {
  const Builder builder;
  opsrun_node node{};
  node.name = Str("z");
  node.op = Str("ZeroOut");
  node.size = sizeof(node);
  EXPECT_EQ(opsrun_builder_node(builder.get(), &node, nullptr), OPSRUN_OK);
  node.n_inputs = 1;
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_builder_node(builder.get(), &node, &report), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(CodesOf(Report(report)), "F306 ");
}

TEST(Builder, MistakesAndWarningsHaveAPlaceInTheTextThatItWrites) {
  Builder mistaken, outdated;
  mistaken.Node("z", "ZeroOt", {"nothing"});
  EXPECT_EQ(Refusal([&] { mistaken.Load(Bundled(), "built"); }, OPSRUN_NOT_FOUND), "G201 3:11 G204 3:24 ");
  outdated.Node("z", "TestOutdated", {});
  Report warnings;
  outdated.Load(WithTestOps(), "built", 0, &warnings);
  EXPECT_EQ(CodesOf(warnings), "G220 3:11 ");
  EXPECT_EQ(Refusal([&] { outdated.Load(WithTestOps(), "built", OPSRUN_GRAPH_STRICT); }), "G220 3:11 ");
}

}  // namespace
}  // namespace opsrun_test

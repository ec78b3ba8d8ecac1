// tests/host/plan/build_plan_test.cc: graphs that become plans, what plans hold, and what planning tells of a graph
// with mistakes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/diagnostic.h"
#include "host/plan/explain/explain.h"
#include "host/plan/plan.h"
#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host {
namespace {

class BuildPlanTest : public ::testing::Test {
 protected:
  BuildPlanTest() {
    ops_.Add({.name = "Same", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: {float, int32}"}}, SameShape);
    ops_.Add({.name = "Late", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, nullptr);
    ops_.Add({.name = "Many", .inputs = {"xs: N * int32"}, .outputs = {"ys: N * int32"}, .attrs = {"N: int"}}, nullptr);
  }

  const Plan* Make(const std::string& nodes, const std::string& outputs) {
    return ops_.Make("feeds:\n  x: {value: [1, 2], dtype: int32}\n  f: {value: [1.5], dtype: float32}\nnodes:\n" +
                     nodes + "outputs: [" + outputs + "]\n");
  }
  // The mistakes in the nodes, which begin at line 6.
  std::string Mistakes(const std::string& nodes, const std::string& outputs = "x") {
    ops_.diagnostics.all().clear();
    EXPECT_EQ(Make(nodes, outputs), nullptr);
    return ops_.Places();
  }

  InProcessOps ops_;
};

TEST_F(BuildPlanTest, StepsFollowTheirProducersAndOtherwiseTheFile) {
  const Plan* plan = Make("  b: {op: Same, in: a}\n  c: {op: Same, in: x}\n  a: {op: Same, in: x}\n", "b, c");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  std::string order;
  for (const Step& step : plan->steps) order += plan->NodeOf(step).name.value;
  EXPECT_EQ(order, "abc");
}

int32_t Decline(void*, opsrun_create* create, void**) {
  return create->host->fail(create->host, create, OPSRUN_UNIMPLEMENTED, C("not this node"), C(""));
}

TEST_F(BuildPlanTest, AKernelMayDeclineANodeForTheNext) {
  ops_.AddOp({.name = "Nobodys", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
  for (const char* op : {"Same", "Nobodys"}) {
    for (const int priority : {2, 1}) ops_.AddKernel(op, ComputeNothing, Decline).def.priority = priority;
  }
  Resolution resolution;
  ops_.resolution = &resolution;
  const Plan* plan = Make("  a: {op: Same, in: x}\n", "a");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->steps[0].kernel()->def.priority, 0);
  EXPECT_EQ(resolution.nodes[0].kernel, plan->steps[0].kernel());
  ops_.resolution = nullptr;
  EXPECT_EQ(Mistakes("  a: {op: Nobodys, in: x}\n", "a"), "G216 6:11\n") << "none is left";
  EXPECT_EQ(ops_.diagnostics.all()[0].notes.size(), 2u) << "both kernels";
}

// What a kernel object may borrow until it is destroyed.
struct Borrowed {
  std::string_view op, input, output;
  const int32_t* in_types;
};
std::string read_at_end;

int32_t Borrow(void*, opsrun_create* create, void** kernel) {
  const auto text = [](const opsrun_str& str) { return std::string_view(str.data, str.size); };
  *kernel =
      new Borrowed{text(create->op), text(create->in_args[0].name), text(create->out_args[0].name), create->in_types};
  return OPSRUN_OK;
}

void ReadBorrowed(void* kernel) {
  const std::unique_ptr<Borrowed> it(static_cast<Borrowed*>(kernel));
  read_at_end += fmt::format("{}({}: {}) {} ", it->op, it->input, it->in_types[0], it->output);
}

TEST_F(BuildPlanTest, KernelsBorrowTheirArgumentsUntilTheyAreDestroyed) {
  ops_.Add({.name = "Borrows", .inputs = {"long_name_of_an_input: T"}, .outputs = {"y: T"}, .attrs = {"T: type"}},
           SameShape, ComputeNothing, Borrow);
  ops_.LastKernel().destroy = ReadBorrowed;
  read_at_end.clear();
  ASSERT_NE(Make("  a: {op: Borrows, in: x}\n  b: {op: Borrows, in: f}\n  c: {op: Borrows, in: a}\n", "b, c"), nullptr)
      << ops_.Found();
  ops_.Forget();
  EXPECT_EQ(
      read_at_end,
      "Borrows(long_name_of_an_input: 3) y Borrows(long_name_of_an_input: 1) y Borrows(long_name_of_an_input: 3) y ");
}

TEST_F(BuildPlanTest, WhatIsCheckedIsKeptToTheEndIfItHasAValue) {
  const Plan* plan = Make("  a: {op: Same, in: x}\n  b: {op: Same, in: a}\nchecks: [{from: a, value: [1, 2]}]\n", "b");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  ASSERT_EQ(plan->checks.size(), 1u);
  EXPECT_TRUE(plan->values[plan->checks[0].value].kept);
  EXPECT_EQ(plan->checks[0].expected.dtype(), DType::kInt32);
  InProcessOps ops;
  ops.Add({.name = "Handle", .outputs = {"h: resource"}}, nullptr);
  EXPECT_EQ(ops.Make("nodes:\n  h: {op: Handle}\nchecks: [{from: h, value: 1}]\n"), nullptr);
  EXPECT_EQ(ops.Places(), "G114 4:17\n");
}

// Shapes are lists of at most 64 sizes, each -1 or more; a tensor is either a value, or a fill and a shape.
TEST_F(BuildPlanTest, AttrsHaveTheirForm) {
  for (const char* type : {"shape", "list(shape)", "tensor"}) {
    ops_.Add({.name = type[0] == 'l'   ? "Shapes"
                      : type[0] == 's' ? "Shape"
                                       : "Tensor",
              .inputs = {"x: int32"},
              .outputs = {"y: int32"},
              .attrs = {std::string("v: ") + type}},
             SameShape);
  }
  std::string ones = "1";
  for (int i = 1; i < 64; ++i) ones += ", 1";
  const std::string none, at_value = "G214 6:36\n";
  const struct {
    std::string op, value, found;
  } rows[] = {
      {"Shape", "[]", none},
      {"Shape", "[" + ones + "]", none},
      {"Shape", "[" + ones + ", 1]", at_value},
      {"Shape", "3", at_value},
      {"Shape", "'3'", at_value},
      {"Shape", "{a: 1}", at_value},
      {"Shapes", "[[], [-1, 0, 5]]", none},
      {"Shapes", "[[1], [3, -2]]", "G214 6:47\n"},
      {"Tensor", "{value: [1, 2], dtype: int32}", none},
      {"Tensor", "{value: 1, dtype: int32}", none},
      {"Tensor", "{value: [], dtype: int32}", none},
      {"Tensor", "{fill: 1, shape: [2], dtype: int32}", none},
      {"Tensor", "{fill: 1, shape: [], dtype: int32}", none},
      {"Tensor", "{value: 1, fill: 1, dtype: int32}", "G214 6:37\n"},
      {"Tensor", "{value: 1, shape: [2], dtype: int32}", "G214 6:37\n"},
      {"Tensor", "{value: 1, fill: 1, shape: [2], dtype: int32}", "G214 6:37\n"},
      {"Tensor", "{fill: 1, dtype: int32}", "G214 6:37\n"},
      {"Tensor", "{dtype: int32}", "G214 6:37\n"},
      {"Tensor", "{fill: 1, shape: [2, -2], dtype: int32}", "G214 6:58\n"},
  };
  for (const auto& row : rows) {
    ops_.diagnostics = {};
    Make("  a: {op: " + row.op + ", in: x, attrs: {v: " + row.value + "}}\n", "a");
    EXPECT_EQ(ops_.Places(), row.found) << row.value;
  }
}

TEST_F(BuildPlanTest, AListOfOneIsAList) {
  EXPECT_EQ(Mistakes("  m: {op: Many, in: [x]}\n", "m.ys"), "G208 7:11\n");
  EXPECT_EQ(Mistakes("  m: {op: Many, in: [x]}\n  l: {op: Late, in: m.ys}\n", "l"), "G218 7:21\n");
  ops_.diagnostics.all().clear();
  EXPECT_NE(Make("  m: {op: Many, in: [x]}\n  n: {op: Many, in: m.ys}\n  l: {op: Late, in: n.ys.0}\n", "l"), nullptr);
}

TEST_F(BuildPlanTest, ACheckHasItsOwnTolerance) {
  const Tolerance usual = DefaultTolerance(DType::kFloat32);
  const struct {
    const char* words;
    double rtol, atol;
  } rows[] = {{"", usual.rtol, usual.atol}, {", rtol: 0.25", 0.25, usual.atol}, {", atol: 0.5", usual.rtol, 0.5}};
  for (const auto& row : rows) {
    const Plan* plan =
        Make(std::string("  a: {op: Same, in: f}\nchecks: [{from: a, value: [1]") + row.words + "}]\n", "a");
    ASSERT_NE(plan, nullptr) << ops_.Found();
    EXPECT_EQ(plan->checks[0].tolerance.rtol, row.rtol) << row.words;
    EXPECT_EQ(plan->checks[0].tolerance.atol, row.atol) << row.words;
  }
}

// Also through an op that there is not.
TEST_F(BuildPlanTest, ACycleIsShownWhereEachOfItsNodesWaits) {
  EXPECT_EQ(Mistakes("  t: {op: Same, in: a}\n  a: {op: Same, in: c}\n  b: {op: Sane, in: a}\n"
                     "  c: {op: Same, in: x, after: [b]}\n"),
            "G205 8:21\nG201 8:11\n");
  std::string also;
  for (const auto& place : ops_.diagnostics.all()[0].also)
    also += std::to_string(place.span.begin.line) + ":" + std::to_string(place.span.begin.column) + " ";
  EXPECT_EQ(also, "7:21 9:32 ");
}

// Arrays of files stay; a constant is on a device as long as a plan has it.
TEST(GraphConstants, AreThereOnce) {
  const std::unique_ptr<Device> one = OpenCpuDevice(), two = OpenCpuDevice();
  const Result<Tensor> array = Tensor::Create(DType::kInt32, {3}), other = Tensor::Create(DType::kInt32, {3});
  GraphConstants constants;
  EXPECT_FALSE(constants.Find("x").has_value());
  constants.Keep("x", *array);
  EXPECT_EQ(constants.Find("x")->data(), array->data());
  std::shared_ptr<const ResidentConstant> resident = constants.On(*one, *array);
  EXPECT_EQ(constants.On(*one, Tensor(*array)), resident);
  EXPECT_NE(constants.On(*two, *array), resident);
  EXPECT_NE(constants.On(*one, *other), resident);
  const std::weak_ptr<const ResidentConstant> known = resident;
  resident.reset();
  EXPECT_TRUE(known.expired());
  EXPECT_NE(constants.On(*one, *array), nullptr);
  // Empty tensors of other shapes are not equal.
  const auto row = constants.On(*one, *Tensor::Create(DType::kInt32, {0}));
  const auto matrix = constants.On(*one, *Tensor::Create(DType::kFloat32, {0, 3}));
  EXPECT_EQ(row->constant().shape(), (Shape{0}));
  EXPECT_EQ(matrix->constant().shape(), (Shape{0, 3}));
}

// No stride is 0, also where there are no elements.
TEST(TensorView, IsDenseAndRowMajor) {
  for (const auto& [shape, strides] : {std::pair(Shape{2, 3, 4}, Shape{12, 4, 1}), {Shape{2, 0, 3}, Shape{3, 3, 1}}}) {
    TensorView view(PlanTable());
    view.Set(*Tensor::Create(DType::kInt32, shape));
    EXPECT_EQ(Shape(view.get()->strides, view.get()->strides + view.get()->rank), strides);
  }
}

TEST(CallArrays, SayWhereArgumentsLieAndWhetherARankIsKnown) {
  spec::OpDef op;
  ASSERT_TRUE(spec::ParseOp({.name = "A", .attrs = {"s: shape"}}, &op).empty());
  spec::AttrValue any_shape;
  any_shape.type = {OPSRUN_ATTR_SHAPE, false};
  any_shape.shapes = {{false, {}}};
  spec::Signature signature;
  signature.attrs = {any_shape};
  signature.in_args = {{"x", 0, 1, false}, {"l", 1, 2, true}};
  signature.out_args = {{"y", 0, 1, false}, {"z", 1, 1, false}};
  const CallArrays arrays(op, signature, {"x", "z"}, PlanTable());
  EXPECT_EQ(arrays.args()->in[0].flags, OPSRUN_ARG_HOST_MEMORY);
  EXPECT_EQ(arrays.args()->in[1].flags, OPSRUN_ARG_LIST);
  EXPECT_EQ(arrays.args()->in[1].first, 1u);
  EXPECT_EQ(arrays.args()->in[1].count, 2u);
  EXPECT_EQ(arrays.args()->out[0].flags, 0u);
  EXPECT_EQ(arrays.args()->out[1].flags, OPSRUN_ARG_HOST_MEMORY);
  EXPECT_EQ(arrays.attrs()[0].v.shapes[0].rank, -1);
}

TEST(ResolvedShapeText, NamesUnknownSizesThatSeveralShare) {
  EXPECT_EQ(UnknownName(0), "?");
  EXPECT_EQ(UnknownName(1), "?a");
  EXPECT_EQ(UnknownName(26), "?z");
  EXPECT_EQ(UnknownName(27), "?aa");
  EXPECT_EQ(UnknownName(26 * 27 + 1), "?aaa");
  EXPECT_EQ(ResolvedShapeText({false, {}}), "?");
  EXPECT_EQ(ResolvedShapeText({true, {}}), "[]");
  EXPECT_EQ(ResolvedShapeText({true, {{-1, 2}, {3, 0}, {-1, 0}}}), "[?b, 3, ?]");
}

TEST(Resolution, KeepsWhatIsKnownBesideAMistake) {
  InProcessOps ops;
  Resolution resolution;
  ops.resolution = &resolution;
  ops.Add({.name = "Same", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: type"}}, SameShape);
  ASSERT_EQ(ops.Make("feeds: {x: {dtype: int32, shape: [-1, 3]}}\n"
                     "nodes:\n  a: {op: Same, in: x}\n  b: {op: Sane, in: a}\n  c: {op: Same, in: b}\n"
                     "outputs: [a]\n"),
            nullptr);
  ASSERT_EQ(resolution.nodes.size(), 3u);
  EXPECT_NE(resolution.nodes[0].kernel, nullptr);
  EXPECT_EQ(resolution.nodes[1].op, nullptr);
  EXPECT_NE(resolution.nodes[2].op, nullptr);
  EXPECT_EQ(resolution.nodes[2].signature, nullptr);
  const ResolvedValue& a = resolution.values[resolution.nodes[0].first_output];
  EXPECT_EQ(ResolvedShapeText(a.shape), "[?a, 3]");
  ASSERT_EQ(resolution.unknowns.size(), 1u);
  EXPECT_EQ(resolution.unknowns[0].value, resolution.feed_values[0]);
}

TEST(ValueNames, AreThoseOfReferences) {
  InProcessOps ops;
  Resolution resolution;
  ops.resolution = &resolution;
  ops.Add({.name = "Two", .inputs = {"x: int32"}, .outputs = {"p: int32", "qs: N * int32"}, .attrs = {"N: int = 2"}},
          nullptr);
  const Plan* plan = ops.Make("feeds: {x: {value: 1, dtype: int32}}\nnodes: {n: {op: Two, in: x}}\noutputs: [n.p]\n");
  ASSERT_NE(plan, nullptr) << ops.Found();
  EXPECT_EQ(ValueNames(resolution, plan->graph()), (std::vector<std::string>{"x", "n.p", "n.qs.0", "n.qs.1"}));
}

Catalog WithRefused(size_t usable, size_t refused) {
  Catalog catalog;
  catalog.entries.resize(usable + refused);
  for (size_t i = 0; i < refused; ++i) {
    catalog.entries[i].refusal = Refusal{"built for another machine", "build it"};
    catalog.entries[i].note.ops.emplace_back("Other");
  }
  return catalog;
}

TEST(NoOp, MentionsPluginsThatMightHaveHadIt) {
  const auto notes = [](size_t usable, size_t refused) {
    return NoOp("Absent", nullptr, WithRefused(usable, refused), true).notes.size();
  };
  EXPECT_EQ(notes(0, 0), 1u) << "there is no plugin at all";
  EXPECT_EQ(notes(1, 0), 0u);
  EXPECT_EQ(notes(1, 1), 1u);
  EXPECT_EQ(notes(0, 2), 1u);
  EXPECT_TRUE(NoOp("Absent", nullptr, WithRefused(1, 1), false).notes.empty());
}

}  // namespace
}  // namespace opsrun::host

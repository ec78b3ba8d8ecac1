// tests/host/plan/fold_test.cc: values that follow from constants, for shape functions that ask.
// SPDX-License-Identifier: Apache-2.0

#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host {
namespace {

// Output 0 has the shape that input 0 spells, if that is known; else, with kOwn, that of input 0.
template <bool kOwn>
int32_t SpelledShape(void*, opsrun_shape_call* call) {
  const opsrun_tensor* value = nullptr;
  const opsrun_shape* shape = nullptr;
  call->host->want_value(call, 0, &value, &shape);
  if (shape == nullptr && !kOwn) return OPSRUN_OK;
  return call->host->set_output_shape(call, 0, shape == nullptr ? call->in[0] : shape);
}

class FoldTest : public ::testing::Test {
 protected:
  FoldTest() {
    const std::vector<std::string> in = {"x: int32"}, out = {"y: int32"};
    ops_.Add({.name = "Same", .inputs = in, .outputs = out}, SameShape);
    ops_.Add({.name = "State", .inputs = in, .outputs = out, .flags = OPSRUN_OP_STATEFUL}, SameShape);
    ops_.Add({.name = "Late", .inputs = in, .outputs = out}, nullptr);
    ops_.Add({.name = "Spelled", .inputs = in, .outputs = out}, SpelledShape<false>);
    ops_.Add({.name = "SpelledOrOwn", .inputs = in, .outputs = out}, SpelledShape<true>);
    ops_.Add({.name = "Passed", .inputs = in, .outputs = out}, ShapeOfElements);
    // As if every kernel copied its input.
    ops_.run_ahead = [this](const Plan& plan, Diagnostics&) -> std::optional<std::vector<Tensor>> {
      ++runs_;
      if (fails_) return std::nullopt;
      return std::vector<Tensor>{plan.constants[0]};
    };
  }

  // The shape of node 'last', "?" if it is not known.
  std::string ShapeOfLast(const std::string& nodes) {
    const Plan* plan =
        ops_.Make(
            R"(
feeds:
  x: {value: [4, 2], dtype: int32}
  any: {value: -1, dtype: int32}
  four: {value: 4, dtype: int32}
  in_part: {value: [4, -1], dtype: int32}
  wrong: {value: [4, -2], dtype: int32}
  most: {fill: 1, shape: [32], dtype: int32}
  too_many: {fill: 1, shape: [33], dtype: int32}
  folds: {fill: 1, shape: [1024], dtype: int32}
  folds_not: {fill: 1, shape: [1025], dtype: int32}
nodes:
)" + nodes + "outputs: [last]\n");
    if (plan == nullptr) return ops_.Found();
    const PlanValue& value = plan->values[plan->outputs[0].value];
    return value.rank_known ? ShapeText(value.shape) : "?";
  }

  InProcessOps ops_;
  int runs_ = 0;
  bool fails_ = false;
};

TEST_F(FoldTest, NodesRunAheadWhereAShapeDependsOnTheirValues) {
  const struct {
    const char *nodes, *shape;
    int runs;
  } rows[] = {
      {"  last: {op: Spelled, in: x}\n", "[4, 2]", 0},
      {"  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  last: {op: Spelled, in: b}\n", "[4, 2]", 2},
      {"  a: {op: Same, in: x}\n  last: {op: Same, in: a}\n", "[2]", 0},
      // not for elements that are only passed on
      {"  last: {op: Passed, in: x}\n", "[4, 2]", 0},
      {"  a: {op: Same, in: x}\n  last: {op: Passed, in: a}\n", "?", 0},
      // once for all that ask
      {"  a: {op: Same, in: x}\n  one: {op: Spelled, in: a}\n  last: {op: Spelled, in: a}\n", "[4, 2]", 1},
      {"  a: {op: State, in: x}\n  last: {op: Spelled, in: a}\n", "?", 0},
      {"  a: {op: Late, in: x}\n  last: {op: Spelled, in: a}\n", "?", 0},
      // 1024 elements at most
      {"  a: {op: Same, in: folds}\n  b: {op: Spelled, in: a}\n  last: {op: Same, in: x}\n", "[2]", 1},
      {"  a: {op: Same, in: folds_not}\n  b: {op: Spelled, in: a}\n  last: {op: Same, in: x}\n", "[2]", 0},
  };
  for (const auto& row : rows) {
    runs_ = 0;
    EXPECT_EQ(ShapeOfLast(row.nodes), row.shape) << row.nodes;
    EXPECT_EQ(runs_, row.runs) << row.nodes;
  }
}

TEST_F(FoldTest, AValueSpellsAShapeIfItIsOne) {
  const auto spelled = [&](const std::string& feed) {
    return ShapeOfLast("  last: {op: SpelledOrOwn, in: " + feed + "}\n");
  };
  EXPECT_EQ(spelled("any"), "[?]");
  EXPECT_EQ(spelled("four"), "[4]");
  EXPECT_EQ(spelled("in_part"), "[4, ?]");
  EXPECT_EQ(spelled("too_many"), "[33]");
  EXPECT_NE(spelled("most"), "[32]");
  EXPECT_NE(spelled("wrong").find("a dimension cannot have the size -2"), std::string::npos);
}

TEST_F(FoldTest, WithoutARunnerOrAfterItFailedOnceTheValueIsUnknown) {
  const std::string nodes = "  a: {op: Same, in: x}\n  one: {op: Spelled, in: a}\n  last: {op: Spelled, in: a}\n";
  fails_ = true;
  EXPECT_EQ(ShapeOfLast(nodes), "?");
  EXPECT_EQ(runs_, 1);
  ops_.run_ahead = nullptr;
  EXPECT_EQ(ShapeOfLast(nodes), "?");
}

TEST_F(FoldTest, AWayOf256NodesIsRunAheadAndALongerOneIsNot) {
  std::string nodes = "  n1: {op: Same, in: x}\n";
  for (int i = 2; i <= 257; ++i)
    nodes += "  n" + std::to_string(i) + ": {op: Same, in: n" + std::to_string(i - 1) + "}\n";
  EXPECT_EQ(ShapeOfLast(nodes + "  last: {op: Spelled, in: n257}\n"), "?");
  EXPECT_EQ(runs_, 0);
  EXPECT_EQ(ShapeOfLast(nodes + "  last: {op: Spelled, in: n256}\n"), "[4, 2]");
  EXPECT_EQ(runs_, 256);
}

}  // namespace
}  // namespace opsrun::host

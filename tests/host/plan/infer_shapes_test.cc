// tests/host/plan/infer_shapes_test.cc: what is known of shapes before the run, when it becomes known, and which values
// are computed for that.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host {
namespace {

// Both inputs are vectors of one length.
int32_t EquateBoth(void*, opsrun_shape_call* call) {
  if (int32_t code = call->host->equate(call, call->in[0]->dims[0], call->in[1]->dims[0])) return code;
  return call->host->set_output_shape(call, 0, call->in[0]);
}
// The same, and then it refuses.
int32_t EquateBothAndRefuse(void*, opsrun_shape_call* call) {
  call->host->equate(call, call->in[0]->dims[0], call->in[1]->dims[0]);
  return call->host->fail(call->host, call, OPSRUN_INVALID_ARGUMENT, C("no"), C("input:b"));
}
// Output 0 is a vector of so many elements; -1: of any number.
int32_t SetLength(opsrun_shape_call* call, int64_t length) {
  const opsrun_dim* dim = nullptr;
  const opsrun_shape* shape = nullptr;
  if (int32_t code = call->host->make_dim(call, length, &dim)) return code;
  if (int32_t code = call->host->make_shape(call, 1, &dim, &shape)) return code;
  return call->host->set_output_shape(call, 0, shape);
}
// Looks at the number itself: twice as long, or of any length.
int32_t TwiceAsLong(void*, opsrun_shape_call* call) {
  const int64_t length = call->in[0]->dims[0]->value;
  return SetLength(call, length < 0 ? -1 : 2 * length);
}
// The value of its output is the shape of its input.
int32_t TellShape(void*, opsrun_shape_call* call) {
  return call->host->set_output_value(call, 0, call->in[0]);
}

// The value of its output, of the shape of the input, is 7 for each element but one, which is a number below 0.
int32_t TellNumbers(void*, opsrun_shape_call* call) {
  const opsrun_shape* value = nullptr;
  std::vector<const opsrun_dim*> elements(static_cast<size_t>(call->attrs[0].v.i));
  for (const opsrun_dim*& element : elements) {
    if (int32_t code = call->host->make_dim(call, &element == &elements[1] ? -3 : 7, &element)) return code;
  }
  call->host->set_output_shape(call, 0, call->in[0]);
  call->host->make_shape(call, static_cast<int32_t>(elements.size()), elements.data(), &value);
  return call->host->set_output_value(call, 0, value);
}
// A vector as long as the value of its input, whose elements are known as a whole, has different numbers.
int32_t CountNumbers(void*, opsrun_shape_call* call) {
  const opsrun_tensor* value = nullptr;
  if (int32_t code = call->host->want_value(call, 0, &value, nullptr)) return code;
  if (value == nullptr) return OPSRUN_OK;
  const auto* numbers = static_cast<const int32_t*>(value->data);
  const std::set<int32_t> different(numbers, numbers + value->shape[0]);
  return SetLength(call, static_cast<int64_t>(different.size()));
}

// Two vectors: nothing is known of the first one's value; the second one's is the shape of the input.
int32_t TellShapeOfSecond(void*, opsrun_shape_call* call) {
  return call->host->set_output_value(call, 1, call->in[0]);
}
// A vector as long as the attr says.
int32_t Sized(void*, opsrun_shape_call* call) {
  return SetLength(call, call->attrs[0].v.i);
}

class LearnedShapesTest : public ::testing::Test {
 protected:
  LearnedShapesTest() {
    const std::vector<std::string> x = {"x: int32"}, y = {"y: int32"}, ab = {"a: int32", "b: int32"};
    ops_.Add({.name = "Same", .inputs = x, .outputs = y}, SameShape);
    ops_.Add({.name = "Both", .inputs = ab, .outputs = y}, EquateBoth);
    ops_.Add({.name = "Refuse", .inputs = ab, .outputs = y}, EquateBothAndRefuse);
    ops_.Add({.name = "Twice", .inputs = x, .outputs = y}, TwiceAsLong);
    ops_.Add({.name = "ShapeOf", .inputs = x, .outputs = y}, TellShape);
    ops_.Add({.name = "SecondOf", .inputs = x, .outputs = {"p: int32", "q: int32"}}, TellShapeOfSecond);
    ops_.Add({.name = "Numbers", .inputs = x, .outputs = y, .attrs = {"n: int"}}, TellNumbers);
    ops_.Add({.name = "Floats", .inputs = x, .outputs = {"y: float"}, .attrs = {"n: int"}}, TellNumbers);
    ops_.Add({.name = "Unsigned", .inputs = x, .outputs = {"y: uint32"}, .attrs = {"n: int"}}, TellNumbers);
    ops_.Add({.name = "OfAny", .inputs = {"x: T"}, .outputs = y, .attrs = {"T: type"}}, ShapeOfElements);
    ops_.Add({.name = "Count", .inputs = x, .outputs = y}, CountNumbers);
    ops_.Add({.name = "Sized", .inputs = x, .outputs = y, .attrs = {"n: int"}}, Sized);
    ops_.Add({.name = "Of", .inputs = x, .outputs = y}, ShapeOfElements);
  }

  // "[3]", "[?]" or "?": what the plan knows of `output`.
  std::string ShapeOf(const std::string& nodes, const std::string& output, std::map<std::string, FeedType> feeds = {}) {
    ops_.diagnostics = {};
    const Plan* plan = ops_.Make(
        "feeds:\n  three: {value: [1, 2, 3], dtype: int32}\n  four: {value: [1, 2, 3, 4], dtype: int32}\n"
        "  d: {dtype: int32, shape: [-1]}\n  e: {dtype: int32, shape: [-1]}\n  any: {dtype: int32}\nnodes:\n" +
            nodes + "outputs: [" + output + "]\n",
        PlanTable(), std::move(feeds));
    if (plan == nullptr) return ops_.Places();
    const PlanValue& value = plan->values[plan->outputs[0].value];
    const bool whole = value.rank_known && std::count(value.shape().begin(), value.shape().end(), -1) == 0;
    EXPECT_EQ(value.memory == PlanValue::Memory::kArena, whole && value.producer != PlanValue::kNone);
    return value.rank_known ? ShapeText(value.shape()) : "?";
  }

  InProcessOps ops_;
};

TEST_F(LearnedShapesTest, ASizeIsKnownOnceItEqualsAKnownOne) {
  EXPECT_EQ(ShapeOf("  s: {op: Same, in: d}\n", "s"), "[?]");
  EXPECT_EQ(ShapeOf("  b: {op: Both, in: [d, three]}\n", "b"), "[3]");
  EXPECT_EQ(ShapeOf("  b: {op: Both, in: [three, d]}\n  s: {op: Same, in: d}\n", "s"), "[3]");
  EXPECT_EQ(ShapeOf("  b: {op: Both, in: [d, e]}\n  c: {op: Both, in: [three, e]}\n  s: {op: Same, in: d}\n", "s"),
            "[3]");
}

TEST_F(LearnedShapesTest, ShapeFunctionsSeeWhatWasLearnedBefore) {
  EXPECT_EQ(ShapeOf("  t: {op: Twice, in: d}\n", "t"), "[?]");
  EXPECT_EQ(ShapeOf("  b: {op: Both, in: [d, three]}\n  t: {op: Twice, in: d}\n", "t"), "[6]");
  EXPECT_EQ(ShapeOf("  b: {op: Both, in: [d, e]}\n  c: {op: Both, in: [e, three]}\n  t: {op: Twice, in: b}\n", "t"),
            "[6]");
}

TEST_F(LearnedShapesTest, SizesThatCannotBeEqualAreRefusedWhereTheyMeetAndWhatThatFoundIsForgotten) {
  EXPECT_EQ(ShapeOf("  b: {op: Both, in: [d, three]}\n  c: {op: Both, in: [d, four]}\n", "c"), "G217 10:11\n");
  EXPECT_EQ(ShapeOf("  r: {op: Refuse, in: [d, three]}\n  c: {op: Both, in: [d, four]}\n", "c"), "G217 9:11\n");
  EXPECT_EQ(ShapeOf("  c: {op: Both, in: [d, four]}\n  r: {op: Refuse, in: [d, three]}\n  e2: {op: Both, in: [e, d]}\n"
                    "  f: {op: Both, in: [e, four]}\n",
                    "f"),
            "G217 10:11\n");
}

TEST_F(LearnedShapesTest, AValueMayBeAShapeThatIsKnownInPart) {
  EXPECT_EQ(ShapeOf("  s: {op: ShapeOf, in: d}\n  o: {op: Of, in: s}\n", "o"), "[?]");
  EXPECT_EQ(ShapeOf("  s: {op: ShapeOf, in: d}\n  b: {op: Both, in: [d, three]}\n  o: {op: Of, in: s}\n", "o"), "[3]");
  EXPECT_EQ(ShapeOf("  s: {op: ShapeOf, in: any}\n  o: {op: Of, in: s}\n", "o"), "?");
  EXPECT_EQ(ShapeOf("  s: {op: ShapeOf, in: three}\n  o: {op: Of, in: s}\n  t: {op: Twice, in: o}\n", "t"), "[6]");
}

TEST_F(LearnedShapesTest, EachOutputHasItsOwnValueOfAsManyElements) {
  EXPECT_EQ(ShapeOf("  s: {op: SecondOf, in: three}\n  o: {op: Of, in: s.q}\n", "o"), "[3]");
  EXPECT_EQ(ShapeOf("  s: {op: SecondOf, in: three}\n  o: {op: Of, in: s.p}\n", "o"), "?");
  EXPECT_EQ(ShapeOf("  v: {op: Numbers, in: four, attrs: {n: 4}}\n  c: {op: Count, in: v}\n", "c"), "[2]");
  EXPECT_EQ(ShapeOf("  s: {op: ShapeOf, in: d}\n  c: {op: Count, in: s}\n", "c"), "?");
  EXPECT_EQ(ShapeOf("  v: {op: Numbers, in: four, attrs: {n: 3}}\n", "v"), "G217 9:11\n");
  EXPECT_NE(ops_.Found().find("the shape function states a value of 3 elements for an output of 4"), std::string::npos);
  EXPECT_EQ(ShapeOf("  v: {op: Numbers, in: d, attrs: {n: 3}}\n", "v"), "[?]") << "it may have 3";
}

TEST_F(LearnedShapesTest, OnlyIntegersHaveKnownElements) {
  EXPECT_EQ(ShapeOf("  v: {op: Floats, in: four, attrs: {n: 4}}\n  o: {op: OfAny, in: v}\n", "o"), "?");
  EXPECT_EQ(ShapeOf("  v: {op: Floats, in: four, attrs: {n: 5}}\n", "v"), "[4]") << "not read, whatever it says";
  EXPECT_EQ(ShapeOf("  v: {op: Unsigned, in: four, attrs: {n: 4}}\n  o: {op: OfAny, in: v}\n", "o"), "[7, ?, 7, 7]")
      << "no uint32 is negative";
}

// 2^47 bytes are the most that a tensor can have.
TEST_F(LearnedShapesTest, ATensorHasALargestSize) {
  EXPECT_EQ(ShapeOf("  s: {op: Sized, in: three, attrs: {n: 35184372088832}}\n", "s"), "[35184372088832]");
  EXPECT_EQ(ShapeOf("  s: {op: Sized, in: three, attrs: {n: 35184372088833}}\n", "s"), "G217 9:11\n");
}

// Feeds that are given before planning are planned as given, and must be what the graph declares.
TEST_F(LearnedShapesTest, AFeedIsPlannedAsItIsGiven) {
  const std::string same = "  s: {op: Same, in: ", end = "}\n";
  EXPECT_EQ(ShapeOf(same + "any" + end, "s"), "?");
  EXPECT_EQ(ShapeOf(same + "any" + end, "s", {{"any", {DType::kInt32, {2, 5}}}}), "[2, 5]");
  EXPECT_EQ(ShapeOf(same + "any" + end, "s", {{"any", {DType::kInt32, {}}}}), "[]");
  EXPECT_EQ(ShapeOf(same + "any" + end, "any", {{"any", {DType::kInt32, {2, 5}}}}), "[2, 5]");
  EXPECT_EQ(ShapeOf(same + "d" + end, "s", {{"d", {DType::kInt32, {7}}}, {"e", {DType::kInt32, {8}}}}), "[7]");
  EXPECT_EQ(ShapeOf(same + "d" + end, "s", {{"d", {DType::kInt32, {7, 1}}}}), "F203 5:28\n");
  EXPECT_EQ(ShapeOf(same + "any" + end, "s", {{"any", {DType::kInt64, {7}}}}), "F202 7:16\n");
  const std::string both = "  b: {op: Both, in: [d, three]}\n";
  EXPECT_EQ(ShapeOf(both, "b", {{"d", {DType::kInt32, {7, 1}}}}), "F203 5:28\n") << "and not what follows from it";
  EXPECT_EQ(ShapeOf(both, "b", {{"d", {DType::kInt64, {3}}}}).substr(0, 4), "F202");
}

}  // namespace

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
  most: {fill: 1, shape: [64], dtype: int32}
  too_many: {fill: 1, shape: [65], dtype: int32}
  folds: {fill: 1, shape: [1024], dtype: int32}
  folds_not: {fill: 1, shape: [1025], dtype: int32}
nodes:
)" + nodes + "outputs: [last]\n");
    if (plan == nullptr) return ops_.Found();
    const PlanValue& value = plan->values[plan->outputs[0].value];
    return value.rank_known ? ShapeText(value.shape()) : "?";
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
  EXPECT_EQ(spelled("too_many"), "[65]");
  EXPECT_NE(spelled("most"), "[64]");
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

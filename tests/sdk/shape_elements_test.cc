// tests/sdk/shape_elements_test.cc: partly known elements in shape functions.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/elements.h"
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

using opsrun::shape_inference::KnownElement;

constexpr int64_t kLeastInt = INT64_MIN, kMostInt = INT64_MAX;

// The elements that `pass` sets for output 0, whose shape is `output`; "" if none.
template <typename Pass>
std::string Stated(TestShapeCall& call, const std::vector<int64_t>& output, const Pass& pass) {
  Infer(call, [&](InferenceContext* c) {
    std::vector<DimensionHandle> dims;
    for (const int64_t size : output) dims.push_back(c->MakeDim(size));
    c->set_output(0, c->MakeShape(dims));
    pass(c);
    return Status::OK();
  });
  EXPECT_EQ(call.failure().text, "");
  return call.OutputValue(0);
}

// The same for one input with partly known elements.
template <typename Pass>
std::string Passed(const std::string& input, const std::string& elements, const std::vector<int64_t>& output,
                   const Pass& pass) {
  TestShapeCall call(input);
  if (!elements.empty()) call.ValueAsShape(0, elements);
  return Stated(call, output, pass);
}

TEST(KnownElement, IsANumberOrASizeOrNothing) {
  InContext("[3,?]", [](InferenceContext* c) {
    const KnownElement nothing, number(-2), size(c->Dim(c->input(0), 0)), unknown(c->Dim(c->input(0), 1));
    EXPECT_FALSE(nothing.known() || nothing.is_size());
    EXPECT_EQ(number.value(), -2);
    EXPECT_FALSE(number.is_size());
    EXPECT_EQ(size.value(), 3);
    EXPECT_TRUE(size.is_size() && unknown.is_size());
    EXPECT_FALSE(unknown.known());
    EXPECT_TRUE(c->SizeOf(unknown).SameHandle(c->Dim(c->input(0), 1)));
    EXPECT_FALSE(c->ValueKnown(c->SizeOf(number)) || c->ValueKnown(c->SizeOf(nothing)));
    EXPECT_EQ(c->Value(c->SizeOf(4)), 4);
  });
}

TEST(InputElements, AreThoseOfTheValueOrWhatIsKnownInPart) {
  InContext("[2]=<-5,9223372036854775807>L;[2]=[?,-1];[]=[nothing];[2];[?];[65]", [](InferenceContext* c) {
    EXPECT_EQ((*c->input_elements(0))[0].value(), -5);
    EXPECT_EQ((*c->input_elements(0))[1].value(), kMostInt);
    EXPECT_TRUE((*c->input_elements(1))[0].is_size());
    EXPECT_EQ((*c->input_elements(1))[1].value(), -1);
    EXPECT_FALSE((*c->input_elements(2))[0].is_size());
    EXPECT_EQ(c->passed_elements(3)->size(), 2u);
    EXPECT_FALSE((*c->passed_elements(3))[1].known());
    EXPECT_FALSE(c->passed_elements(4).has_value()) << "how many are there?";
    EXPECT_FALSE(c->passed_elements(5).has_value()) << "more than a shape has";
  });
}

TEST(InputElements, AreThoseOfAValueThatTheCallerGives) {
  InContext("[2]=<7,-8>;[2]=[1,2]", [](InferenceContext* c) {
    c->set_input_tensors({nullptr, c->input_tensor(0)});
    EXPECT_EQ((*c->input_elements(1))[1].value(), -8);
  });
}

TEST(SetOutputElements, SaysNumbersSizesAndNothing) {
  const auto state = [](std::vector<KnownElement> elements) {
    const auto count = static_cast<int64_t>(elements.size());
    return Passed("[?]", "", {count}, [&](InferenceContext* c) { c->set_output_elements(0, elements); });
  };
  EXPECT_EQ(state({3, -1, KnownElement(), kLeastInt + 2}), "[3,-1,nothing,-9223372036854775806]");
  EXPECT_EQ(state({3, kLeastInt + 1, kLeastInt}), "[3,nothing,nothing]");
  EXPECT_EQ(state({KnownElement(), KnownElement()}), "");
  EXPECT_EQ(state({}), "[]");
  EXPECT_EQ(state(std::vector<KnownElement>(65, 1)), "");
  EXPECT_EQ(Passed("[?]", "", {1}, [](InferenceContext* c) { c->set_output_elements(0, {c->Dim(c->input(0), 0)}); }),
            "[d0_0]");
}

TEST(MakeDimForScalarInput, IsTheSizeThatTheScalarIs) {
  InContext("[]=[?];[]=[nothing]", [](InferenceContext* c) {
    DimensionHandle size, unknown;
    EXPECT_TRUE(c->MakeDimForScalarInput(0, &size).ok());
    EXPECT_TRUE(size.SameHandle((*c->input_elements(0))[0].size()));
    EXPECT_TRUE(c->MakeDimForScalarInput(1, &unknown).ok());
    EXPECT_FALSE(c->ValueKnown(unknown));
  });
}

TEST(InputTensorsAsShapes, AreUnsetForNumbersThatAreNotSizes) {
  TestShapeCall call("[2];[2];[];[]");
  call.ValueAsShape(0, "[3,-1]").ValueAsShape(1, "[3,-2]");
  call.Value<int32_t>(2, {}, {-1}).Value<int32_t>(3, {}, {4});
  InContext(call, [](InferenceContext* c) {
    const std::vector<ShapeHandle> shapes = c->input_tensors_as_shapes();
    EXPECT_EQ(c->DebugString(shapes[0]), "[3,?]");
    EXPECT_FALSE(shapes[1].IsSet());
    EXPECT_TRUE(shapes[2].IsSet() && !c->RankKnown(shapes[2]));
    EXPECT_FALSE(shapes[3].IsSet());
  });
}

TEST(MakeDim, RefusesNumbersThatAreNotSizes) {
  EXPECT_EQ(Infer("", [](InferenceContext* c) { return c->MakeDim(-2), Status::OK(); }),
            "error: A dimension cannot have size -2");
}

// fn(x, y), where the sizes a, b are those of the shape [?,?].
template <typename Fn>
std::string Computed(const Fn& fn) {
  return Passed("[?,?]", "", {1}, [&](InferenceContext* c) {
    c->set_output_elements(0, {fn(c, KnownElement(c->Dim(c->input(0), 0)), KnownElement(c->Dim(c->input(0), 1)))});
  });
}

TEST(ElementMath, ComputesNumbersAsKernelsDo) {
  using namespace opsrun::shape_inference;
  InContext("", [](InferenceContext* c) {
    EXPECT_EQ(SumOf(c, 3, -5).value(), -2);
    EXPECT_EQ(DifferenceOf(c, 3, -5).value(), 8);
    EXPECT_EQ(ProductOf(c, 3, -5).value(), -15);
    EXPECT_EQ(FloorQuotientOf(c, -7, 2).value(), -4);
    EXPECT_EQ(FloorRemainderOf(c, -7, 2).value(), 1);
    EXPECT_EQ(QuotientOf(c, -7, 2).value(), -3);
    EXPECT_EQ(RemainderOf(c, -7, 2).value(), -1);
    EXPECT_EQ(SmallerOf(c, -7, 2).value(), -7);
    EXPECT_EQ(LargerOf(c, -7, 2).value(), 2);
  });
}

TEST(ElementMath, KnowsNothingOfWhatOverflowsOrHasNoResult) {
  using namespace opsrun::shape_inference;
  InContext("", [](InferenceContext* c) {
    EXPECT_FALSE(SumOf(c, kMostInt, 1).known());
    EXPECT_FALSE(DifferenceOf(c, kLeastInt + 1, 2).known());
    EXPECT_FALSE(ProductOf(c, kMostInt, 2).known());
    EXPECT_EQ(QuotientOf(c, kLeastInt + 1, -1).value(), kMostInt);
    for (const auto fn : {FloorQuotientOf, FloorRemainderOf, QuotientOf, RemainderOf}) {
      EXPECT_FALSE(fn(c, 7, 0).known());
    }
    for (const auto fn : {SumOf, DifferenceOf, FloorQuotientOf, SmallerOf, LargerOf}) {
      EXPECT_FALSE(fn(c, 7, KnownElement()).known());
      EXPECT_FALSE(fn(c, KnownElement(), 7).is_size());
    }
    EXPECT_EQ(ProductOf(c, 0, KnownElement()).value(), 0);
  });
}

TEST(ElementMath, KeepsSizes) {
  using namespace opsrun::shape_inference;
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return SumOf(c, a, 0); }), "[d0_0]");
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return ProductOf(c, 1, a); }), "[d0_0]");
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return FloorQuotientOf(c, a, 1); }), "[d0_0]");
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return DifferenceOf(c, a, a); }), "[0]");
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return LargerOf(c, a, -3); }), "[d0_0]");
  EXPECT_EQ(Computed([](auto* c, auto a, auto b) { return SumOf(c, a, b); }), "[?]");
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return SumOf(c, a, -1); }), "[?]");
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return DifferenceOf(c, 0, a); }), "") << "not a size";
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return ProductOf(c, a, -2); }), "");
  EXPECT_EQ(Computed([](auto* c, auto a, auto) { return FloorQuotientOf(c, a, 0); }), "");
}

TEST(PassElements, KeepsTheirOrderWhateverTheShape) {
  const auto pass = [](InferenceContext* c) { opsrun::shape_inference::PassElements(c, 0); };
  EXPECT_EQ(Passed("[2,2]", "[1,?,-3,nothing]", {4}, pass), "[1,?,-3,nothing]");
  EXPECT_EQ(Passed("[]", "[?]", {1}, pass), "[?]");
  EXPECT_EQ(Passed("[2]", "", {2}, pass), "");
  EXPECT_EQ(Passed("[?]", "[1]", {1}, pass), "");
}

TEST(CombineElements, BroadcastsThem) {
  const auto sum = [](const std::string& shapes, const std::string& x, const std::string& y,
                      const std::vector<int64_t>& output) {
    TestShapeCall call(shapes);
    call.ValueAsShape(0, x).ValueAsShape(1, y);
    return Stated(call, output, [](InferenceContext* c) {
      opsrun::shape_inference::CombineElements(c, opsrun::shape_inference::SumOf);
    });
  };
  EXPECT_EQ(sum("[3];[]", "[1,nothing,3]", "[10]", {3}), "[11,nothing,13]");
  EXPECT_EQ(sum("[2,1];[3]", "[10,20]", "[1,2,-3]", {2, 3}), "[11,12,7,21,22,17]");
  EXPECT_EQ(sum("[0];[1]", "[]", "[1]", {0}), "[]");
  EXPECT_EQ(sum("[1,17];[2,1]", "?", "[1,2]", {2, 17}), "") << "too many";
  EXPECT_EQ(sum("[1];[1]", "[nothing]", "[nothing]", {1}), "");
}

TEST(TakeElements, TakesThemAtAllCombinations) {
  const auto take = [](InferenceContext* c) { opsrun::shape_inference::TakeElements(c, 0, {{1, 0}, {2, 2, 0}}); };
  EXPECT_EQ(Passed("[2,3]", "[1,2,3,4,5,6]", {2, 3}, take), "[6,6,4,3,3,1]");
  const auto turn = [](InferenceContext* c) { opsrun::shape_inference::TransposeElements(c, 0, {1, 0}); };
  EXPECT_EQ(Passed("[2,3]", "[1,2,3,4,5,6]", {3, 2}, turn), "[1,4,2,5,3,6]");
  const auto broadcast = [](InferenceContext* c) { opsrun::shape_inference::BroadcastElements(c, 0); };
  EXPECT_EQ(Passed("[2,1]", "[1,2]", {2, 2, 2}, broadcast), "[1,1,2,2,1,1,2,2]");
  EXPECT_EQ(Passed("[]", "[7]", {1000}, broadcast), "");
  const auto repeat = [](InferenceContext* c) { opsrun::shape_inference::RepeatElement(c, 1); };
  EXPECT_EQ(Passed("[2]", "", {2}, repeat), "[1,1]");
}

TEST(JoinElements, JoinsAlongAnAxis) {
  const auto join = [](const std::string& shapes, const std::vector<int64_t>& output, int64_t axis) {
    TestShapeCall call(shapes);
    call.ValueAsShape(0, "[1,2]").ValueAsShape(1, "[3,4]");
    return Stated(call, output, [=](InferenceContext* c) { opsrun::shape_inference::JoinElements(c, 0, 2, axis); });
  };
  EXPECT_EQ(join("[2];[2]", {4}, 0), "[1,2,3,4]");
  EXPECT_EQ(join("[2];[2]", {2, 2}, 1), "[1,3,2,4]");
  EXPECT_EQ(join("[2];[?]", {4}, 0), "");
}

TEST(CutElements, GivesEachOutputItsPart) {
  TestShapeCall call("[2,2]", 2);
  call.ValueAsShape(0, "[1,?,3,4]");
  Infer(call, [](InferenceContext* c) {
    for (int i = 0; i < 2; ++i) c->set_output(i, c->Vector(2));
    opsrun::shape_inference::CutElements(c, 0, 1);
    return Status::OK();
  });
  EXPECT_EQ(call.OutputValue(0), "[1,3]");
  EXPECT_EQ(call.OutputValue(1), "[?,4]");
}

TEST(FoldElements, FoldsAlongTheReducedDimensions) {
  const auto fold = [](bool rows, bool columns, const std::vector<int64_t>& output) {
    return Passed("[2,3]", "[1,2,3,4,5,nothing]", output, [=](InferenceContext* c) {
      const bool reduced[] = {rows, columns};
      opsrun::shape_inference::FoldElements(c, reduced, 1, opsrun::shape_inference::ProductOf);
    });
  };
  EXPECT_EQ(fold(true, false, {3}), "[4,10,nothing]");
  EXPECT_EQ(fold(false, true, {2}), "[6,nothing]");
  EXPECT_EQ(fold(true, true, {}), "");
  EXPECT_EQ(fold(false, false, {2, 3}), "[1,2,3,4,5,nothing]");
}

}  // namespace
}  // namespace opsrun_test

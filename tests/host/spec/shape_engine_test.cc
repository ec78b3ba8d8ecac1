// SPDX-License-Identifier: Apache-2.0
#include "host/spec/shape_engine.h"

#include <gtest/gtest.h>

namespace opsrun::host::spec {
namespace {

constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();

class ShapeEngineTest : public ::testing::Test {
 protected:
  const opsrun_dim* Dim(int64_t value) { return engine_.MakeDim(value); }
  const opsrun_dim* Of(uint32_t op, const opsrun_dim* a, const opsrun_dim* b) { return *engine_.DimOp(op, a, b); }
  int OpCode(uint32_t op, int64_t a, int64_t b) { return engine_.DimOp(op, Dim(a), Dim(b)).status().code(); }

  ShapeEngine engine_;
};

TEST_F(ShapeEngineTest, KeepsElementsThatAreNotSizesApart) {
  const opsrun_dim* elements[] = {Dim(4), Dim(ElementValue(-1)), Dim(kNothingKnown), Dim(-1)};
  const opsrun_shape* value = *engine_.MakeShape(4, elements);
  const opsrun_shape* sizes = *engine_.AsSizes(value);
  EXPECT_EQ(engine_.Text(sizes), "[4,?,?,?]");
  EXPECT_EQ(sizes->dims[3], elements[3]);
  EXPECT_EQ(*engine_.AsSizes(sizes), sizes);
  const opsrun_dim* two_below = Dim(ElementValue(-2));
  EXPECT_EQ(engine_.AsSizes(*engine_.MakeShape(1, &two_below)).status().message(),
            "a dimension cannot have the size -2");
  EXPECT_EQ(engine_.Equate(two_below, Dim(3)).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(engine_.DimOp(OPSRUN_DIM_ADD, Dim(3), two_below).status().code(), OPSRUN_INVALID_ARGUMENT);
}

TEST(Element, IsItsNumberUnlessThatIsTooSmall) {
  for (const int64_t number : {int64_t{0}, int64_t{-1}, int64_t{-2}, kGreatest, -kGreatest + 1})
    EXPECT_EQ(NumberOf(ElementValue(number)), number);
  EXPECT_EQ(NumberOf(ElementValue(-kGreatest)), std::nullopt);
  EXPECT_EQ(NumberOf(ElementValue(std::numeric_limits<int64_t>::min())), std::nullopt);
  EXPECT_EQ(NumberOf(-1), std::nullopt);
}

TEST_F(ShapeEngineTest, MakesShapesOfItsDimsAndOfSizes) {
  const opsrun_dim* dims[] = {Dim(2), Dim(-1)};
  Result<const opsrun_shape*> shape = engine_.MakeShape(2, dims);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ((*shape)->dims[1], dims[1]);
  EXPECT_EQ(engine_.Text(*engine_.MakeShape(0, nullptr)), "[]");
  EXPECT_EQ(engine_.Text(*engine_.MakeShape(-1, nullptr)), "?");
  dims[0] = dims[1] = nullptr;
  EXPECT_EQ(engine_.Text(*shape), "[2,?]") << "it has its own list of them";
  EXPECT_EQ(engine_.Text(engine_.FromSizes({2, -1, 0})), "[2,?,0]");
  EXPECT_EQ(engine_.FromSizes({})->rank, 0);
  EXPECT_NE(engine_.Unknown(), engine_.Unknown());
}

TEST_F(ShapeEngineTest, RefusesRanksThatNoTensorHasAndForeignDimsAndShapes) {
  std::vector<const opsrun_dim*> dims(65, Dim(1));
  EXPECT_TRUE(engine_.MakeShape(64, dims.data()).ok());
  EXPECT_EQ(engine_.MakeShape(65, dims.data()).status().code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(engine_.MakeShape(-2, nullptr).status().code(), OPSRUN_INVALID_ARGUMENT);
  const opsrun_dim foreign = {3};
  const opsrun_dim* wild = reinterpret_cast<const opsrun_dim*>(uintptr_t{0x10});
  for (const opsrun_dim* dim : {&foreign, wild, static_cast<const opsrun_dim*>(nullptr)}) {
    EXPECT_FALSE(engine_.Owns(dim));
    EXPECT_EQ(engine_.Known(dim), -1);
    EXPECT_EQ(engine_.MakeShape(1, &dim).status().code(), OPSRUN_INTERNAL);
    EXPECT_EQ(engine_.Equate(Dim(3), dim).code(), OPSRUN_INTERNAL);
    EXPECT_EQ(engine_.DimOp(OPSRUN_DIM_ADD, dim, Dim(3)).status().code(), OPSRUN_INTERNAL);
  }
  EXPECT_EQ(engine_.MakeShape(1, nullptr).status().code(), OPSRUN_INTERNAL);
  EXPECT_TRUE(engine_.Owns(engine_.FromSizes({1})));
  EXPECT_FALSE(engine_.Owns(reinterpret_cast<const opsrun_shape*>(Dim(1))));
  EXPECT_EQ(engine_.Text(reinterpret_cast<const opsrun_shape*>(uintptr_t{0x10})), "?");
}

TEST_F(ShapeEngineTest, SharesWhatIsKnownOfEqualDims) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1), *c = Dim(-1);
  EXPECT_TRUE(engine_.Equate(a, b).ok());
  EXPECT_TRUE(engine_.Equate(c, b).ok());
  EXPECT_EQ(engine_.Known(a), -1);
  EXPECT_TRUE(engine_.Equate(b, Dim(7)).ok());
  EXPECT_EQ(engine_.Known(a), 7);
  EXPECT_EQ(engine_.Known(c), 7);
  EXPECT_EQ(a->value, -1);
}

TEST_F(ShapeEngineTest, TellsWhoMadeASizeKnown) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1), *c = Dim(-1);
  EXPECT_TRUE(engine_.Equate(a, b, 11).ok());
  EXPECT_TRUE(engine_.WhyKnown(a).empty());
  EXPECT_TRUE(engine_.Equate(c, a, 12).ok());
  EXPECT_TRUE(engine_.Equate(c, Dim(7), 13).ok());
  EXPECT_EQ(engine_.WhyKnown(b), (std::vector<uint32_t>{11, 12, 13}));
  EXPECT_TRUE(engine_.Equate(b, Dim(7), 14).ok());
  EXPECT_EQ(engine_.WhyKnown(b), (std::vector<uint32_t>{14}));
  EXPECT_EQ(engine_.WhyKnown(c), (std::vector<uint32_t>{13}));
  EXPECT_TRUE(engine_.WhyKnown(Dim(7)).empty());
}

TEST_F(ShapeEngineTest, ForgetsWhatWasEquatedSinceAndWhatFollowed) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1);
  EXPECT_TRUE(engine_.Equate(a, Dim(3)).ok());
  const size_t equated = engine_.Equated();
  EXPECT_TRUE(engine_.Equate(a, b).ok());
  EXPECT_EQ(engine_.Known(b), 3);
  engine_.Forget(equated);
  EXPECT_EQ(engine_.Known(a), 3);
  EXPECT_EQ(engine_.Known(b), -1);
  EXPECT_TRUE(engine_.Equate(b, Dim(4)).ok());
  const opsrun_dim* factor = Dim(-1);
  const size_t before = engine_.Equated();
  ASSERT_TRUE(engine_.Equate(Of(OPSRUN_DIM_MUL, factor, Dim(2)), Dim(10)).ok());
  EXPECT_EQ(engine_.Known(factor), 5);
  engine_.Forget(before);
  EXPECT_EQ(engine_.Known(factor), -1);
}

TEST_F(ShapeEngineTest, EquatesLongChainsAndNoDifferentSizes) {
  const opsrun_dim* unknown = Dim(-1);
  EXPECT_EQ(engine_.Equate(Dim(2), Dim(3)).message(), "a dimension cannot be both 2 and 3");
  EXPECT_TRUE(engine_.Equate(unknown, Dim(2)).ok());
  EXPECT_EQ(engine_.Equate(unknown, Dim(3)).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_TRUE(engine_.Equate(unknown, Dim(2)).ok());
  EXPECT_TRUE(engine_.Equate(unknown, unknown).ok());
  const opsrun_dim* first = Dim(-1);
  for (int i = 0; i < 10000; ++i) ASSERT_TRUE(engine_.Equate(first, Dim(-1)).ok());
  ASSERT_TRUE(engine_.Equate(Dim(4), first).ok());
  EXPECT_EQ(engine_.Known(first), 4);
}

// What it computes is in tests/vectors.
TEST_F(ShapeEngineTest, ComputesWhatIsASize) {
  const opsrun_dim* a = Dim(-1);
  ASSERT_TRUE(engine_.Equate(a, Dim(4)).ok());
  EXPECT_EQ((*engine_.DimOp(OPSRUN_DIM_ADD, a, Dim(1)))->value, -1);
  EXPECT_EQ(OpCode(OPSRUN_DIM_ADD, kGreatest, 1), OPSRUN_OUT_OF_RANGE);
  EXPECT_EQ(OpCode(OPSRUN_DIM_MUL, int64_t{1} << 32, int64_t{1} << 32), OPSRUN_OUT_OF_RANGE);
  EXPECT_EQ(OpCode(OPSRUN_DIM_SUB, 2, 3), OPSRUN_OUT_OF_RANGE);
  EXPECT_EQ(OpCode(OPSRUN_DIM_FLOORDIV, 2, 0), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(OpCode(99, 2, 3), OPSRUN_UNIMPLEMENTED);
}

TEST_F(ShapeEngineTest, RefinesAShapeByWhatWasLearned) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1), *seven = Dim(7);
  const opsrun_dim* dims[] = {a, b, Dim(3)};
  const opsrun_shape* shape = *engine_.MakeShape(3, dims);
  EXPECT_EQ(engine_.Refined(shape), shape);
  ASSERT_TRUE(engine_.Equate(a, b).ok());
  const opsrun_shape* square = engine_.Refined(shape);
  EXPECT_EQ(square->dims[0], square->dims[1]);
  EXPECT_EQ(engine_.Refined(square), square);
  ASSERT_TRUE(engine_.Equate(b, seven).ok());
  EXPECT_EQ(engine_.Refined(shape)->dims[0], seven);
  EXPECT_EQ(engine_.Text(engine_.Refined(shape)), "[7,7,3]");
  EXPECT_EQ(engine_.Refined(engine_.Unknown())->rank, -1);
}

TEST_F(ShapeEngineTest, GivesEqualSumsOneDimension) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1);
  EXPECT_EQ(Of(OPSRUN_DIM_ADD, a, Dim(2))->value, -1);
  EXPECT_NE(Of(OPSRUN_DIM_ADD, a, Dim(2)), Of(OPSRUN_DIM_ADD, b, Dim(2)));
  EXPECT_NE(Of(OPSRUN_DIM_FLOORDIV, a, b), Of(OPSRUN_DIM_FLOORDIV, b, a));
  EXPECT_NE(Of(OPSRUN_DIM_MIN, a, b), Of(OPSRUN_DIM_MAX, a, b));
  const opsrun_dim* five = Dim(5);
  EXPECT_EQ(Of(OPSRUN_DIM_ADD, a, b), Of(OPSRUN_DIM_ADD, b, a));
  EXPECT_EQ(Of(OPSRUN_DIM_MUL, Of(OPSRUN_DIM_MUL, a, five), b), Of(OPSRUN_DIM_MUL, b, Of(OPSRUN_DIM_MUL, Dim(5), a)));
  EXPECT_EQ(Of(OPSRUN_DIM_FLOORDIV, Of(OPSRUN_DIM_MUL, a, five), five), a);
  EXPECT_EQ(Of(OPSRUN_DIM_FLOORDIV, Of(OPSRUN_DIM_MUL, a, five), a)->value, 5);
  EXPECT_EQ(Of(OPSRUN_DIM_SUB, Of(OPSRUN_DIM_ADD, a, five), five), a);
  EXPECT_EQ(Of(OPSRUN_DIM_ADD, Of(OPSRUN_DIM_SUB, five, a), a)->value, 5);
  EXPECT_EQ(Of(OPSRUN_DIM_MUL, a, Dim(0))->value, 0);
  EXPECT_EQ(Of(OPSRUN_DIM_MIN, a, b), Of(OPSRUN_DIM_MIN, b, a));
  EXPECT_EQ(Of(OPSRUN_DIM_MAX, a, a), a);
  EXPECT_EQ(Of(OPSRUN_DIM_FLOORDIV, a, five), Of(OPSRUN_DIM_FLOORDIV, a, Dim(5)));
  EXPECT_EQ(engine_.DimOp(OPSRUN_DIM_SUB, a, Of(OPSRUN_DIM_ADD, a, five)).status().code(), OPSRUN_OUT_OF_RANGE);
}

TEST_F(ShapeEngineTest, KnowsWhatCannotBeNegative) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1), *zero = Dim(0);
  const auto is_never = [&](const opsrun_dim* dim) { return Of(OPSRUN_DIM_MAX, dim, zero) == dim; };
  const opsrun_dim* less = Of(OPSRUN_DIM_SUB, a, Dim(1));
  EXPECT_TRUE(is_never(a) && is_never(Of(OPSRUN_DIM_ADD, a, Dim(1))) && is_never(Of(OPSRUN_DIM_MIN, a, b)));
  EXPECT_FALSE(is_never(less) || is_never(Of(OPSRUN_DIM_MIN, less, b)) || is_never(Of(OPSRUN_DIM_FLOORDIV, less, b)));
  EXPECT_TRUE(is_never(Of(OPSRUN_DIM_MAX, less, b)));
  engine_.MarkSizes(*engine_.MakeShape(1, &less));
  EXPECT_TRUE(is_never(less));
  const opsrun_dim* difference = Of(OPSRUN_DIM_SUB, a, b);
  ASSERT_TRUE(engine_.Equate(difference, Dim(-1)).ok());
  EXPECT_TRUE(is_never(difference)) << "it is a size of a tensor";
}

TEST_F(ShapeEngineTest, SaysHowASumWasMade) {
  ShapeEngine plain(false);  // makes a new dimension of each sum
  const opsrun_dim* a = plain.MakeDim(-1);
  const opsrun_dim* sum = *plain.DimOp(OPSRUN_DIM_ADD, a, plain.MakeDim(0));
  EXPECT_NE(sum, a);
  EXPECT_NE(sum, *plain.DimOp(OPSRUN_DIM_ADD, a, plain.MakeDim(0)));
  EXPECT_EQ(plain.TermOf(sum)->a, a);
  const opsrun_dim *own = Dim(-1), *five = Dim(5);
  const ShapeEngine::Term* term = engine_.TermOf(Of(OPSRUN_DIM_MUL, own, five));
  ASSERT_NE(term, nullptr);
  EXPECT_EQ(term->op, OPSRUN_DIM_MUL);
  EXPECT_EQ(term->a, own);
  EXPECT_EQ(term->b, five);
  EXPECT_EQ(engine_.TermOf(own), nullptr);
}

TEST_F(ShapeEngineTest, LearnsASizeFromAMultipleOfIt) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1);
  const opsrun_dim* sum = Of(OPSRUN_DIM_ADD, Of(OPSRUN_DIM_MUL, a, Dim(5)), Dim(2));
  EXPECT_EQ(engine_.Equate(sum, Dim(18)).message(), "no size times 5 is 16");
  EXPECT_EQ(engine_.Equate(Dim(1), sum).message(), "no size times 5 is -1");
  EXPECT_EQ(engine_.Known(sum), -1);
  EXPECT_TRUE(engine_.Equate(sum, Dim(17), 4).ok());
  EXPECT_EQ(engine_.Known(a), 3);
  EXPECT_EQ(engine_.WhyKnown(a), std::vector<uint32_t>{4});
  EXPECT_TRUE(engine_.Equate(Of(OPSRUN_DIM_MUL, b, Dim(2)), Of(OPSRUN_DIM_ADD, b, Dim(4))).ok());
  EXPECT_EQ(engine_.Known(b), 4);
}

TEST_F(ShapeEngineTest, FindsSizesThatCannotBeEqual) {
  const opsrun_dim *a = Dim(-1), *b = Dim(-1);
  const size_t equated = engine_.Equated();
  EXPECT_EQ(engine_.Equate(a, Of(OPSRUN_DIM_ADD, a, Dim(2))).message(), "one of them is always 2 more than the other");
  EXPECT_TRUE(engine_.Equate(a, Dim(6)).ok());
  EXPECT_EQ(engine_.Equate(Of(OPSRUN_DIM_MUL, a, Dim(2)), Dim(10)).code(), OPSRUN_INVALID_ARGUMENT) << "a is 6";
  EXPECT_EQ(engine_.Equated(), equated + 1);
  EXPECT_TRUE(engine_.Equate(b, Of(OPSRUN_DIM_MUL, b, Dim(2))).ok());
  EXPECT_EQ(engine_.Known(b), -1) << "0 is possible, and not meant";
}

// A product of itself again and again would double in length each time.
TEST_F(ShapeEngineTest, StaysSmallWhateverIsComputed) {
  const opsrun_dim* a = Dim(-1);
  for (int i = 0; i < 10000; ++i) a = Of(OPSRUN_DIM_MUL, Of(OPSRUN_DIM_ADD, a, Dim(1)), a);
  EXPECT_EQ(a->value, -1);
  const opsrun_dim* b = Dim(-1);
  for (int i = 0; i < 100; ++i) b = Of(OPSRUN_DIM_MUL, b, Dim(kGreatest));
  EXPECT_EQ(b->value, -1);
}

}  // namespace
}  // namespace opsrun::host::spec

// tests/sdk/shape_fns_index_test.cc: the shapes of biases, and of what is taken from a tensor by indices.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/common_shape_fns.h"
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

namespace shapes = opsrun::shape_inference;

std::string Bias(const std::string& inputs, const std::string& data_format) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  if (!data_format.empty()) call.attrs.String("data_format", data_format);
  return Infer(call, shapes::BiasAddShape);
}

TEST(BiasAddShape, HasTheChannelsLast) {
  EXPECT_EQ(Bias("[2,8,8,3];[3]", "NHWC"), "[d0_0,d0_1,d0_2,d0_3]");
  EXPECT_EQ(Bias("[2,?];[3]", ""), "[d0_0,d1_0]");
  EXPECT_EQ(Bias("[2,3];[4]", ""), "error: Dimensions must be equal, got 3 and 4");
  EXPECT_EQ(Bias("[3];[3]", ""), "error: Shape must be at least rank 2 but is rank 1: [3]");
}

TEST(BiasAddShape, HasTheChannelsSecondInNchw) {
  EXPECT_EQ(Bias("[2,?,8,8];[3]", "NCHW"), "[d0_0,d1_0,d0_2,d0_3]");
  EXPECT_EQ(Bias("[2,3,8];[?]", "NCHW"), "[d0_0,d0_1,d0_2]");
  EXPECT_EQ(Bias("[2,3];[3]", "NCHW"), "error: Shape must be at least rank 3 but is rank 2: [2,3]");
}

TEST(BiasAddShape, OfUnknownRankIsUnknown) {
  EXPECT_EQ(Bias("?;[3]", "NHWC"), "?");
  EXPECT_EQ(Bias("?;[3]", "NCHW"), "?");
  EXPECT_EQ(Bias("?;[3,1]", ""), "error: Shape must be rank 1 but is rank 2: [3,1]");
  EXPECT_EQ(Bias("[2,3];?", ""), "[d0_0,d0_1]");
}

TEST(BiasAddShape, RefusesAFormatOfAnotherKind) {
  FakeHost host;
  FakeShapeCall call(host, "[2,3];[3]");
  call.attrs.Int("data_format", 1);
  EXPECT_EQ(Infer(call, shapes::BiasAddShape),
            "error: Attr 'data_format' is of kind int; the kernel reads it as string");
}

TEST(BiasAddGradShape, IsAVectorOfTheChannels) {
  FakeHost host;
  FakeShapeCall first(host, "[2,3,8,8]"), unknown(host, "?");
  first.attrs.String("data_format", "NCHW");
  EXPECT_EQ(Infer(first, shapes::BiasAddGradShape), "[d0_1]");
  EXPECT_EQ(Infer(unknown, shapes::BiasAddGradShape), "[?]");
  EXPECT_EQ(Infer("[2,8,3]", shapes::BiasAddGradShape), "[d0_2]");
  EXPECT_EQ(Infer("[3]", shapes::BiasAddGradShape), "error: Shape must be at least rank 2 but is rank 1: [3]");
}

// tensor [5,6,7] at indices of n numbers: one slice of the 3 - n last dimensions for each index.
TEST(GatherNdShape, PutsASliceWhereTheIndexWas) {
  EXPECT_EQ(Infer("[5,6,7];[4,2]", shapes::GatherNdShape), "[d1_0,d0_2]");
  EXPECT_EQ(Infer("[5,6,7];[4,9,1]", shapes::GatherNdShape), "[d1_0,d1_1,d0_1,d0_2]");
  EXPECT_EQ(Infer("[5,6];[2]", shapes::GatherNdShape), "[]");
  EXPECT_EQ(Infer("[5,6];[?,0]", shapes::GatherNdShape), "[d1_0,d0_0,d0_1]");
}

TEST(GatherNdShape, IsUnknownUntilTheLengthOfAnIndexIsKnown) {
  EXPECT_EQ(Infer("[5,6];[4,?]", shapes::GatherNdShape), "?");
  EXPECT_EQ(Infer("?;[4,2]", shapes::GatherNdShape), "?");
  EXPECT_EQ(Infer("[5];?", shapes::GatherNdShape), "?");
}

TEST(GatherNdShape, RefusesIndicesThatAreTooLong) {
  EXPECT_EQ(Infer("[5,6];[4,3]", shapes::GatherNdShape),
            "error: Indices of 3 numbers do not fit a tensor of rank 2: the indices are [4,3], the tensor is [5,6]");
  EXPECT_EQ(Infer("[5,6];[9223372036854775807]", shapes::GatherNdShape),
            "error: Indices of 9223372036854775807 numbers do not fit a tensor of rank 2: the indices are "
            "[9223372036854775807], the tensor is [5,6]");
  EXPECT_EQ(Infer("[5,6];[]", shapes::GatherNdShape), "error: Shape must be at least rank 1 but is rank 0: []");
}

std::string Slice(const std::string& input, const std::vector<int64_t>& begin, const std::vector<int64_t>& size) {
  FakeHost host;
  FakeShapeCall call(host, input + ";?;?");
  call.Value<int64_t>(1, {static_cast<int64_t>(begin.size())}, begin);
  call.Value<int64_t>(2, {static_cast<int64_t>(size.size())}, size);
  return Infer(call, shapes::SliceShape);
}

TEST(SliceShape, IsWhatTheSizesSay) {
  EXPECT_EQ(Slice("[5,6]", {1, 2}, {3, 4}), "[3,4]");
  EXPECT_EQ(Slice("?", {1, 2}, {3, 4}), "[3,4]");
  EXPECT_EQ(Slice("[]", {}, {}), "[]");
}

TEST(SliceShape, TakesWhatIsLeftForMinusOne) {
  EXPECT_EQ(Slice("[5,6]", {1, 2}, {-1, 4}), "[4,4]");
  EXPECT_EQ(Slice("[5,?]", {0, 0}, {-1, -1}), "[d0_0,d0_1]");
  EXPECT_EQ(Slice("[?,6]", {1, 6}, {-1, -1}), "[?,0]");
  EXPECT_EQ(Slice("?", {1}, {-1}), "[?]");
  EXPECT_EQ(Slice("[5]", {6}, {-1}), "error: Dimension is negative: 5 - 6");
}

TEST(SliceShape, RefusesWhatDoesNotFitTheInput) {
  EXPECT_EQ(Slice("[5,6]", {1}, {3}), "error: Shape must be rank 1 but is rank 2: [5,6]");
  EXPECT_EQ(Slice("[5]", {1}, {-2}), "error: Dimension 0 has size -2, below -1");
  EXPECT_EQ(Slice("[5]", {1}, {std::numeric_limits<int64_t>::min()}),
            "error: Dimension 0 has size -9223372036854775808, below -1");
  EXPECT_EQ(Slice("[5,6]", {1}, {3, 4}), "error: Shape must be rank 2 but is rank 1: [1]");
  EXPECT_EQ(Infer("[5,6];[2];[3]", shapes::SliceShape), "error: Dimension 0 of [2] and [3] must be equal, got 2 and 3");
  EXPECT_EQ(Infer("?;[33];[33]", shapes::SliceShape), "error: A shape of 33 dimensions; there may be 0 to 32");
}

TEST(SliceShape, OfUnknownSizesHasTheRankThatAnyInputTells) {
  EXPECT_EQ(Infer("?;[2];[?]", shapes::SliceShape), "[?,?]");
  EXPECT_EQ(Infer("[5,6];?;?", shapes::SliceShape), "[?,?]");
  EXPECT_EQ(Infer("?;?;?", shapes::SliceShape), "?");
}

TEST(SliceShape, UsesSizesThatAreKnownInPart) {
  FakeHost host;
  FakeShapeCall call(host, "[5,6];[2];[2]");
  call.ValueAsShape(2, "[3,?]");
  EXPECT_EQ(Infer(call, shapes::SliceShape), "[3,?]");
}

std::string Segments(const std::string& inputs, int32_t count) {
  FakeHost host;
  FakeShapeCall call(host, inputs + ";[]");
  call.Value<int32_t>(2, {}, {count});
  return Infer(call, shapes::UnsortedSegmentReductionShapeFn);
}

TEST(UnsortedSegmentReductionShape, FoldsTheDimensionsThatHaveIds) {
  EXPECT_EQ(Segments("[5,6,7];[5]", 3), "[3,d0_1,d0_2]");
  EXPECT_EQ(Segments("[5,6,7];[5,6]", 3), "[3,d0_2]");
  EXPECT_EQ(Segments("[5,6];[]", 3), "[3,d0_0,d0_1]");
  EXPECT_EQ(Segments("?;[5]", 3), "?");
  EXPECT_EQ(Segments("[5,6];?", 3), "?");
  EXPECT_EQ(Infer("[5,6];[5];[]", shapes::UnsortedSegmentReductionShapeFn), "[?,d0_1]");
}

TEST(UnsortedSegmentReductionShape, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Segments("[5,6];[4]", 3), "error: Dimensions must be equal, got 5 and 4");
  EXPECT_EQ(Segments("[5];[5,6]", 3), "error: Shape must be at least rank 2 but is rank 1: [5]");
  EXPECT_EQ(Segments("[5];[5]", -3), "error: A size must be 0 or more, but is -3");
  EXPECT_EQ(Infer("[5];[5];[1]", shapes::UnsortedSegmentReductionShapeFn),
            "error: Shape must be rank 0 but is rank 1: [1]");
}

namespace shapes = opsrun::shape_inference;

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

// The axis is the last input.
std::string Concat(const std::string& inputs, uint32_t axis_input, int64_t axis) {
  FakeHost host;
  FakeShapeCall call(host, inputs + ";[]");
  call.Value<int64_t>(axis_input, {}, {axis});
  return Infer(call, shapes::ConcatV2Shape);
}

TEST(ConcatV2Shape, AddsUpTheSizesAlongTheAxis) {
  EXPECT_EQ(Concat("[2,3];[2,4]", 2, 1), "[d0_0,7]");
  EXPECT_EQ(Concat("[2,3];[2,4]", 2, -1), "[d0_0,7]");
  EXPECT_EQ(Concat("[2,3];[5,3];[1,3]", 3, 0), "[8,d0_1]");
  EXPECT_EQ(Concat("[2,3,9];[2,4,9]", 2, -2), "[d0_0,7,d0_2]");
}

TEST(ConcatV2Shape, OfOneInputIsItsDimensions) {
  EXPECT_EQ(Concat("[2,3]", 1, 0), "[d0_0,d0_1]");
}

// To add 0 is to keep the other handle; of two zeros the first input's is kept, as of two equal sizes elsewhere.
TEST(ConcatV2Shape, KeepsHandlesBesideEmptyInputs) {
  EXPECT_EQ(Concat("[2,?];[2,0]", 2, 1), "[d0_0,d0_1]");
  EXPECT_EQ(Concat("[2,0];[2,?]", 2, 1), "[d0_0,d1_1]");
  EXPECT_EQ(Concat("[0];[0]", 2, 0), "[d0_0]");
}

TEST(ConcatV2Shape, KnowsWhatAnyInputKnows) {
  EXPECT_EQ(Concat("[?,3];[2,4]", 2, 1), "[d1_0,7]");
  EXPECT_EQ(Concat("[?,?];[2,4]", 2, 1), "[d1_0,?]");
  EXPECT_EQ(Concat("?;[2,4]", 2, 1), "[d1_0,?]");
  EXPECT_EQ(Concat("?;?", 2, 1), "?");
}

TEST(ConcatV2Shape, OfAnUnknownAxisHasTheRankOfTheInputs) {
  EXPECT_EQ(Infer("[2,3];[2,4];[]", shapes::ConcatV2Shape), "[?,?]");
  EXPECT_EQ(Infer("?;[2,4];[]", shapes::ConcatV2Shape), "[?,?]");
  EXPECT_EQ(Infer("?;?;?", shapes::ConcatV2Shape), "?");
  EXPECT_EQ(Infer("[2,3];[2];[]", shapes::ConcatV2Shape), "error: Shape must be rank 2 but is rank 1: [2]");
  EXPECT_EQ(Infer("[];[];[]", shapes::ConcatV2Shape), "error: Scalars cannot be concatenated");
}

TEST(ConcatV2Shape, RefusesInputsThatDoNotFit) {
  EXPECT_EQ(Concat("[2,3];[5,4]", 2, 1),
            "error: All shapes must be the same but for dimension 1, and [2,3] and [5,4] are not");
  EXPECT_EQ(Concat("[2,3];[2]", 2, 1), "error: Shape must be at least rank 2 but is rank 1: [2]");
  EXPECT_EQ(Concat("[2,3];[2,4,1]", 2, 1),
            "error: All shapes must be the same but for dimension 1, and [2,3] and [2,4,1] are not");
  EXPECT_EQ(Concat("[9223372036854775807];[1]", 2, 0), "error: Dimension overflows: 1 + 9223372036854775807");
}

TEST(ConcatV2Shape, RefusesAnAxisThatThereIsNot) {
  EXPECT_EQ(Concat("[2,3];[2,3]", 2, 2), "error: Shape must be at least rank 3 but is rank 2: [2,3]");
  EXPECT_EQ(Concat("[2,3];[2,3]", 2, -3), "error: Shape must be at least rank 3 but is rank 2: [2,3]");
  EXPECT_EQ(Concat("[];[]", 2, 0), "error: Shape must be at least rank 1 but is rank 0: []");
  EXPECT_EQ(Concat("?;?", 2, kLargest), "error: No tensor has an axis 9223372036854775807");
  EXPECT_EQ(Concat("?;?", 2, kSmallest), "error: No tensor has an axis -9223372036854775808");
  EXPECT_EQ(Infer("[2];[2];[1]", shapes::ConcatV2Shape), "error: Shape must be rank 0 but is rank 1: [1]");
}

TEST(ConcatV2Shape, NeedsAnAxisAndSomethingToJoin) {
  EXPECT_EQ(Infer("", shapes::ConcatV2Shape),
            "error: The shape function uses input -1 (counted from 0); the op has 0 inputs");
  EXPECT_EQ(Infer("[]", shapes::ConcatV2Shape), "error: Nothing to concatenate");
}

TEST(ConcatV2Shape, ReadsTheAxisOfEitherIntegerType) {
  FakeHost host;
  FakeShapeCall narrow(host, "[2];[3];[]"), wrong(host, "[2];[3];[]");
  narrow.Value<int32_t>(2, {}, {-1});
  wrong.Value<float>(2, {}, {0.f});
  EXPECT_EQ(Infer(narrow, shapes::ConcatV2Shape), "[5]");
  EXPECT_EQ(Infer(wrong, shapes::ConcatV2Shape), "error: Sizes and positions must be int32 or int64, but are float32");
}

std::string ConcatFirst(int count) {
  FakeHost host;
  FakeShapeCall call(host, "[];[2,3];[2,4]");
  call.Value<int32_t>(0, {}, {1});
  return Infer(call, [=](InferenceContext* c) { return shapes::ConcatShape(c, count); });
}

TEST(ConcatShape, HasTheAxisFirst) {
  EXPECT_EQ(ConcatFirst(2), "[d1_0,7]");
  EXPECT_EQ(ConcatFirst(1), "[d1_0,d1_1]");
  EXPECT_EQ(ConcatFirst(0), "error: Nothing to concatenate");
  EXPECT_EQ(ConcatFirst(3), "error: The shape function uses input 3 (counted from 0); the op has 3 inputs");
  EXPECT_EQ(ConcatFirst(std::numeric_limits<int>::max()),
            "error: The shape function uses input 2147483647 (counted from 0); the op has 3 inputs");
}

std::string Reduce(const std::string& input, bool keep_dims, const std::vector<int64_t>& axes_shape,
                   const std::vector<int64_t>& axes) {
  FakeHost host;
  FakeShapeCall call(host, input + ";?");
  call.attrs.Bool("keep_dims", keep_dims);
  call.Value<int64_t>(1, axes_shape, axes);
  return Infer(call, shapes::ReductionShape);
}

TEST(ReductionShape, LeavesOutTheAxes) {
  EXPECT_EQ(Reduce("[2,?,4]", false, {2}, {0, -1}), "[d0_1]");
  EXPECT_EQ(Reduce("[2,?,4]", false, {}, {1}), "[d0_0,d0_2]");
  EXPECT_EQ(Reduce("[2,3]", false, {0}, {}), "[d0_0,d0_1]");
  EXPECT_EQ(Reduce("[2,3]", false, {3}, {1, 1, -1}), "[d0_0]");
  EXPECT_EQ(Reduce("[]", false, {0}, {}), "[]");
}

TEST(ReductionShape, MayKeepThemAsOnes) {
  EXPECT_EQ(Reduce("[2,?,4]", true, {2}, {0, -1}), "[1,d0_1,1]");
  EXPECT_EQ(Reduce("[1]", true, {1}, {0}), "[1]");
}

std::string ReduceUnknown(const std::string& inputs, bool keep_dims) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  call.attrs.Bool("keep_dims", keep_dims);
  return Infer(call, shapes::ReductionShape);
}

TEST(ReductionShape, OfUnknownAxesHasTheRankOnlyIfTheyAreKept) {
  EXPECT_EQ(ReduceUnknown("[2,3];[1]", true), "[?,?]");
  EXPECT_EQ(ReduceUnknown("[2,3];[1]", false), "?");
  EXPECT_EQ(ReduceUnknown("?;[1]", true), "?");
  EXPECT_EQ(Reduce("?", true, {1}, {7}), "?");
  EXPECT_EQ(ReduceUnknown("[2];[1,1]", true), "error: Shape must be at most rank 1 but is rank 2: [1,1]");
}

TEST(ReductionShape, RefusesAnAxisThatThereIsNot) {
  EXPECT_EQ(Reduce("[2,3]", false, {1}, {2}), "error: A tensor of rank 2 has no axis 2");
  EXPECT_EQ(Reduce("[2,3]", false, {2}, {0, -3}), "error: A tensor of rank 2 has no axis -3");
  EXPECT_EQ(Reduce("[2,3]", false, {1}, {kLargest}), "error: A tensor of rank 2 has no axis 9223372036854775807");
  EXPECT_EQ(Reduce("[2,3]", true, {1}, {kSmallest}), "error: A tensor of rank 2 has no axis -9223372036854775808");
  EXPECT_EQ(Reduce("[]", false, {}, {0}), "error: A tensor of rank 0 has no axis 0");
}

TEST(ReductionShape, RefusesAxesThatAreNoIntegers) {
  FakeHost host;
  FakeShapeCall call(host, "[2];[]");
  call.attrs.Bool("keep_dims", false);
  call.Value<float>(1, {}, {0.f});
  EXPECT_EQ(Infer(call, shapes::ReductionShape), "error: Axes must be int32 or int64, but are float32");
}

}  // namespace

}  // namespace opsrun_test

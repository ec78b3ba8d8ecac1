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

}  // namespace
}  // namespace opsrun_test

// plugins/math_ops/segment_test.cc: reductions of segments; tests/numpy/segment_ops.py compares them with NumPy's.
// SPDX-License-Identifier: Apache-2.0

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

const std::string kWrongIds = "INVALID_ARGUMENT: input:segment_ids: ";

TEST(SegmentSumShape, HasARowForEachId) {
  ShapeInferenceTestOp op("SegmentSum");
  INFER_OK(op, "?;?", "?");
  INFER_OK(op, "[?,3];?", "[?,d0_1]");
  op.Value<int64_t>(1, {3}, {0, 2, 2});
  INFER_OK(op, "[3,?];[3]", "[3,d0_1]");
  INFER_OK(op, "?;[3]", "?");
  op.Value<int32_t>(1, {0}, {});
  INFER_OK(op, "[?,4];[0]", "[0,d0_1]");
  op.ForgetValues().ValueAsShape(1, "[?,4]");
  INFER_OK(op, "[?,3];[2]", "[5,d0_1]");
}

TEST(UnsortedSegmentSumShape, HasNumSegmentsInPlaceOfTheDimensionsOfTheIds) {
  ShapeInferenceTestOp op("UnsortedSegmentSum");
  INFER_OK(op, "?;[2];[]", "?");
  INFER_OK(op, "[2,?,4];[2,?];[]", "[?,d0_2]");
  op.Value<int32_t>(2, {}, {5});
  INFER_OK(op, "[2,?,4];[?];[]", "[5,d0_1,d0_2]");
  INFER_OK(op, "[2];[];[]", "[5,d0_0]");
  INFER_OK(op, "[2];?;[]", "?");
}

TEST(UnsortedSegmentSumShape, RefusesIdsOfTooManyOrTooFewDimensions) {
  ShapeInferenceTestOp op("UnsortedSegmentSum");
  INFER_ERROR(kWrongIds + "the shape of data must begin with that of segment_ids", op, "[2];[2,1];[]");
  std::string highest = "[1";
  for (int i = 1; i < OPSRUN_MAX_RANK; ++i) highest += ",1";
  INFER_ERROR(kWrongIds + "the result would have more than 64 dimensions", op, highest + "];[];[]");
}

TEST(UnsortedSegmentSumGradShape, IsThatOfTheIdsAndARow) {
  ShapeInferenceTestOp op("UnsortedSegmentSumGrad");
  INFER_OK(op, "[?,3];[2,?]", "[d1_0,d1_1,d0_1]");
  INFER_OK(op, "[?,3];?", "?");
}

TEST(SegmentProdOfOthersShape, IsThatOfTheData) {
  INFER_OK(ShapeInferenceTestOp("SegmentProdOfOthers"), "[?,3];[2]", "in0");
  INFER_OK(ShapeInferenceTestOp("SegmentProdOfOthersGrad"), "?;[2,3];[2]", "in1");
}

class Segments : public OpTest {
 protected:
  template <typename T>
  void Gives(const char* op, const std::vector<T>& data, const std::vector<int32_t>& ids,
             const std::vector<T>& output) {
    const auto rows = static_cast<int64_t>(ids.size()), segments = static_cast<int64_t>(output.size());
    Node node = Op(op).Input<T>({rows}, data).template Input<int32_t>({rows}, ids);
    if (std::string(op)[0] == 'U') node.Input<int64_t>({}, {segments});
    node.Late();
    RunGives<T>(0, {segments}, output);
  }
};

TEST_F(Segments, OfNoRowsAtAllAreEmptyToo) {
  Gives<float>("SegmentSum", {}, {}, {});
  Gives<float>("UnsortedSegmentSum", {}, {}, {0, 0});
  Gives<float>("UnsortedSegmentProd", {}, {}, {1});
  Gives<float>("UnsortedSegmentMax", {1, 2}, {-1, -2}, {});
}

TEST_F(Segments, WrapIntegers) {
  Gives<int8_t>("SegmentSum", {127, 2, 1}, {0, 0, 1}, {-127, 1});
  Gives<uint8_t>("UnsortedSegmentProd", {16, 2, 16}, {0, 1, 0}, {0, 2});
}

TEST_F(Segments, RoundNumbersOfTwoBytesOnce) {
  // Sequential sums would stop at 2048 and 256.
  std::vector<int32_t> ids(5000, 0);
  ids.push_back(1);
  Gives<Half>("UnsortedSegmentSum", std::vector<Half>(5001, 1), ids, {5000, 1});
  Gives<BFloat16>("SegmentSum", std::vector<BFloat16>(5001, 1), ids, {4992, 1});
  Gives<Half>("SegmentMean", std::vector<Half>(5001, 60000), ids, {60000, 60000});
  for (size_t i = 0; i < ids.size(); i += 2) ids[i] = 1;
  Gives<Half>("UnsortedSegmentSum", std::vector<Half>(5001, 1), ids, {2500, 2501});
}

TEST_F(Segments, DoNotDependOnTheNumberOfThreads) {
  constexpr int64_t kElements = 240000;
  std::vector<float> data(kElements), once;
  for (size_t i = 0; i < data.size(); ++i) data[i] = 1.f / static_cast<float>(i + 1);
  for (const int64_t columns : {1, 3, 2500}) {
    std::vector<int32_t> ids(static_cast<size_t>(kElements / columns));
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i / 5 * 7919 % 11) - 1;
    for (const int threads : {1, 4}) {
      Op("UnsortedSegmentSum")
          .Input<float>({kElements / columns, columns}, data)
          .Input<int32_t>({kElements / columns}, ids)
          .Input<int32_t>({}, {10});
      Threads(threads);
      if (threads > 1) CutLoops();
      Run();
      if (threads == 1) {
        once = Output(0).Values<float>();
      } else {
        ExpectOutput<float>(0, {10, columns}, once);
      }
    }
  }
}

TEST_F(Segments, RefuseSizesThatNoTensorHas) {
  constexpr int64_t kHuge = INT64_MAX / 2;
  Op("UnsortedSegmentSum").Input<float>({1, 3}, {1, 2, 3}).Input<int32_t>({1}, {0}).Input<int64_t>({}, {kHuge}).Late();
  RunFails("input:num_segments");
  Op("SegmentSum").Input<float>({1, 3}, {1, 2, 3}).Input<int64_t>({1}, {kHuge}).Late();
  RunFails("input:segment_ids");
}

TEST_F(Segments, GiveRowsThatWereDroppedNoGradient) {
  Op("UnsortedSegmentSumGrad").Input<float>({0, 2}, {}).Input<int32_t>({1}, {-1});
  RunGives<float>(0, {1, 2}, {0, 0});
}

}  // namespace

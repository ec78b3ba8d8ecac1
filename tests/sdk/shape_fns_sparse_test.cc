// tests/sdk/shape_fns_sparse_test.cc: the shapes of sparse tensors and of what is scattered into tensors.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "opsrun/common_shape_fns.h"
#include "tests/sdk/outputs.h"

namespace opsrun_test {
namespace {

namespace shapes = opsrun::shape_inference;
using opsrun::ReturnedStatus;
using shapes::InferenceContext;

std::string Validated(const std::string& inputs) {
  return Outputs(inputs, [](InferenceContext* c) -> ReturnedStatus {
    return shapes::ValidateSparseTensor(c, c->input(0), c->input(1), c->input(2));
  });
}

TEST(ValidateSparseTensor, NeedsThreeShapesThatFit) {
  EXPECT_EQ(Validated("[5,2];[5];[2]"), "?");
  EXPECT_EQ(Validated("?;[?];?"), "?");
  EXPECT_EQ(Validated("[5,2];[4];[2]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Validated("[5,2];[5];[3]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Validated("[5];[5];[2]"), "INVALID_ARGUMENT");
}

TEST(ValidateSparseTensor, TellsWhichDimensionsAreEqual) {
  FakeHost host;
  FakeShapeCall call(host, "[?,2];[?];[2]");
  Outputs(call, [](InferenceContext* c) -> ReturnedStatus {
    return shapes::ValidateSparseTensor(c, c->input(0), c->input(1), c->input(2));
  });
  EXPECT_EQ(call.equated().size(), 1u);
}

std::string Reduced(const std::vector<int64_t>& sizes, const std::vector<int32_t>& axes, bool keep_dims) {
  FakeHost host;
  FakeShapeCall call(host, "?;?;[?];[?]");
  call.attrs.Bool("keep_dims", keep_dims);
  call.Value<int64_t>(2, {static_cast<int64_t>(sizes.size())}, sizes);
  call.Value<int32_t>(3, {static_cast<int64_t>(axes.size())}, axes);
  return Outputs(call, shapes::SparseReduceShapeFn);
}

TEST(SparseReduceShape, LeavesOutAxes) {
  EXPECT_EQ(Reduced({2, 3, 4}, {0, -1}, false), "[3]");
  EXPECT_EQ(Reduced({2, 3, 4}, {0, -1}, true), "[1,3,1]");
  EXPECT_EQ(Reduced({2, 3}, {}, false), "[2,3]");
  EXPECT_EQ(Reduced({2, 3}, {2}, false), "INVALID_ARGUMENT");
  EXPECT_EQ(Reduced({}, {}, false), "INVALID_ARGUMENT");
}

TEST(SparseReduceShape, DependsOnValues) {
  FakeHost host;
  FakeShapeCall call(host, "?;?;[2];[1]");
  call.attrs.Bool("keep_dims", false);
  EXPECT_EQ(Outputs(call, shapes::SparseReduceShapeFn), "?");
  EXPECT_EQ(call.wanted(), (std::set<uint32_t>{2, 3}));
}

std::string Scattered(const std::string& inputs, uint32_t n_out = 1) {
  return Outputs(
      inputs,
      [](InferenceContext* c) -> ReturnedStatus {
        return shapes::ScatterNdShapeHelper(c, c->input(0), c->input(1), c->input(2));
      },
      n_out);
}

TEST(ScatterNdShapeHelper, NeedsASliceForEachIndex) {
  EXPECT_EQ(Scattered("[5,1];[5,7];[9,7]"), "in2");
  EXPECT_EQ(Scattered("[5,2];[5];[9,7]"), "in2");
  EXPECT_EQ(Scattered("[5,?];?;[9,7]"), "in2");
  EXPECT_EQ(Scattered("[5,1];[5,7];[9,7]", 0), "");
  EXPECT_EQ(Scattered("[5,1];[4,7];[9,7]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Scattered("[5,1];[5,6];[9,7]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Scattered("[];[5];[9]"), "INVALID_ARGUMENT");
}

TEST(ScatterNdShapeHelper, WritesNothingIntoAnEmptyTensor) {
  EXPECT_EQ(Scattered("[0,1];[0,7];[0,7]"), "in2");
  EXPECT_EQ(Scattered("[5,1];[5,7];[0,7]"), "INVALID_ARGUMENT");
}

TEST(SegmentReductionWithNumSegmentsShape, IsTheNewerNameOfTheUnsortedOne) {
  FakeHost host;
  FakeShapeCall call(host, "[5,6,7];[5];[]");
  call.Value<int32_t>(2, {}, {3});
  EXPECT_EQ(Outputs(call, shapes::SegmentReductionWithNumSegmentsShapeFn), "[3,d0_1,d0_2]");
}

}  // namespace
}  // namespace opsrun_test

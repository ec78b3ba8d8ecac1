// tests/host/testing/infer_ok_test.cc: what INFER_OK and INFER_ERROR take, and what they say of what they do not.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing/infer_ok.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace opsrun::test {
namespace {

TEST(InferOk, TakesEveryWordAtItsPlace) {
  const ShapeInferenceTestOp op("Words");
  INFER_OK(op, "[3];[2,?]", "in1;[d0_0,7,?];?;?") << "and what else there is to say";
  INFER_OK(op, "[?];?", "in0|in1;[d1_0|d0_0,7,?];?;?");
  INFER_OK(op, "[3];?", "in1;[d0_0,7,o1_2];?;?");
}

TEST(InferOk, SaysWhatDiffersAndWhere) {
  const ShapeInferenceTestOp op("Words");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];[2,?]", "in0;[d0_0,7,?];?;?"),
                          "op 'Words' infers something else\n"
                          "  inputs:   [3];[2,?]\n"
                          "  expected: in0;[d0_0,7,?];?;?\n"
                          "  found:    in1;[d0_0,7,?];?;?\n"
                          "  output 0 is in1, expected in0 itself");
}

TEST(InferOk, TellsAHandleFromItsNumber) {
  const ShapeInferenceTestOp op("Words");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];[2]", "in1;[3,7,?];?;?"),
                          "output 1, dimension 0 is d0_0 itself, expected 3 that is none of an input");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[?];[2]", "in1;[?,7,?];?;?"),
                          "output 1, dimension 0 is d0_0 itself, expected ? that is none of an input");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];[2]", "[2];[d0_0,7,?];?;?"),
                          "output 0 is in1 itself, expected a shape of its own");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "?;[d0_0,7,?];?;?"), "output 0 is in1 itself");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];[2]", "in1;[d1_0,7,?];?;?"),
                          "output 1, dimension 0 is d0_0, expected d1_0 itself");
}

TEST(InferOk, ComparesSizesAndRanks) {
  const ShapeInferenceTestOp op("Words");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[d0_0,8,?];?;?"), "output 1, dimension 1 is 7, expected 8");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[d0_0,?,?];?;?"), "output 1, dimension 1 is 7, expected ?");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[d0_0,7,4];?;?"), "output 1, dimension 2 is ?, expected 4");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[d0_0,7];?;?"), "which has 3 dimensions, expected 2");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;?;?;?"), "output 1 is [d0_0,7,?], expected an unknown shape");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[d0_0,7,?];[?];?"),
                          "output 2 is an unknown shape, expected 1 dimensions");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[d0_0,7,?]"), "there are 4 outputs, expected 2");
}

TEST(InferOk, NamesOfWhatThereIsNotMatchNothing) {
  const ShapeInferenceTestOp op("Words");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in7;[d0_0,7,?];?;?"), "output 0 is in1, expected in7 itself");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[d9_9,7,?];?;?"), "is d0_0, expected d9_9 itself");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "in1;[o4294967295_1,7,?];?;?"), "expected o4294967295_1 itself");
}

TEST(InferOk, ShowsTheErrorInsteadOfShapes) {
  ShapeInferenceTestOp op("Pad");
  EXPECT_NONFATAL_FAILURE(
      INFER_OK(op, "[1];[2]", "[?]"),
      "  found:    INVALID_ARGUMENT: input:paddings: paddings must be a matrix of 2 columns, but its "
      "shape is [2]");
}

TEST(InferOk, AnEExpectsAnError) {
  ShapeInferenceTestOp op("Pad");
  INFER_OK(op, "[1];[2]", "e");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[1];[1,2]", "e"),
                          "op 'Pad' takes these shapes\n  inputs:   [1];[1,2]\n  expected: an error\n  found:    [?]");
}

TEST(InferError, WantsAnErrorWithItsText) {
  ShapeInferenceTestOp op("Pad");
  INFER_ERROR("a matrix of 2 columns", op, "[1];[2]");
  INFER_ERROR("INVALID_ARGUMENT: input:paddings: paddings", op, "[1];[2]");
  EXPECT_NONFATAL_FAILURE(INFER_ERROR("must be a vector", op, "[1];[2]"),
                          "op 'Pad' fails with other words\n"
                          "  inputs:   [1];[2]\n"
                          "  expected: an error with: must be a vector\n"
                          "  found:    INVALID_ARGUMENT: input:paddings: paddings must be a matrix");
  EXPECT_NONFATAL_FAILURE(INFER_ERROR("must be", op, "[1];[1,2]"),
                          "op 'Pad' takes these shapes\n"
                          "  inputs:   [1];[1,2]\n"
                          "  expected: an error with: must be\n"
                          "  found:    [?]");
}

TEST(InferOk, WhatCannotBeReadIsAFailureOfItsOwn) {
  const ShapeInferenceTestOp op("Words");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];?", "[d0"),
                          "the shapes \"[d0\" cannot be read: at character 4 stands the end");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];", "?"), "the shapes \"[3];\" cannot be read");
  EXPECT_NONFATAL_FAILURE(INFER_ERROR("", op, "nonsense"), "the shapes \"nonsense\" cannot be read");
}

}  // namespace
}  // namespace opsrun::test

// opsrun/testing/infer_ok.h: INFER_OK and INFER_ERROR, which check the results of a shape function.
//
//   opsrun::test::ShapeInferenceTestOp op("Pad");
//   INFER_OK(op, "[1,?];?", "[?,?]");
//   INFER_ERROR("must be a matrix of 2 columns", op, "?;[2]");
//
// The inputs are shapes, separated by ';'. Each shape is '?' or a list of sizes, and each size is a number or '?'. The
// expected result has one shape for each output, written with
//   ?      an unknown shape or size that does not come from an input
//   7      a size that does not come from an input
//   in0    the shape of input 0 itself; in0|in2: that of input 0 or of input 2
//   d0_1   the size of dimension 1 of input 0 itself, known or not; d0_1|d2_0: one of the two
//   o0_1   the size of dimension 1 of output 0 itself, which must appear earlier in the result
// or it is 'e', which means that an error is expected.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "opsrun/testing/shape_inference_test_op.h"

namespace opsrun::test::internal {

inline ::testing::AssertionResult Verdict(const std::string& why_not) {
  return why_not.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << why_not;
}

}  // namespace opsrun::test::internal

#define OPSRUN_TEST_VERDICT(why_not)                                                                  \
  GTEST_AMBIGUOUS_ELSE_BLOCKER_                                                                       \
  if (const ::testing::AssertionResult opsrun_verdict = ::opsrun::test::internal::Verdict(why_not)) { \
  } else /* NOLINT */                                                                                 \
    GTEST_NONFATAL_FAILURE_(opsrun_verdict.failure_message())

// Both may be followed by << "more text".
#define INFER_OK(op, inputs, expected) OPSRUN_TEST_VERDICT((op).WhyNotOk(inputs, expected))
#define INFER_ERROR(text, op, inputs) OPSRUN_TEST_VERDICT((op).WhyNotError(text, inputs))

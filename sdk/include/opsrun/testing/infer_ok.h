// opsrun/testing/infer_ok.h: INFER_OK and INFER_ERROR: what a shape function is expected to say.
//
//   opsrun::test::ShapeInferenceTestOp op("Pad");
//   INFER_OK(op, "[1,?];?", "[?,?]");
//   INFER_ERROR("must be a matrix of 2 columns", op, "?;[2]");
//
// The inputs are shapes with ';' between them, each '?' or a list of sizes, each a number or '?'. What is expected are
// as many such shapes as there are outputs, in which
//   ?      is an unknown shape or size, and none of an input
//   7      is a size, and none of an input
//   in0    is the shape of input 0 itself; in0|in2 that of input 0 or of input 2
//   d0_1   is the size of input 0's dimension 1 itself, known or not; d0_1|d2_0 one of the two
//   o0_1   is the size of output 0's dimension 1 itself, which stands before
// and the whole of which may be 'e': an error is expected.
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

// Both may be followed by << "more to say".
#define INFER_OK(op, inputs, expected) OPSRUN_TEST_VERDICT((op).WhyNotOk(inputs, expected))
#define INFER_ERROR(text, op, inputs) OPSRUN_TEST_VERDICT((op).WhyNotError(text, inputs))

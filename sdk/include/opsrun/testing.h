// opsrun/testing.h: tests for the ops of a plugin, with GoogleTest and the libraries of the host.
//
// A test loads the plugin file that is shipped, with all checks that opsrun makes, and runs its shape functions
// (ShapeInferenceTestOp, INFER_OK, INFER_ERROR) and kernels (OpTest) in its own process. It links opsrun::testing and
// states which plugin files it needs: see PluginFiles. It requires C++17 and does not include headers of the host.
// The test may also include other headers of the SDK.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/testing/test_graph.h"

namespace opsrun::test {

// A fixture that runs kernels on small arrays and compares their outputs.
//
//   class PadTest : public opsrun::test::OpTest {};
//   TEST_F(PadTest, PadsAVector) {
//     Op("Pad").Input<float>({2}, {7, 8}).Input<int32_t>({1, 2}, {1, 0});
//     Run();
//     ExpectOutput<float>(0, {3}, {0, 7, 8});
//   }
//
// Shared objects of kernels live as long as the test. Runs use one thread unless Threads sets another number, and the
// CPU unless Device or the environment variable OPSRUN_TEST_DEVICE names a device. If OPSRUN_TEST_ISOLATE is set, the
// plugins run in processes of their own; only what Forwarded says is then different.
class OpTest : public ::testing::Test {
 protected:
  explicit OpTest(const PluginFiles& files = DefaultPluginFiles()) : graph_(files) {}

  // Starts a new graph with one node, the node under test. Earlier nodes are removed.
  Node Op(const std::string& op, const std::string& name = "") {
    graph_.Clear();
    return Add(op, name);
  }
  // Adds a node to the graph. Functions without a node argument refer to the node that was added last.
  Node Add(const std::string& op, const std::string& name = "") {
    last_.emplace(graph_.Add(op, name));
    return *last_;
  }

  void Threads(int threads) { graph_.SetThreads(threads); }
  void Device(const std::string& device) { graph_.SetDevice(device); }
  void CutLoops() { graph_.CutLoops(); }

  // Runs all nodes. Can be called several times: kernels are kept as long as their nodes do not change. On failure, it
  // returns false and the test fails.
  bool Run(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const Outcome outcome = graph_.Run();
    if (!outcome.ok) ADD_FAILURE_AT(file, line) << "the run fails: " << outcome.text;
    return outcome.ok;
  }
  // Runs all nodes and expects a failure whose message contains `text`.
  void RunFails(const std::string& text, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const Outcome outcome = graph_.Run();
    if (outcome.ok) {
      ADD_FAILURE_AT(file, line) << "the run succeeds, expected a failure with: " << text;
    } else if (outcome.text.find(text) == std::string::npos) {
      ADD_FAILURE_AT(file, line) << "the run fails with another message\n  expected: " << text
                                 << "\n  found:    " << outcome.text;
    }
  }
  Outcome TryRun() { return graph_.Run(); }

  // Checks output i of a node; i counts the tensors of flattened lists. The comparison is exact: NaN equals NaN, and 0
  // equals -0.
  void ExpectOutput(const Node& node, int i, const Array& expected, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
    ExpectOutputNear(node, i, expected, {}, file, line);
  }
  template <typename T>
  void ExpectOutput(int i, Shape shape, const std::vector<T>& values, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
    ExpectLast(i, ArrayOf<T>(std::move(shape), values), {}, file, line);
  }
  // Run and ExpectOutput in one call.
  template <typename T>
  void RunGives(int i, Shape shape, const std::vector<T>& values, const char* file = __builtin_FILE(),
                int line = __builtin_LINE()) {
    if (Run(file, line)) ExpectOutput(i, std::move(shape), values, file, line);
  }
  void RunGives(const Node& node, int i, const Array& expected, const char* file = __builtin_FILE(),
                int line = __builtin_LINE()) {
    if (Run(file, line)) ExpectOutput(node, i, expected, file, line);
  }
  // An element is correct if it differs from the expected one by at most atol + rtol * |expected|.
  void ExpectOutputNear(const Node& node, int i, const Array& expected, Tolerance tolerance,
                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const std::string why_not = graph_.WhyNot(node, i, expected, tolerance);
    if (!why_not.empty()) ADD_FAILURE_AT(file, line) << why_not;
  }
  template <typename T>
  void ExpectOutputNear(int i, Shape shape, const std::vector<T>& values, Tolerance tolerance,
                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    ExpectLast(i, ArrayOf<T>(std::move(shape), values), tolerance, file, line);
  }

  // The node that was added last. Requires: there is one.
  const Node& last() const { return *last_; }
  // Output i of the last node, or an empty array if there is no node.
  Array Output(int i) const { return last_ ? graph_.Output(*last_, i) : Array(); }
  int NumOutputs() const { return last_ ? graph_.NumOutputs(*last_) : 0; }
  bool Forwarded(int output, int input) const { return last_ && graph_.Forwarded(*last_, output, input); }

 private:
  void ExpectLast(int i, const Array& expected, Tolerance tolerance, const char* file, int line) {
    if (last_) {
      ExpectOutputNear(*last_, i, expected, tolerance, file, line);
    } else {
      ADD_FAILURE_AT(file, line) << "no op was named: call Op() first";
    }
  }

  TestGraph graph_;
  std::optional<Node> last_;
};

}  // namespace opsrun::test

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

// Check the results of a shape function.
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
//
// Both may be followed by << "more text".
#define INFER_OK(op, inputs, expected) OPSRUN_TEST_VERDICT((op).WhyNotOk(inputs, expected))
#define INFER_ERROR(text, op, inputs) OPSRUN_TEST_VERDICT((op).WhyNotError(text, inputs))

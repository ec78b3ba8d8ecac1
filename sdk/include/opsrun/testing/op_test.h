// opsrun/testing/op_test.h: a fixture that runs kernels on small arrays and compares what they give.
//
//   class PadTest : public opsrun::test::OpTest {};
//   TEST_F(PadTest, PadsAVector) {
//     Op("Pad").Input<float>({2}, {7, 8}).Input<int32_t>({1, 2}, {1, 0});
//     Run();
//     ExpectOutput<float>(0, {3}, {0, 7, 8});
//   }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/testing/test_graph.h"

namespace opsrun::test {

// Shared objects of kernels live as long as the test. One thread, unless Threads says otherwise.
class OpTest : public ::testing::Test {
 protected:
  explicit OpTest(const PluginFiles& files = DefaultPluginFiles()) : graph_(files) {}

  // The node that is tested: what was there before is forgotten.
  Node Op(const std::string& op, const std::string& name = "") {
    graph_.Clear();
    return Add(op, name);
  }
  // One more node, beside those that are there. What is said without a node is said of the last one.
  Node Add(const std::string& op, const std::string& name = "") {
    last_.emplace(graph_.Add(op, name));
    return *last_;
  }

  void Threads(int threads) { graph_.SetThreads(threads); }
  void CutLoops() { graph_.CutLoops(); }

  // Runs all nodes. Each may be called several times: while the nodes stay as they are, their kernels do. False, and
  // the test fails, if something fails.
  bool Run(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const Outcome outcome = graph_.Run();
    if (!outcome.ok) ADD_FAILURE_AT(file, line) << "the run fails: " << outcome.text;
    return outcome.ok;
  }
  // Runs all nodes, which is expected to fail with `text` in what is told.
  void RunFails(const std::string& text, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const Outcome outcome = graph_.Run();
    if (outcome.ok) {
      ADD_FAILURE_AT(file, line) << "the run succeeds, expected a failure with: " << text;
    } else if (outcome.text.find(text) == std::string::npos) {
      ADD_FAILURE_AT(file, line) << "the run fails with other words\n  expected: " << text
                                 << "\n  found:    " << outcome.text;
    }
  }
  Outcome TryRun() { return graph_.Run(); }

  // Output i of a node, lists counted through. Exactly: NaN is NaN, and 0 is -0.
  void ExpectOutput(const Node& node, int i, const Array& expected, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
    ExpectOutputNear(node, i, expected, {}, file, line);
  }
  template <typename T>
  void ExpectOutput(int i, Shape shape, const std::vector<T>& values, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
    ExpectLast(i, ArrayOf<T>(std::move(shape), values), {}, file, line);
  }
  // An element is right within atol + rtol * |expected|.
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

  // The node that was begun last. Requires: there is one.
  const Node& last() const { return *last_; }
  // An empty array if there is none.
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

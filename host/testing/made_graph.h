// host/testing/made_graph.h: the host's graph for the graph that a test describes, and where its parts come from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/engine/loaded_graph.h"
#include "host/testing/plugin_set.h"
#include "host/testing/test_values.h"

namespace opsrun::test {

// A graph as a test describes it.

// What is known about an input before the run.
enum class Known {
  kValue,
  kShape,
  kNothing,
  kNotEvenMemory,  // nor can its memory be shared with another tensor
};

// One argument of a node.
struct InputPart {
  enum class Source { kArrays, kNode, kHandle };

  Source source = Source::kArrays;
  Known known = Known::kValue;
  bool said = false;          // the test has set `known`
  std::vector<Array> arrays;  // kArrays: one, unless list
  bool list = false;
  size_t node = 0;                       // which node
  std::string output;                    // kNode: which output; empty: the only one
  std::string handle_type, handle_name;  // kHandle
};

struct NodePart {
  std::string op, name, label;
  std::vector<InputPart> inputs;
  host::TestAttrs attrs;
  std::vector<size_t> after;
};

struct GraphParts {
  std::vector<NodePart> nodes;
  bool planned = false;  // nothing but arrays of feeds has changed since planning
  std::string mistake;   // the first invalid call by the test
};

}  // namespace opsrun::test

namespace opsrun::host {

// The output tensors of the nodes of a test.

// One tensor: the name of the output and, if that is a list, an index.
struct NamedOutput {
  std::string output;
  int64_t index = -1;
  DType dtype = DType::kInvalid;
};

// The tensors of each node, with lists flattened; none for a node with an error, which planning reports.
std::vector<std::vector<NamedOutput>> NameOutputs(const PluginSet& plugins, const std::vector<test::NodePart>& nodes);

// What a place in the graph stands for: the test's node, and "input:x", "attr:N" or empty.
struct TestSubject {
  size_t node = 0;
  std::string subject;
};

// An array that must be set before each run.
struct FedArray {
  std::string feed;
  size_t node = 0, input = 0, element = 0;
};

struct MadeGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<TestSubject> subjects;  // by line, from 1: the graph has no file, so lines can identify them
  std::vector<FedArray> fed;
  // By node. outputs: for each tensor its index in graph->outputs, or -1 if its values exist only during a run.
  // readers, late: the keys of outputs and inputs in MemorySeen; empty if they are not recorded.
  std::vector<std::vector<int>> outputs;
  std::vector<std::vector<std::string>> readers, late;

  const TestSubject* SubjectOf(Span where) const;
};

// INVALID_ARGUMENT if the test is invalid: a malformed array, or two nodes with the same name.
Result<MadeGraph> MakeGraph(const test::GraphParts& parts, const PluginSet& plugins);

// The graph of a test, planned, with a lane to run it.
class PlannedTest {
 public:
  // Errors of the graph become INVALID_ARGUMENT, with messages that refer to the test.
  static Result<std::unique_ptr<PlannedTest>> Make(const test::GraphParts& parts, const PluginSet& plugins);

  // Sets the feeds to the current `parts` and runs once. Returns the reason for a failure, otherwise an empty string.
  std::string Run(const test::GraphParts& parts);

  const MadeGraph& made() const { return made_; }
  // Call this after a successful run.
  Result<Tensor> Output(int index) const { return lane_->Output(static_cast<size_t>(index)); }

 private:
  PlannedTest() = default;
  Status Feed(const test::GraphParts& parts);
  std::string FailureText(const RunFailure& failure) const;

  // Each member uses those above it, even during destruction.
  MadeGraph made_;
  std::shared_ptr<const PlannedGraph> plan_;
  std::unique_ptr<Lane> lane_;
};

}  // namespace opsrun::host

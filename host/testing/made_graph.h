// host/testing/made_graph.h: what a test describes, as the host has it: values, plugin files in an engine, and a graph,
// with where its parts come from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/plugin/plugin.h"
#include "host/spec/op_def.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"
#include "opsrun/testing/array.h"
#include "opsrun/testing/test_graph.h"

namespace opsrun::host {

// INVALID_ARGUMENT if the elements do not match the shape (the message has both numbers), or if the tensor is invalid.
Result<Tensor> ToTensor(const test::Array& array);

test::Array ToArray(const Tensor& tensor);

// In the form of a graph file; all parts have the place `span`.
Value ToValue(const test::AttrValue& value, Span span);

using TestAttrs = std::map<std::string, test::AttrValue>;

// The attrs, converted to the types in the op's spec. INVALID_ARGUMENT with the same message as for a graph file.
Result<std::map<std::string, spec::AttrValue>> ConvertAttrs(const spec::OpDef& op, const TestAttrs& attrs);

// Empty if both have the same data type and shape and all elements are within the tolerance. Otherwise describes the
// differences; for elements: how many differ, the worst one, and both arrays.
std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance);

// The addresses of tensors in the last run, by the name of the Late or Reader node that recorded them.
using MemorySeen = std::map<std::string, const void*>;

// Each test has its own, like each run of the program; only the libraries of plugins stay loaded after it.
struct PluginSet {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;
  std::string trouble;  // why the files cannot be used; may be empty

  const RegisteredOp* FindOp(const std::string& op) const { return loaded.registry.FindOp(op); }
  // A message that the op does not exist.
  std::string WhyNoOp(const std::string& op) const;
};

// How the engine differs from that of the program.
struct PluginSetOptions {
  int threads = 1;
  // Splits loops into a few uneven parts, to detect kernels whose result depends on the split.
  bool cut_loops = false;
  std::string device = kCpuName;  // default device for nodes whose op has a kernel for it
  bool isolate = false;           // run the plugins in processes of their own
  MemorySeen* seen = nullptr;     // if set, the ops below are available and record addresses here
};

// Opens and checks the files as the program does. Ops of earlier files hide those of later ones.
PluginSet OpenPluginFiles(const std::vector<std::string>& files, const PluginSetOptions& options = {});

// Ops of this library that are placed around the nodes of a test.

// Copies its input to new memory; the shape is known only during the run.
inline constexpr char kLateOp[] = "OpsrunTesting>Late";
// Reads its input.
inline constexpr char kReaderOp[] = "OpsrunTesting>Reader";
// Returns a resource handle: a null handle or, with the attr 'type', one to an object of that type.
inline constexpr char kHandleOp[] = "OpsrunTesting>Handle";

// seen: nodes write to it during runs; must outlive the plugin.
std::shared_ptr<const Plugin> BuiltInOps(MemorySeen* seen);

}  // namespace opsrun::host

namespace opsrun::test {

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

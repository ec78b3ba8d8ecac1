// opsrun/testing/test_graph.h: a small graph in memory, planned and run by the host's own libraries.
//
// What a graph file says is said by calls; reading inputs, choosing kernels, running shape functions, laying out memory
// and all checks are the host's. Without GoogleTest; tests use it through op_test.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/testing/array.h"
#include "opsrun/testing/attr_value.h"
#include "opsrun/testing/plugin_files.h"

namespace opsrun::test {

struct GraphParts;
struct NodePart;
enum class Known;

// A node of the graph: an op with its inputs and attrs. A handle: copies are the same node.
class Node {
 public:
  // The next input of the op, in the order of its spec: an array, or what another node gives.
  Node& Input(const Array& array);
  template <typename T>
  Node& Input(Shape shape, const std::vector<T>& values) {
    return Input(ArrayOf<T>(std::move(shape), values));
  }
  Node& Input(const Node& from, const std::string& output = "");
  // A list argument.
  Node& Inputs(const std::vector<Array>& arrays);
  // A handle of no object, or, with a type, of an object of that C++ type that another plugin made.
  Node& InputHandle(const std::string& type = "", const std::string& name = "");

  // What is known before the run of the inputs of which it was not said yet. By default everything is, as of feeds with
  // values in a graph file.
  Node& Fed();           // their shapes: they are feeds without values
  Node& FedShapeless();  // nothing: feeds without values and shapes
  Node& Late();          // nothing, and they lie in memory of their own: like what an op without a shape function gives

  Node& Attr(const std::string& name, const AttrValue& value);
  Node& Label(const std::string& label);  // of the kernel
  Node& After(const Node& other);

  // Another array in the place of input i, lists counted through, for the runs that follow. The kernel is made anew if
  // the input was known before the run, and stays the same one otherwise.
  Node& Replace(int i, const Array& array);

 private:
  friend class TestGraph;
  Node(std::shared_ptr<GraphParts> parts, std::size_t index) : parts_(std::move(parts)), index_(index) {}
  NodePart& Part();
  Node& Know(Known known);
  bool IsNeighbor(const Node& other);
  std::shared_ptr<GraphParts> parts_;
  std::size_t index_;
};

// How a run ended. Before it: `text` is "G217: input:x: sentence", with what else the host says on lines of their own.
// In the kernel: "INVALID_ARGUMENT: input:x: sentence".
struct Outcome {
  bool ok = false;
  std::string text;
};

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

class TestGraph {
 public:
  explicit TestGraph(const PluginFiles& files);
  TestGraph(const TestGraph&) = delete;
  ~TestGraph();

  // A node that gets its inputs through the answer; name: as it may refer to itself in messages, "node" by default.
  Node Add(const std::string& op, const std::string& name = "");
  void Clear();

  void SetThreads(int threads);  // 1 to 256; others are the nearest
  // Loops inside kernels run as if on 4 threads, in the order and the parts that are worst for them: odd parts of 1 to
  // 3 indices, the last part first. From now on.
  void CutLoops();

  // Plans the graph, if it was not or is another one since, and runs it.
  Outcome Run();

  // After a run that was ok. How many tensors the node gave, lists counted through; tensor i of them. Without values
  // for resources. WhyNot: empty if tensor i has this shape, data type and, within the tolerance, these elements.
  int NumOutputs(const Node& node) const;
  Array Output(const Node& node, int i) const;
  std::string WhyNot(const Node& node, int i, const Array& expected, Tolerance tolerance) const;
  // Output i lies where input j, which was Late, lay: the kernel has taken its memory.
  bool Forwarded(const Node& node, int i, int j) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opsrun::test

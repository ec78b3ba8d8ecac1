// opsrun/testing/test_graph.h: a small graph in memory, planned and run by the libraries of the host.
//
// Function calls replace the graph file. The host reads inputs, selects kernels, runs shape functions, lays out memory
// and makes all checks. Does not need GoogleTest. Tests use it through op_test.h.
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

// A node of the graph: an op with its inputs and attrs. This is a handle: copies refer to the same node.
class Node {
 public:
  // Sets the next input of the op, in the order of its spec: an array or the output of another node.
  Node& Input(const Array& array);
  template <typename T>
  Node& Input(Shape shape, const std::vector<T>& values) {
    return Input(ArrayOf<T>(std::move(shape), values));
  }
  Node& Input(const Node& from, const std::string& output = "");
  // Sets a list argument.
  Node& Inputs(const std::vector<Array>& arrays);
  // Sets an input to a handle that refers to nothing or, with a type, to an object of that C++ type from another
  // plugin.
  Node& InputHandle(const std::string& type = "", const std::string& name = "");

  // State how much is known before the run about the inputs added since the last such call. By default everything is
  // known, as for feeds with values in a graph file.
  Node& Fed();           // the shapes: the inputs are feeds without values
  Node& FedShapeless();  // nothing: the inputs are feeds without values and shapes
  Node& Late();  // nothing, and the inputs have their own memory, like outputs of an op without a shape function

  Node& Attr(const std::string& name, const AttrValue& value);
  Node& Label(const std::string& label);  // the label of the kernel
  Node& After(const Node& other);

  // Replaces the array of input i for the following runs; i counts the tensors of flattened lists. A new kernel is
  // created if the input was known before the run; otherwise the kernel is kept.
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

// The result of a run. `text`, for a failure before the run: "G217: input:x: message", with further lines of the host;
// for a failure in the kernel: "INVALID_ARGUMENT: input:x: message".
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

  // Adds a node; the inputs are set through the returned handle. name: the name of the node in messages, "node" by
  // default.
  Node Add(const std::string& op, const std::string& name = "");
  void Clear();

  void SetThreads(int threads);  // 1 to 256; other numbers are clamped
  // The device of nodes whose op has a kernel for it: "cpu", "gpu", "gpu:1" or "auto"; other nodes run on the CPU. The
  // default is the environment variable OPSRUN_TEST_DEVICE, or "cpu".
  void SetDevice(const std::string& device);
  // From now on, loops inside kernels run as if on 4 threads, split and ordered to provoke errors: odd parts of 1 to 3
  // indices, the last part first.
  void CutLoops();

  // Runs the graph. Plans it first if it was not planned yet or has changed.
  Outcome Run();

  // For use after a successful run. NumOutputs: the number of tensors that the node returned, with lists flattened.
  // Output: tensor i of them, without values for resources. WhyNot: empty if tensor i has the expected shape, data type
  // and, within the tolerance, elements; otherwise the differences.
  int NumOutputs(const Node& node) const;
  Array Output(const Node& node, int i) const;
  std::string WhyNot(const Node& node, int i, const Array& expected, Tolerance tolerance) const;
  // True if output i uses the memory of input j, which was Late: the kernel forwarded it.
  bool Forwarded(const Node& node, int i, int j) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opsrun::test

// opsrun/testing/test_graph.h: ops in tests, without GoogleTest: a small graph in memory, planned and run by the
// libraries of the host, and the shape function of one op, called as planning does. Tests use it through
// opsrun/testing.h.
//
// Function calls replace the graph file. The host reads inputs, selects kernels, runs shape functions, lays out memory
// and makes all checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/testing/array.h"

namespace opsrun::test {

// The plugin files that a test loads. They are listed in the environment variable OPSRUN_TEST_PLUGINS if it is set,
// otherwise in the macro of that name, which opsrun_add_plugin_test() defines. Both hold paths of files separated by
// colons.
using PluginFiles = std::vector<std::string>;

// Reads the environment. `built_in` is the value of the macro.
PluginFiles FindPluginFiles(const char* built_in);

inline PluginFiles DefaultPluginFiles() {
#ifdef OPSRUN_TEST_PLUGINS
  return FindPluginFiles(OPSRUN_TEST_PLUGINS);
#else
  return FindPluginFiles("");
#endif
}

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

// One op, with the settings of its node in a graph. This is a handle: copies refer to the same op. The type of an input
// is that of its value; otherwise it follows from the attrs that are set, then from the values of inputs of the same
// type, then from defaults. A type that is still open is float if the op allows it, otherwise the first type that the
// op allows. The length of a list follows from the number of shapes.
class ShapeInferenceTestOp {
 public:
  // `op`: the name of the op in a graph. If its plugin is rejected or the op does not exist, inference fails.
  explicit ShapeInferenceTestOp(std::string op, const PluginFiles& files = DefaultPluginFiles());

  ShapeInferenceTestOp& Attr(const std::string& name, const AttrValue& value);

  // Sets the value of input i, which is then known before the run; i counts the tensors of flattened lists.
  ShapeInferenceTestOp& Value(int i, const Array& value);
  template <typename T>
  ShapeInferenceTestOp& Value(int i, Shape shape, const std::vector<T>& values) {
    return Value(i, ArrayOf<T>(std::move(shape), values));
  }
  // Sets a partially known value of input i, written as the shape that the value holds: "[2,?]".
  ShapeInferenceTestOp& ValueAsShape(int i, const std::string& shape);
  ShapeInferenceTestOp& ForgetValues();

  // The result of the shape function: "[d0_0,?];in1" in the notation of INFER_OK, or "INVALID_ARGUMENT: input:x:
  // message".
  std::string Infer(const std::string& inputs) const;

  // Empty if the result is as expected, otherwise the differences.
  std::string WhyNotOk(const std::string& inputs, const std::string& expected) const;
  // Empty if the shape function fails and the result of Infer contains `text`, otherwise what happened instead.
  std::string WhyNotError(const std::string& text, const std::string& inputs) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace opsrun::test

// adapters/tensorflow/native/op.h: an op of a plugin with the types and attrs of one node: its kernel, shapes and
// gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "adapters/common/engine.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op_def.pb.h"
#include "values.h"

namespace opsrun_tf {

// A registered op. Lives as long as the process.
struct Op {
  opsrun_adapter::Engine engine;
  std::string name;       // "zero_out.ZeroOut"
  tensorflow::OpDef def;  // its name is "Opsrun_zero_out>ZeroOut"
};

// Read-only: any thread.
class TypedOp {
 public:
  // Throws Failure if the op rejects the types or attrs.
  TypedOp(const Op& op, const FindAttr& find);

  const Op& op() const { return op_; }
  const opsrun_typed_op* get() const { return typed_.get(); }
  const opsrun_typed_op_info& info() const { return *opsrun_typed_op_get(typed_.get()); }

 private:
  const Op& op_;
  opsrun_adapter::OwnedTypedOp typed_;
};

// Throws Failure if the op rejects the node's types or attrs.
inline TypedOp TypeNode(const Op& op, const tensorflow::NodeDef& node) {
  const tensorflow::AttrSlice attrs(node);
  return TypedOp(op, [&attrs](const std::string& name) { return attrs.Find(name); });
}

// Everything that a call needs, stored together: in a graph of many nodes, the objects of a node are rarely in the
// cache. Read-only: any thread.
class Kernel {
 public:
  struct Type {
    int32_t dtype;
    opsrun_dldtype dl;
  };

  // Throws Failure if there is no kernel, if its constructor rejects the attrs, or if TensorFlow stores a type in
  // another layout.
  explicit Kernel(const TypedOp& op);
  Kernel(const Kernel&) = delete;

  const opsrun_host* table() const { return table_; }
  const opsrun_kernel_object* get() const { return kernel_.get(); }
  int32_t Compute(opsrun_call* call) const { return compute_(object_, call); }
  uint32_t n_in() const { return n_in_; }
  uint32_t n_out() const { return n_out_; }
  const Type* types() const { return types_.data(); }  // of inputs, then of outputs

 private:
  void AddTypes(const int32_t* types, uint32_t n);

  const opsrun_host* const table_;
  int32_t (*compute_)(void* object, opsrun_call* call) = nullptr;
  void* object_ = nullptr;
  opsrun_adapter::OwnedKernel kernel_;
  const uint32_t n_in_, n_out_;
  absl::InlinedVector<Type, 4> types_;
};

// Returns the value of an input, of this data type, if it is known; otherwise null.
using FindValue = std::function<const opsrun_array*(uint32_t input, int32_t dtype)>;

// Runs the shape function, and again if values that it requested are known; adds them to the inputs. Throws Failure.
opsrun_adapter::OwnedShapes InferShapes(const TypedOp& op, std::vector<opsrun_known_input>& inputs,
                                        const FindValue& find);

// Nothing, or the sizes of a shape, -1 if unknown, or elements as in opsrun_known_sizes.
using Sizes = std::optional<std::vector<int64_t>>;

// Runs the shape function with values that Python knows in part. TensorFlow's own inference gives a shape function the
// whole value or nothing: asked for a partly known value, it takes the value for a shape and fails if a number is below
// -1. Python knows more about the graph.
//
// Returns the shape and the elements of each output of a node. node_def: the serialized NodeDef. value_of: called with
// the index of an input whose value the shape function requests; returns a serialized TensorProto, or None. Throws
// Failure.
std::vector<std::pair<Sizes, Sizes>> InferOutputs(const Op& op, const std::string& node_def,
                                                  const std::vector<std::pair<Sizes, Sizes>>& inputs,
                                                  const pybind11::function& value_of);

// A tuple (calls, constants, of_inputs, slices) for a node of the op. node_def: the serialized NodeDef.
//   calls      each (plugin, op, arguments, attrs): per argument an operand or a list of operands; attrs is a dict
//   constants  each (data type, shape, bytes)
//   of_inputs  for each input an operand, lists flattened
//   slices     for each input None, or (values, indices, axis, if indices are vectors, batch_dims) of opsrun_slices
// An operand is a tuple (OPSRUN_OPERAND_*, index, output). shapes: what is known about each input, lists flattened;
// derives the gradient for these shapes only; nothing: for all. Throws Failure if there is no valid gradient.
pybind11::tuple GradientOf(const Op& op, const std::string& node_def, const std::optional<std::vector<Sizes>>& shapes);

}  // namespace opsrun_tf

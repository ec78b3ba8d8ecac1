// adapters/onnxruntime/native/op.h: an op of a plugin as custom operators of ONNX Runtime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/common/engine.h"
#include "attributes.h"
#include "values.h"

namespace opsrun_onnx {

// The plugins of the process. Created on first use, with these directories to search; empty: opsrun's own. Throws
// Failure.
const opsrun_adapter::Engine& TheEngine(const std::vector<std::string>& directories = {});

struct Argument {
  std::string name, type_attr, number_attr, type_list_attr;
  int32_t dtype;  // 0: an attr determines it
  bool list;
  int64_t least;  // number of tensors

  // Of a list: the attr with its length.
  const std::string& length_attr() const { return number_attr.empty() ? type_list_attr : number_attr; }
  // False for a list of tensors of several types.
  bool has_one_type() const { return dtype != OPSRUN_DT_INVALID || !type_attr.empty(); }
};

struct AttrSpec {
  std::string name, type;
  bool has_default;

  uint32_t kind() const { return opsrun_adapter::KindOf(type); }
};

// An op as its plugin declares it.
struct OpSpec {
  explicit OpSpec(const opsrun_op_info& info);

  // Why ONNX Runtime cannot have it; empty if it can.
  std::string why_not() const;

  std::string plugin, name, full_name;  // zero_out, ZeroOut, zero_out.ZeroOut
  std::vector<Argument> inputs, outputs;
  std::vector<AttrSpec> attrs;
};

// A node's op, with its types and attrs.
struct NodeOp {
  opsrun_adapter::OwnedTypedOp typed;
  std::string hidden;  // an attr that is set, but whose value is not shown; empty: there is none
};
// Throws Failure; messages begin with `what`.
NodeOp TypeNode(const OpSpec& spec, const Node& node, const std::vector<const DataType*>& types, const Runtime& runtime,
                const std::string& what);

// An input or output that a custom operator declares.
struct Formal {
  ONNXTensorElementDataType type;  // UNDEFINED: any
  bool variadic;
  int least;  // number of tensors
};
using Types = std::map<std::string, ONNXTensorElementDataType>;  // by attr

// One custom operator. ONNX Runtime infers the types of outputs from those of inputs only if a custom operator declares
// them, so an op whose outputs have the type T of an input becomes one custom operator for each type.
class CustomOp : public OrtCustomOp {
 public:
  CustomOp(const Runtime& runtime, const OpSpec& spec, std::vector<Formal> inputs, std::vector<Formal> outputs);

  static const CustomOp& Of(const OrtCustomOp* op) { return *static_cast<const CustomOp*>(op); }
  const Runtime& runtime() const { return runtime_; }
  const OrtApi& api() const { return *runtime_.api; }
  const OpSpec& spec() const { return spec_; }
  // The number of outputs that every node has.
  uint32_t least_outputs() const;

 private:
  const Runtime runtime_;
  const OpSpec& spec_;
  const std::vector<Formal> inputs_, outputs_;
};

// The custom operators of an op. The spec must outlive them.
void AddCustomOps(const Runtime& runtime, const OpSpec& spec, std::deque<CustomOp>* ops);

// Infers the shapes of a node's outputs, as OrtCustomOp::InferOutputShapeFn. Throws Failure.
void InferShapes(const CustomOp& op, OrtShapeInferContext* context);

}  // namespace opsrun_onnx

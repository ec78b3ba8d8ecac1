// host/gradient/node_gradient.h: the gradients of the inputs of a node, as its op declares them, and those that no op
// declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/gradient/derived_graph.h"
#include "host/graph/graph.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/plan/match_node.h"
#include "host/plugin/load.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

// Where to find the ops of gradients. Both must outlive this object.
struct GradientOps {
  const LoadResult& loaded;
  const Catalog& catalog;
};

// The node to differentiate. Inputs and outputs are flat lists.
struct ForwardNode {
  std::string_view name;
  uint32_t index = 0;  // in the original graph
  std::vector<DerivedTensor> inputs;
  std::vector<DerivedTensor> outputs;
  std::function<std::optional<DerivedTensor>(size_t output)> gradient;  // of an output; nothing if it cannot have one
  const Span* place = nullptr;  // for all new nodes; null: their place in the declared gradient
};

// The gradients of nodes with the same op and signature, one node at a time. Adds to the graph only what is requested,
// so gradients that are not needed cost nothing. The nodes that are made refer to this object.
class NodeGradient {
 public:
  static constexpr char kGrad[] = "grad";  // "grad.y": the gradient of output y

  // All references must outlive this object. ops: includes the ops of the gradient. Adds an error with a place in the
  // declared gradient if it does not fit the op; then no input has a gradient.
  NodeGradient(DeclaredGradient declared, const RegisteredOp& op, std::shared_ptr<const spec::Signature> signature,
               const GradientOps& ops, DerivedGraph& graph, Diagnostics& diagnostics);
  NodeGradient(const NodeGradient&) = delete;

  // The node that the next calls are about. It must exist until the last of them.
  void Begin(const ForwardNode& node);

  // The gradient of input i of the flat list; nothing if it has none, or after an error with a place in the declared
  // gradient. wish: preferred name of the node that computes it.
  std::optional<DerivedTensor> OfInput(size_t i, const std::string& wish);

 private:
  // One repetition of a node with `each`.
  struct Turn {
    const Node* node = nullptr;
    size_t index = 0;
  };

  // A node of the declared gradient for the current node.
  struct Work {
    enum class State : uint8_t { kNew, kOpen, kDone };
    State state = State::kNew;
    MadeNode made;
    std::string wish;  // preferred name, if it computes a gradient of an input
  };

  // A node of the declared gradient, with what is the same for most nodes that are differentiated.
  struct Planned {
    const RegisteredOp* op = nullptr;
    std::vector<MatchedInput> inputs;
    std::vector<std::optional<spec::InputTypes>> types;  // the last ones
    std::shared_ptr<const spec::Signature> signature;    // for these types; null: none yet
    std::vector<Work> turns;
  };

  // The tensor or list of tensors that a name refers to; each tensor is made when requested.
  struct Operand {
    enum class Kind : uint8_t { kTensor, kTensors, kGradients, kOutputs, kRepeated };
    Kind kind = Kind::kTensor;
    bool list = false;
    size_t size = 1;
    std::optional<DerivedTensor> tensor;             // kTensor
    const std::vector<DerivedTensor>* of = nullptr;  // kTensors
    MadeNode made;                                   // kOutputs
    size_t node = 0;                                 // kRepeated: in the declared gradient
    size_t first = 0;                                // the number of the first tensor, or of the output
  };

  bool CheckOutputs();
  bool CheckNames();
  bool CheckSlices();
  bool CheckInput(const Located<std::string>& input);
  bool CheckArgument(const Reference& reference);
  const GradientOutput* OutputFor(const std::string& input) const;
  std::optional<DerivedTensor> Element(const GradientOutput& output, const spec::ArgRange& input, size_t element);

  std::optional<DerivedTensor> At(const Operand& operand, size_t i);
  std::optional<Operand> Find(const Reference& reference, const Turn& turn);
  std::optional<Operand> FindWhole(const Reference& reference, const Turn& turn);
  std::optional<Operand> GradientOf(const Reference& reference);
  std::optional<size_t> FindOutputOf(const RegisteredOp& op, const Reference& reference);
  std::optional<Operand> OutputOf(const Reference& reference, size_t node);
  std::optional<Operand> RepeatedOutput(const Reference& reference, size_t node);
  const RegisteredOp* FindOp(const Node& node);
  std::nullopt_t UnknownName(const Reference& reference);

  const Node& DeclaredNode(size_t node) const { return declared_.graph.nodes[node]; }
  std::optional<size_t> IndexOfNode(const std::string& name) const;
  Work& WorkOn(size_t node, size_t turn);
  std::optional<size_t> Turns(const Node& node);
  MadeNode Make(size_t node, size_t turn);
  MadeNode MakeNew(size_t node, const Turn& turn, std::string name);
  bool Plan(size_t node);
  bool TakeInputs(size_t node, const Turn& turn, std::vector<std::vector<DerivedTensor>>& tensors,
                  std::vector<std::optional<spec::InputTypes>>& types);
  bool TakeInput(const MatchedInput& matched, const spec::ArgDef& arg, const Turn& turn,
                 std::vector<DerivedTensor>& tensors, spec::InputTypes& types);
  bool InferSignature(size_t node, std::vector<std::optional<spec::InputTypes>> types);

  const DeclaredGradient declared_;
  const spec::OpDef& op_;
  const std::shared_ptr<const spec::Signature> signature_;
  const GradientOps& ops_;
  DerivedGraph& graph_;
  Diagnostics& diagnostics_;
  Reporter reporter_;  // of errors in the declared gradient
  bool valid_ = false;
  const ForwardNode* node_ = nullptr;
  std::vector<Planned> planned_;                         // by node of the declared gradient
  std::vector<std::optional<DerivedTensor>> constants_;  // by constant of the declared gradient
};

// Each function returns nothing after an error at the value's place, such as G201 if no plugin has the op. name: the
// preferred name.
class OwnNodes {
 public:
  // All must outlive this object.
  OwnNodes(const Graph& original, const Resolution& resolution, const GradientOps& ops, DerivedGraph& graph,
           Diagnostics& diagnostics);

  // A tensor filled with `number` (0 or 1), of the type and shape of the value; a constant if the shape is known.
  std::optional<DerivedTensor> Filled(uint32_t value, int number, const std::string& name);
  // The sum of gradients of the value.
  std::optional<DerivedTensor> Sum(uint32_t value, std::vector<DerivedTensor> parts, const std::string& name);

  // The place of the feed or node of the original graph that the value comes from.
  const Span& PlaceOf(uint32_t value) const { return *places_[value]; }

 private:
  std::optional<DerivedTensor> MakeNode(const Node& written, std::vector<DerivedTensor> inputs, const std::string& name,
                                        uint32_t value);
  std::optional<DerivedTensor> AddFilled(const Shape& shape, DType dtype, int number, const std::string& name);

  const Graph& original_;
  const Resolution& resolution_;
  const GradientOps& ops_;
  DerivedGraph& graph_;
  Diagnostics& diagnostics_;
  std::vector<const Span*> places_;  // by value
};

}  // namespace opsrun::host

// host/gradient/node_gradient.h: the gradients of the inputs of one node, as its op declares them, and the graph that
// their nodes are added to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/graph/graph.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/plan/match_node.h"
#include "host/plugin/load.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

// A tensor of the graph, named as in references: "x", "z.sum", "s.parts.0".
struct DerivedTensor {
  enum class From : uint8_t {
    kValue,     // `index` of the original graph's resolution
    kConstant,  // `index` of DerivedGradients::constants
    kNode,      // `output` of the node `index` of DerivedGradients::nodes
  };

  std::string name;
  DType dtype = DType::kInvalid;
  From from = From::kValue;  // before Simplify
  uint32_t index = 0;
  uint32_t output = 0;
};

// A node that computes part of a gradient.
struct DerivedNode {
  const RegisteredOp* op = nullptr;
  std::string name;
  std::shared_ptr<const spec::Signature> signature;
  // As in DerivedTensor; of a node of the original graph, the value of its first output.
  DerivedTensor::From from = DerivedTensor::From::kNode;
  uint32_t index = 0;

  // Output `i` of the flat list.
  DerivedTensor Output(size_t i) const;
};

// Describes a node to add.
struct NodeRequest {
  std::string name;  // preferred name; a number is appended if it is taken
  const RegisteredOp* op = nullptr;
  Node as_written;                                 // op, attrs, label and places
  std::vector<std::vector<DerivedTensor>> inputs;  // by argument
  std::shared_ptr<const spec::Signature> signature;
  std::string gradient_of;  // a node of the original graph
};

class DerivedGraph {
 public:
  // All must outlive this object. filled: feeds of the original that gradients replace, so that their names are free.
  DerivedGraph(const Graph& original, const Resolution& resolution, const std::map<std::string, size_t>& filled);
  DerivedGraph(const DerivedGraph&) = delete;

  // A node that computes the request: a new one, or an existing one that computes the same. Null if there are too many
  // nodes. The pointer is valid for the lifetime of this object.
  const DerivedNode* Add(NodeRequest request);
  // Adds a constant; the same name and value give the same constant.
  DerivedTensor AddConstant(const std::string& name, Feed constant);

  // The value of the original graph.
  DerivedTensor ValueOf(uint32_t value) const {
    return {names_[value], resolution_.values[value].dtype, DerivedTensor::From::kValue, value};
  }

  // The added parts. Each node comes after the nodes that it reads.
  std::vector<Feed> TakeConstants() { return std::move(constants_); }
  std::vector<Node> TakeNodes() { return std::move(nodes_); }

  spec::SharedSignatures& signatures() { return signatures_; }

  // A name that is not in use yet.
  std::string NewName(const std::string& wish);

  static constexpr size_t kMaxNodes = 1'000'000;

 private:
  void AddExisting(size_t node);

  const Graph& original_;
  const Resolution& resolution_;
  const std::vector<std::string> names_;  // by value
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::string> devices_;  // of nodes that set one: their gradients run there too
  std::unordered_map<std::string, DerivedNode> by_key_;   // by what the node computes
  std::unordered_map<std::string, DerivedTensor> constants_by_key_;
  spec::SharedSignatures signatures_;
  std::deque<DerivedNode> unshared_;  // of ops with state
  std::vector<Feed> constants_;
  std::vector<Node> nodes_;
};

// Where to find the ops of gradients. Both must outlive this object.
struct GradientOps {
  const LoadResult& loaded;
  const Catalog& catalog;
};

// The node to differentiate. Inputs and outputs are flat lists.
struct ForwardNode {
  std::string name;
  const RegisteredOp* op = nullptr;
  const spec::Signature* signature = nullptr;
  std::vector<DerivedTensor> inputs;
  std::vector<DerivedTensor> outputs;
  std::function<std::optional<DerivedTensor>(size_t output)> gradient;  // of an output; nothing if it cannot have one
  std::optional<Span> place;  // for all new nodes; default: their place in the declared gradient
};

// Adds to the graph only what is requested, so gradients that are not needed cost nothing.
class NodeGradient {
 public:
  static constexpr char kGrad[] = "grad";  // "grad.y": the gradient of output y

  // All must outlive this object. ops: includes the ops of the gradient.
  NodeGradient(const DeclaredGradient& declared, const ForwardNode& node, const GradientOps& ops, DerivedGraph& graph,
               Diagnostics& diagnostics);
  NodeGradient(const NodeGradient&) = delete;

  // The gradient of input i of the flat list; nothing if it has none, or after an error with a place in the declared
  // gradient. wish: preferred name of the node that computes it.
  std::optional<DerivedTensor> OfInput(size_t i, const std::string& wish);

 private:
  // The tensor or list of tensors that a name refers to; each tensor is made when requested.
  struct Operand {
    bool list = false;
    size_t size = 1;
    std::function<std::optional<DerivedTensor>(size_t)> at;
  };
  // One repetition of a node with `each`.
  struct Turn {
    const Node* node = nullptr;
    size_t index = 0;
  };
  using MadeNode = std::pair<size_t, size_t>;  // index in the declared gradient, and repetition

  bool CheckOutputs();
  bool CheckNames();
  bool CheckSlices();
  bool CheckInput(const Located<std::string>& input);
  bool CheckArgument(const Reference& reference);
  const GradientOutput* OutputFor(const std::string& input) const;
  std::optional<DerivedTensor> Element(const GradientOutput& output, const spec::ArgRange& input, size_t element);

  static Operand Single(std::optional<DerivedTensor> tensor);
  std::optional<Operand> Find(const Reference& reference, const Turn& turn);
  std::optional<Operand> FindWhole(const Reference& reference, const Turn& turn);
  static std::optional<Operand> ArgumentOf(const std::vector<spec::ArgRange>& args, const std::string& name,
                                           std::function<std::optional<DerivedTensor>(size_t)> tensor);
  std::optional<Operand> GradientOf(const Reference& reference);
  std::optional<size_t> FindOutputOf(const RegisteredOp& op, const Reference& reference);
  std::optional<Operand> OutputOf(const Reference& reference, size_t node);
  std::optional<Operand> RepeatedOutput(const Reference& reference, size_t node);
  const RegisteredOp* FindOp(const Node& node);
  std::nullopt_t UnknownName(const Reference& reference);

  std::optional<size_t> Turns(const Node& node);
  const DerivedNode* Make(size_t node, size_t turn);
  const DerivedNode* MakeNew(const Node& node, const Turn& turn, std::string name);
  bool TakeInputs(const Node& node, const Turn& turn, NodeRequest& request,
                  std::vector<std::optional<spec::InputTypes>>& types);
  bool TakeInput(const MatchedInput& matched, const spec::ArgDef& arg, const Turn& turn,
                 std::vector<DerivedTensor>& tensors, spec::InputTypes& types);
  bool InferSignature(const Node& node, std::vector<std::optional<spec::InputTypes>> types, NodeRequest& request);

  const DeclaredGradient& declared_;
  const ForwardNode& node_;
  const spec::OpDef& op_;
  const GradientOps& ops_;
  DerivedGraph& graph_;
  Diagnostics& diagnostics_;
  Reporter reporter_;  // of errors in the declared gradient
  bool valid_ = false;
  std::map<std::string, size_t> nodes_, constants_;  // index in the declared gradient, by name
  std::map<MadeNode, const DerivedNode*> made_;      // null after an error
  std::set<MadeNode> in_work_;
  std::map<MadeNode, std::string> wishes_;  // preferred names of nodes that compute a gradient of an input
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
  const Span& PlaceOf(uint32_t value) const { return places_[value]; }

 private:
  std::optional<DerivedTensor> MakeNode(const char* op, std::vector<DerivedTensor> inputs, const std::string& name,
                                        uint32_t value);
  std::optional<DerivedTensor> AddFilled(const Shape& shape, DType dtype, int number, const std::string& name);

  const Graph& original_;
  const Resolution& resolution_;
  const GradientOps& ops_;
  DerivedGraph& graph_;
  Diagnostics& diagnostics_;
  std::vector<Span> places_;  // by value
};

}  // namespace opsrun::host

// host/gradient/derived_graph.h: the nodes of gradients while they are made. A graph may get several for each of its
// nodes, so they refer to what they share, and are nodes of a graph only one at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/base/number_set.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

// A tensor of the graph with gradients.
struct DerivedTensor {
  enum class From : uint8_t {
    kValue,     // `index` of the original graph's resolution
    kConstant,  // `index` of DerivedNodes::constants
    kNode,      // `output` of the node `index` of DerivedNodes::nodes
  };

  DType dtype = DType::kInvalid;
  From from = From::kValue;
  uint32_t index = 0;
  uint32_t output = 0;

  bool operator==(const DerivedTensor&) const = default;
};

// A node that computes part of a gradient.
struct DerivedNode {
  static constexpr uint32_t kNone = ~uint32_t{0};

  const RegisteredOp* op = nullptr;
  const spec::Signature* signature = nullptr;
  const Node* written = nullptr;  // op, attrs, label, and its places unless there is a `place`
  const Span* place = nullptr;    // in the original graph
  std::string name;
  uint32_t first_input = 0;      // in DerivedNodes::inputs, where its inputs are as a flat list
  uint32_t gradient_of = kNone;  // a node of the original graph
};

struct DerivedNodes {
  std::deque<Feed> constants;     // feeds with a value
  std::deque<DerivedNode> nodes;  // each after those that it reads
  std::vector<DerivedTensor> inputs;
  std::vector<std::string> value_names;             // by value of the original
  std::vector<std::shared_ptr<const void>> shared;  // owners of signatures, written nodes and ops

  const DerivedTensor* InputsOf(const DerivedNode& node) const { return inputs.data() + node.first_input; }

  // As in references: "x", "z.sum", "s.parts.0".
  std::string NameOf(const DerivedTensor& tensor) const;

  // A node for a graph.
  Node NodeAt(size_t index, const Graph& original) const;
};

// Describes a node to add.
struct NodeRequest {
  std::string name;  // preferred name; a number is appended if it is taken
  const RegisteredOp* op = nullptr;
  const Node* written = nullptr;      // as in DerivedNode; must exist as long as the nodes
  const Span* place = nullptr;        // likewise
  std::vector<DerivedTensor> inputs;  // a flat list
  std::shared_ptr<const spec::Signature> signature;
  uint32_t gradient_of = DerivedNode::kNone;
};

// A node that computes what was requested.
struct MadeNode {
  const RegisteredOp* op = nullptr;  // null: there is none
  const spec::Signature* signature = nullptr;
  // As in DerivedTensor; of a node of the original graph, the value of its first output.
  DerivedTensor::From from = DerivedTensor::From::kNode;
  uint32_t index = 0;

  // Output `i` of the flat list.
  DerivedTensor Output(size_t i) const;
};

class DerivedGraph {
 public:
  // All must outlive this object. filled: feeds of the original that gradients replace, so that their names are free.
  DerivedGraph(const Graph& original, const Resolution& resolution, const std::map<std::string, size_t>& filled);
  DerivedGraph(const DerivedGraph&) = delete;

  // A new node, or an existing one that computes the same. None if there are too many nodes.
  MadeNode Add(NodeRequest request);
  // Adds a constant; the same name and value give the same constant.
  DerivedTensor AddConstant(const std::string& name, Feed constant);
  // Keeps the owner of NodeRequest::written as long as the nodes.
  void Keep(std::shared_ptr<const void> owner) { made_.shared.push_back(std::move(owner)); }

  // The value of the original graph.
  DerivedTensor ValueOf(uint32_t value) const {
    return {resolution_.values[value].dtype, DerivedTensor::From::kValue, value};
  }
  const std::string& NameOf(uint32_t value) const { return made_.value_names[value]; }

  DerivedNodes Take() { return std::move(made_); }

  // Equal for nodes of the original graph whose attrs are equal.
  uint32_t KindOf(uint32_t node) const { return kind_of_[node]; }

  spec::SharedSignatures& signatures() { return signatures_; }

  static constexpr size_t kMaxNodes = 1'000'000;

 private:
  // Nodes are numbered: those of the original, then the new ones.
  const DerivedNode& New(uint32_t node) const { return made_.nodes[node - original_.nodes.size()]; }
  bool IsNew(uint32_t node) const { return node >= original_.nodes.size(); }
  const RegisteredOp* OpOf(uint32_t node) const { return IsNew(node) ? New(node).op : resolution_.nodes[node].op; }
  const Node& WrittenOf(uint32_t node) const { return IsNew(node) ? *New(node).written : original_.nodes[node]; }
  size_t CountInputs(uint32_t node) const;
  DerivedTensor InputOf(uint32_t node, size_t i) const;
  const std::string& NameOfNode(uint32_t node) const {
    return IsNew(node) ? New(node).name : WrittenOf(node).name.value;
  }
  uint32_t KindOf(const std::shared_ptr<const spec::Signature>& signature);
  uint32_t HashOf(uint32_t node) const;
  bool Same(uint32_t a, uint32_t b) const;
  MadeNode MadeBefore(uint32_t node) const;
  bool IsTaken(const std::string& name) const;
  std::string NewName(std::string wish) const;

  const Graph& original_;
  const Resolution& resolution_;
  DerivedNodes made_;
  NumberSet names_;                                             // nodes by their names
  std::unordered_set<std::string> feed_names_;                  // and of constants
  std::unordered_map<const spec::Signature*, uint32_t> kinds_;  // equal for equal attrs
  std::unordered_map<std::string, uint32_t> kinds_by_attrs_;
  std::vector<uint32_t> kind_of_;  // by node
  NumberSet nodes_;                // by what they compute
  std::unordered_map<std::string, DerivedTensor> constants_by_key_;
  spec::SharedSignatures signatures_;
};

// Text that differs for constants of different types, shapes or values.
std::string KeyOf(const Feed& constant);

}  // namespace opsrun::host

// host/gradient/derived_graph.h: a graph plus the nodes that compute its gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

// A tensor of the graph, named as in references: "x", "z.sum", "s.parts.0".
struct DerivedTensor {
  std::string name;
  DType dtype = DType::kInvalid;
};

// A node that computes part of a gradient.
struct DerivedNode {
  const RegisteredOp* op = nullptr;
  std::string name;
  spec::Signature signature;

  // Output `i` of the flat list.
  DerivedTensor Output(size_t i) const;
};

// Describes a node to add.
struct NodeRequest {
  std::string name;  // preferred name; a number is appended if it is taken
  const RegisteredOp* op = nullptr;
  Node as_written;                                 // op, attrs, label and places
  std::vector<std::vector<DerivedTensor>> inputs;  // by argument
  spec::Signature signature;
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
  DerivedTensor ValueOf(uint32_t value) const { return {names_[value], resolution_.values[value].dtype}; }

  // The added parts. Each node comes after the nodes that it reads.
  const std::vector<Feed>& constants() const { return constants_; }
  const std::vector<Node>& nodes() const { return nodes_; }

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
  std::unordered_map<std::string, std::unique_ptr<DerivedNode>> by_key_;  // by what the node computes
  std::unordered_map<std::string, DerivedTensor> constants_by_key_;
  std::vector<std::unique_ptr<DerivedNode>> unshared_;  // of ops with state
  std::vector<Feed> constants_;
  std::vector<Node> nodes_;
};

}  // namespace opsrun::host

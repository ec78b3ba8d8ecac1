// host/gradient/representatives.h: a small graph whose plan says of all nodes of a gradient what planning them would
// say.
//
// Most nodes of a gradient are like others: the same op and attrs, on tensors of the same types and shapes. One of each
// kind is planned. Tensors of the original graph are declared feeds there, one for each type and shape, and so is what
// the gradient of a node passes on, because it has the shape of the node's input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/gradient/derived_graph.h"
#include "host/gradient/differentiate.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"

namespace opsrun::host {

class Representatives {
 public:
  // All must outlive this object. resolution: of the original.
  Representatives(const Graph& original, const Resolution& resolution, const DerivedGradients& gradients);

  // Null if nodes cannot represent others: a shape is unknown, so others may depend on it, or a node is not on the CPU.
  const std::shared_ptr<const Graph>& graph() const { return graph_; }

  // planned: of graph(); must outlive the result. Nothing if a shape follows from values that only the whole graph has,
  // or if what is passed on has another shape than the input.
  std::optional<DerivedValues> Find(const Resolution& planned) const;

 private:
  // A tensor of the graph: of a feed, or an output of a node.
  struct Planned {
    Reference name;
    uint32_t feed = DerivedNode::kNone;
    uint32_t node = DerivedNode::kNone;
    uint32_t output = 0;
  };

  static uint32_t ValueOf(const Planned& tensor, const Resolution& planned);
  bool Add();
  bool AddNode(uint32_t node);
  uint32_t AddFeed(Feed feed);
  // The number of a tensor; kNone if its shape is unknown.
  uint32_t NumberOf(const DerivedTensor& tensor);
  uint32_t NumberOfValue(uint32_t value);
  uint32_t NumberOfConstant(uint32_t constant);

  static constexpr uint32_t kNone = DerivedNode::kNone;

  const Graph& original_;
  const Resolution& resolution_;
  const DerivedGradients& gradients_;
  std::shared_ptr<const Graph> graph_;
  Graph made_;
  std::vector<Planned> tensors_;                       // by number; the outputs of a node follow each other
  std::vector<uint32_t> values_, constants_;           // their numbers; kNone: not needed so far
  std::vector<uint32_t> nodes_;                        // the number of the first output
  std::vector<uint32_t> first_output_;                 // of each node, in passed_on_
  std::vector<uint32_t> passed_on_;                    // by output: a value whose gradient it is, or kNone
  std::vector<uint32_t> feed_of_value_;                // by value: a feed of integers, or kNone
  std::unordered_map<std::string, uint32_t> by_kind_;  // numbers of feeds, and of the first outputs of nodes
};

}  // namespace opsrun::host

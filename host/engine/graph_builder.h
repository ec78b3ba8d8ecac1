// host/engine/graph_builder.h: a graph that is built with function calls instead of written by hand.
//
// The tree is read directly, without text. Only if there is an error is the text of the graph file written, so that the
// message has a line and a column.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/graph/graph.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The values of attrs as a graph has them. INVALID_ARGUMENT, with the name of the attr, for one that cannot be
// expressed.
Result<std::vector<NodeAttr>> AttrsOf(std::span<const opsrun_attr> attrs, const std::string& node);

// One thread at a time.
class GraphBuilder {
 public:
  // A feed that every run must set. shape: -1 for an unknown size; null: any shape.
  void AddFeed(const std::string& name, DType dtype, const Shape* shape);
  // A feed whose value is part of the graph.
  void AddConstant(const std::string& name, Tensor value);
  // Names and references need not be valid: Load checks them.
  void AddNode(const Node& node) { AddEntry(nodes_, node.name.value, NodeValue(node)); }
  void AddOutput(const std::string& name, const std::string& from);

  // The text of a graph file.
  std::string ToYaml() const;

  // Loads the graph and checks its names and references; messages call it `name`. The builder can be used afterwards.
  std::shared_ptr<LoadedGraph> Load(Engine& engine, const std::string& name, const LoadOptions& options = {}) const;

 private:
  Value Tree(bool whole) const;

  Value feeds_, nodes_, outputs_;
  std::map<std::string, Tensor> constants_;  // declared in feeds_ without their values
};

}  // namespace opsrun::host

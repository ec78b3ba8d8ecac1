// host/engine/graph_builder.h: a graph that is built with function calls instead of written by hand.
//
// It is read as a tree, without a text. An error in it has a line and a column all the same: those in the text of the
// graph file that it would be, which is written for that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/graph/graph.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The source of one argument of a node: "x", "z.sum", "s.parts.0"; several for a list.
struct BuilderInput {
  std::string arg;  // empty: by position
  bool list = false;
  std::vector<std::string> from;
};

// The value of an attr as a graph has it. INVALID_ARGUMENT, with the name of the attr, for what has no value.
Result<NodeAttr> AttrOf(const opsrun_attr& attr, const std::string& node);

// One thread at a time.
class GraphBuilder {
 public:
  // A feed that every run needs. shape: -1 for an unknown size; null: any shape.
  void AddFeed(const std::string& name, DType dtype, const Shape* shape);
  // A feed with a value, which is a part of the graph.
  void AddConstant(const std::string& name, Tensor value);
  // attrs: borrowed for the call. INVALID_ARGUMENT, with the name of the attr, for a value that cannot be written.
  Status AddNode(const std::string& name, const std::string& op, const std::vector<BuilderInput>& inputs,
                 const std::vector<opsrun_attr>& attrs, const std::vector<std::string>& after, const std::string& label,
                 const std::string& device);
  // The same with attrs that are values already. Returns the node, which may be added to until the next call.
  Value& AddNode(const std::string& name, const std::string& op, const std::vector<BuilderInput>& inputs,
                 const std::vector<NodeAttr>& attrs);
  void AddOutput(const std::string& name, const std::string& from);

  // The text of a graph file.
  std::string ToYaml() const;

  // Loads the graph, which the messages call `name`. Names and references are checked now. The builder can be used on.
  std::shared_ptr<LoadedGraph> Load(Engine& engine, const std::string& name, const LoadOptions& options = {}) const;

 private:
  Value Tree(bool whole) const;

  Value feeds_, nodes_, outputs_;
  std::map<std::string, Tensor> constants_;  // which are only declared in feeds_
};

}  // namespace opsrun::host

// host/engine/graph_builder.h: a graph that is built with function calls instead of written by hand.
//
// The builder writes the text of a graph file, which is then read like any other: an error in a graph that was built
// has a line and a column in that text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/engine/engine.h"
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

// One thread at a time.
class GraphBuilder {
 public:
  // A feed that every run needs. shape: -1 for an unknown size; null: any shape.
  void AddFeed(const std::string& name, DType dtype, const Shape* shape);
  // A feed with a value, which is written into the text.
  void AddConstant(const std::string& name, const Tensor& value);
  // attrs: borrowed for the call. INVALID_ARGUMENT, with the name of the attr, for a value that cannot be written.
  Status AddNode(const std::string& name, const std::string& op, const std::vector<BuilderInput>& inputs,
                 const std::vector<opsrun_attr>& attrs, const std::vector<std::string>& after = {},
                 const std::string& label = {}, const std::string& device = {});
  void AddOutput(const std::string& name, const std::string& from);

  // The text of a graph file. Names and references are checked when it is read.
  std::string ToYaml() const;

 private:
  Value feeds_, nodes_, outputs_;
};

}  // namespace opsrun::host

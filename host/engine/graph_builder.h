// host/engine/graph_builder.h: a graph that is written by calls instead of by hand.
//
// The builder writes the same text that a person would, and that text is then read as any other: what is wrong with a
// graph that was built has a line and a column in it.
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

// What one argument of a node is given: "x", "z.sum", "s.parts.0"; several for a list.
struct BuilderInput {
  std::string arg;  // empty: by position
  bool list = false;
  std::vector<std::string> from;
};

// One thread at a time.
class GraphBuilder {
 public:
  // A feed that each run is given. shape: -1 where a size is open; null: any shape.
  void AddFeed(const std::string& name, DType dtype, const Shape* shape);
  // A feed with a value, which is written into the text.
  void AddConstant(const std::string& name, const Tensor& value);
  // attrs: borrowed for the call. INVALID_ARGUMENT, naming the attr, for a value that no text can say.
  Status AddNode(const std::string& name, const std::string& op, const std::vector<BuilderInput>& inputs,
                 const std::vector<opsrun_attr>& attrs, const std::vector<std::string>& after = {},
                 const std::string& label = {});
  void AddOutput(const std::string& name, const std::string& from);

  // A graph file. Names and references are not checked before it is read.
  std::string ToYaml() const;

 private:
  Value feeds_, nodes_, outputs_;
};

}  // namespace opsrun::host

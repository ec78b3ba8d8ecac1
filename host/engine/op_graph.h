// host/engine/op_graph.h: a graph of one node, for calls of a single op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/plan/build_plan.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// One input tensor of a call, or an empty list. Tensors of one list argument are adjacent.
struct OpInput {
  std::string arg;
  bool list = false;
  FeedType type;
  bool empty = false;  // of a list: there is no tensor
};

struct OpGraph {
  const std::string& op;
  const std::vector<OpInput>& inputs;
  const std::vector<opsrun_attr>& attrs;
  bool any_shape = false;   // the shapes of the inputs are not known
  std::string device = {};  // where the node runs; empty: where the engine puts it
};

// The name of the node. No argument is called so: names of arguments begin with a small letter.
inline constexpr char kOpNode[] = "Call";

// The name of the feed for an input: that of its argument, "x"; for an element of a list with its number, "values-0".
std::string FeedOfInput(const std::string& arg, bool list, size_t i);

// The graph's text.
// INVALID_ARGUMENT for an attr that cannot be written.
Status WriteOpGraph(const OpGraph& of, std::string* text);

}  // namespace opsrun::host

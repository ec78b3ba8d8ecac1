// host/plan/match_node.h: what a node writes (inputs, attrs, references to outputs), matched with what its op declares.
// For nodes of graphs and of declared gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/graph/graph.h"
#include "host/spec/op_def.h"
#include "host/yaml/value.h"

namespace opsrun::host {

struct MatchedInput {
  const NodeInput* input = nullptr;
  size_t arg = 0;        // the argument of the op that it is for
  bool as_list = false;  // all inputs by position are elements of this argument
};

// The inputs that are for an argument, by position or by name. Errors: G210 and G211.
std::vector<MatchedInput> MatchInputs(const Node& node, const spec::OpDef& op, Reporter& reporter);

// The attrs that the node sets, converted. Errors: G212, and G214 for each attr in *refused.
std::map<std::string, spec::AttrValue> ConvertAttrs(const Node& node, const spec::OpDef& op, Reporter& reporter,
                                                    std::vector<std::string>* refused);

// The index of the output of a node of this op that the reference names. Nothing after an error: G206, G207 or G209.
std::optional<size_t> FindOutput(const Reference& reference, const spec::OpDef& op, Reporter& reporter);

}  // namespace opsrun::host

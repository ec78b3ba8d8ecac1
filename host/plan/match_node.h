// host/plan/match_node.h: what a node writes (inputs, attrs, references to outputs), matched with and converted to what
// its op declares. For nodes of graphs and of declared gradients.
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

// 3, [float32, int8], {value: [1, 2], dtype: int32}. Nothing for what a graph cannot express: a shape of unknown rank,
// a tensor of shape [0, 2].
std::optional<Value> AttrYaml(const spec::AttrValue& value);

// What is invalid, where, and what to write instead.
struct AttrMistake {
  Span where;
  std::string message;
  std::string help;
};

// The value converted to the type of `attr`; nothing, and *mistake, after an error.
std::optional<spec::AttrValue> AttrFromValue(const spec::AttrDef& attr, const Value& value, AttrMistake* mistake);

}  // namespace opsrun::host

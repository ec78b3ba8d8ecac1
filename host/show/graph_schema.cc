// host/show/graph_schema.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/graph_schema.h"

#include <algorithm>
#include <utility>

#include "host/show/schema_parts.h"

namespace opsrun::host {
namespace {

Json FreeText() {
  return Described("Free text.", {{"type", {"string", "number", "boolean"}}});
}

constexpr size_t kGroup = 32;

Json IfOp(const Json& op, const Json& then) {
  return {{"if", {{"properties", {{"op", op}}}, {"required", Json::array({"op"})}}}, {"then", then}};
}

// A condition per op name instead of one "oneOf", for which an editor can only report that none of a thousand
// alternatives matches. Many names are split into groups, since an editor evaluates this for each node at every
// keystroke.
class OpChoice {
 public:
  void Add(const std::string& name, const Json& then) { choices_.emplace_back(name, then); }

  // Adds definition `name`, and `name`.1 and so on for groups of names.
  Json Schema(const std::string& name, Definitions& definitions) const {
    if (choices_.size() <= 2 * kGroup) return definitions.Add(name, Group(0, choices_.size()));
    Json groups = Json::array();
    for (size_t first = 0; first < choices_.size(); first += kGroup) {
      const size_t last = std::min(first + kGroup, choices_.size());
      std::vector<std::string> names;
      for (size_t i = first; i < last; ++i) names.push_back(choices_[i].first);
      const std::string of_group = name + "." + std::to_string(groups.size() + 1);
      groups.push_back(IfOp({{"pattern", PatternOf(names)}}, definitions.Add(of_group, Group(first, last))));
    }
    return definitions.Add(name, {{"allOf", groups}});
  }

 private:
  Json Group(size_t first, size_t last) const {
    Json all = Json::array();
    for (size_t i = first; i < last; ++i) all.push_back(IfOp({{"const", choices_[i].first}}, choices_[i].second));
    return {{"allOf", all}};
  }

  std::vector<std::pair<std::string, Json>> choices_;
};

// All ops, by the names that graphs use for them.
struct OpNames {
  Json names = Json::array();       // offered by editors: "Op", or "plugin.Op" if the short name is ambiguous
  Json lines = Json::array();       // a description of each
  std::vector<std::string> others;  // accepted but not offered
  OpChoice by_op, by_plugin;
};

// Graphs have no variables, so such ops cannot be used.
bool WorksOnVariables(const spec::OpDef& op) {
  const auto is_ref = [](const spec::ArgDef& arg) { return arg.is_ref; };
  return std::any_of(op.inputs.begin(), op.inputs.end(), is_ref) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), is_ref);
}

void AddOp(const RegisteredOp& op, const Registry& registry, Definitions& definitions, OpNames& ops) {
  const std::string by_plugin = op.plugin->name + "." + op.def.name;
  const bool has_plugin = registry.FindOp(by_plugin) == &op;
  const bool has_name = registry.FindOp(op.def.name) == &op;
  if (WorksOnVariables(op.def) || (!has_name && !has_plugin)) return;
  const Json schema = definitions.Add("op." + by_plugin, OpSchema(op, registry, definitions));
  ops.names.push_back(has_name ? op.def.name : by_plugin);
  ops.lines.push_back(OpLine(op.def));
  if (has_name) ops.by_op.Add(op.def.name, schema);
  if (has_plugin) ops.by_plugin.Add(by_plugin, schema);
  if (has_name && has_plugin) ops.others.push_back(by_plugin);
}

Json OpNameSchema(const OpNames& ops) {
  const Json offered = {{"enum", ops.names},
                        {"enumDescriptions", ops.lines},
                        {"errorMessage",
                         "unknown op: the plugins that were installed when this schema was written do not have it; "
                         "'opsrun ops' lists ops"}};
  Json schema = {{"type", "string"}, {"anyOf", Json::array({offered})}};
  if (!ops.others.empty()) schema["anyOf"].push_back({{"pattern", PatternOf(ops.others)}});
  return schema;
}

// The keys "op", "in", "attrs" and "label" are refined per op.
Json NodeKeys(const OpNames& ops) {
  Json name = {{"type", "string"}};
  name.update(NameText());
  Json after = name;
  after.update({{"type", {"string", "array"}}, {"items", name}});
  return {{"op", OpNameSchema(ops)},
          {"in", {{"type", {"string", "array", "object"}}}},
          {"attrs", {{"type", "object"}}},
          {"after", Described("The nodes that must run before this one, although no data comes from them.", after)},
          {"label", {{"type", "string"}, {"minLength", 1}}},
          {"device",
           Described("Where the node runs: cpu, gpu, or gpu:1 for the second GPU. By default, the device of --device.",
                     {{"type", "string"}, {"pattern", "^[a-z]+(:[0-9]+)?$"}})},
          {"stop_gradient", Described("Whether the node counts as a constant when the graph is differentiated.",
                                      {{"type", "boolean"}, {"default", false}})},
          {"gradient_of",
           Described("The node whose gradient this node is part of, as opsrun grad writes it; errors name both.",
                     {{"type", "string"}, {"minLength", 1}})},
          {"description", FreeText()}};
}

Json NodeSchema(const Registry& registry, Definitions& definitions) {
  OpNames ops;
  for (const RegisteredOp* op : registry.Ops()) AddOp(*op, registry, definitions, ops);
  Json schema = {{"type", "object"}, {"required", Json::array({"op"})}};
  schema.update(ClosedMap(NodeKeys(ops)));
  if (ops.names.empty()) return definitions.Add("node", schema);
  // Rules out half of the names at once.
  schema["if"] = {{"properties", {{"op", {{"pattern", "[.]"}}}}}};
  schema["then"] = ops.by_plugin.Schema("node.by_plugin", definitions);
  schema["else"] = ops.by_op.Schema("node.by_op", definitions);
  return definitions.Add("node", schema);
}

Json RootKeys(const Registry& registry, Definitions& definitions) {
  const Json check = CheckSchema(definitions);
  return {
      {"opsrun", {{"description", "The version of the format."}, {"const", 1}, {"default", 1}}},
      {"name", FreeText()},
      {"description", FreeText()},
      {"requires", Described("The plugins that the graph needs, each with a range of versions.",
                             RequiresSchema(registry, definitions))},
      {"feeds", Described("The inputs of the graph, by name.", NamedMap(FeedSchema(definitions)))},
      {"nodes", Described("The nodes, by name, in any order.", NamedMap(NodeSchema(registry, definitions)))},
      {"outputs", Described("The tensors to print or write: a list of references, or a map from names to references.",
                            OutputsSchema(definitions))},
      {"checks", Described("The expected values.", {{"type", "array"}, {"items", check}})}};
}

// One definition per line, so that a diff between two schemas shows which ops differ.
std::string Lines(const Json& map, std::string_view indent) {
  std::string text = "{";
  for (const auto& [key, value] : map.items()) {
    text += text.size() == 1 ? "\n" : ",\n";
    text.append(indent).append("  ").append(JsonOnOneLine(key)).append(": ");
    text +=
        key == "properties" || key == "definitions" ? Lines(value, std::string(indent) + "  ") : JsonOnOneLine(value);
  }
  return text.append("\n").append(indent).append("}");
}

}  // namespace

std::string GraphSchema(const Registry& registry) {
  Definitions definitions;
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "opsrun graph"},
                 {"type", "object"},
                 {"required", Json::array({"opsrun"})}};
  schema.update(ClosedMap(RootKeys(registry, definitions)));
  schema["definitions"] = definitions.all();
  return Lines(schema, "") + "\n";
}

}  // namespace opsrun::host

// host/show/graph_schema.cc: the schema of a graph file: its sections, and the choice between ops.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "host/show/schema_parts.h"

namespace opsrun::host {
namespace {

constexpr char kName[] = "^[A-Za-z_][A-Za-z0-9_-]*$";
constexpr char kRange[] =
    "^ *([*]|(>=|<=|==|!=|>|<)? *[0-9]+([.][0-9]+)*( *, *(>=|<=|==|!=|>|<)? *[0-9]+([.][0-9]+)*)*) *$";

Json Text(const char* description) {
  return {{"description", description}, {"type", "string"}, {"minLength", 1}};
}

Json Number(const char* description) {
  return {{"description", description}, {"type", "number"}};
}

// Forbids combining a key with others; the editor's message names the key.
Json Without(const std::vector<const char*>& keys) {
  Json properties = Json::object();
  for (const char* key : keys) properties[key] = false;
  return {{"properties", properties}};
}

// Each of the keys excludes the others.
Json OneOfKeys(const std::vector<const char*>& keys) {
  Json dependencies = Json::object();
  for (const char* key : keys) {
    std::vector<const char*> others = keys;
    std::erase(others, key);
    dependencies[key] = Without(others);
  }
  return dependencies;
}

// At least one of the keys.
Json AnyOfKeys(const std::vector<const char*>& keys) {
  Json any = Json::array();
  for (const char* key : keys) any.push_back({{"required", Json::array({key})}});
  return any;
}

Json FeedKeys(Definitions& definitions) {
  const Json seed = {
      {"type", "integer"}, {"minimum", 0}, {"maximum", std::numeric_limits<uint64_t>::max()}, {"default", 0}};
  return {
      {"value",
       Described(
           "The tensor's value: a number, or nested lists of numbers, of strings in quotes, or of true and false.",
           AnyTensorSchema(definitions))},
      {"npy", Text("A .npy file with the tensor. Its path is relative to this file.")},
      {"npz", Text("An .npz file with the tensor. Its path is relative to this file.")},
      {"key", Text("The array in the .npz file. By default, the one with the feed's name.")},
      {"fill",
       {{"description", "One value for all elements; 'shape' is required."},
        {"type", {"number", "boolean", "string"}}}},
      {"random",
       {{"description", "Random numbers, the same on every machine."},
        {"enum", {"uniform", "normal"}},
        {"enumDescriptions",
         {"From 'low' (0) up to 'high' (1); whole numbers from 'low' to 'high', both included.",
          "With mean 'mean' (0) and standard deviation 'stddev' (1)."}}}},
      {"seed", Described("Different seeds give different numbers.", seed)},
      {"low", Number("The smallest random number; 0 by default.")},
      {"high",
       Number(
           "The limit of random numbers: floats are below it, whole numbers may equal it. 1 by default for floats.")},
      {"mean", Number("The mean of normal random numbers; 0 by default.")},
      {"stddev",
       {{"description", "The standard deviation of normal random numbers; 1 by default."},
        {"type", "number"},
        {"minimum", 0}}},
      {"dtype",
       Described("The data type. By default, whole numbers are int64, other numbers float64, and text is string.",
                 DTypeSchema(FeedableDTypes(), definitions))},
      {"shape",
       Described("The sizes, outermost first. -1 is any size, in a feed that is only declared or read from a file.",
                 ShapeSchema(definitions))}};
}

// A string that can name a feed or a node.
Json NameText() {
  return {{"pattern", kName},
          {"patternErrorMessage", "a name starts with a letter or '_', followed by letters, digits, '_' and '-'"}};
}

// A map from such names to `value`.
Json NamedMap(const Json& value) {
  return {{"type", "object"}, {"propertyNames", NameText()}, {"additionalProperties", value}};
}

// At most one of the keys for the source of the tensor; without one, a dtype is required.
Json FeedSchema(Definitions& definitions) {
  const std::vector<const char*> sources = {"value", "npy", "npz", "fill", "random"};
  std::vector<const char*> enough = sources;
  enough.push_back("dtype");
  Json schema = {{"type", "object"}};
  schema.update(ClosedMap(FeedKeys(definitions)));
  Json dependencies = OneOfKeys(sources);
  for (const char* key : {"fill", "random"}) {
    dependencies[key] = {{"allOf", {dependencies[key], WholeShape(definitions)}}};
  }
  dependencies["key"] = Json::array({"npz"});
  for (const char* key : {"seed", "low", "high", "mean", "stddev"}) dependencies[key] = Json::array({"random"});
  schema["dependencies"] = dependencies;
  schema["anyOf"] = AnyOfKeys(enough);
  Json rules = ElementRules({"value", "fill"}, definitions);
  const auto of_random = [&](const char* kind, const std::vector<const char*>& not_its) {
    const Json random = {{"random", {{"const", kind}}}};
    rules.push_back(
        {{"if", {{"properties", random}, {"required", Json::array({"random"})}}}, {"then", Without(not_its)}});
  };
  of_random("uniform", {"mean", "stddev"});
  of_random("normal", {"low", "high"});
  schema["allOf"] = rules;
  return definitions.Add("feed", schema);
}

Json OutputsSchema(Definitions& definitions) {
  const Json keys = {
      {"from",
       Described("The tensor: NODE, NODE.OUTPUT or NODE.OUTPUT.INDEX; also a feed.", ReferenceSchema(definitions))},
      {"npy", Text("The .npy file to write. Its path is relative to this file.")},
      {"npz", Text("The .npz file to write, together with other outputs. Its path is relative to this file.")},
      {"key",
       {{"description", "Its name in the .npz file. By default, the output's name."},
        {"type", "string"},
        {"minLength", 1},
        {"pattern", "^[^/\\\\\\u0000-\\u001f]*$"}}},
      {"print",
       {{"description", "Whether to print it. By default, it is printed if it is not written to a file."},
        {"type", "boolean"}}}};
  Json output = ReferenceText();
  output["type"] = {"string", "object"};
  output.update(ClosedMap(keys));
  output["required"] = Json::array({"from"});
  output["dependencies"] = OneOfKeys({"npy", "npz"});
  output["dependencies"]["key"] = Json::array({"npz"});
  Json schema = NamedMap(definitions.Add("output", output));
  schema["type"] = {"array", "object"};
  schema["items"] = ReferenceSchema(definitions);
  return schema;
}

Json CheckSchema(Definitions& definitions) {
  const Json keys = {
      {"from", Described("The tensor to check: NODE, NODE.OUTPUT or NODE.OUTPUT.INDEX; also a feed.",
                         ReferenceSchema(definitions))},
      {"value", Described("The expected value.", AnyTensorSchema(definitions))},
      {"npy", Text("A .npy file with the expected value. Its path is relative to this file.")},
      {"npz", Text("An .npz file with the expected value. Its path is relative to this file.")},
      {"key", Text("The array in the .npz file. By default, the one named like 'from'.")},
      {"rtol",
       {{"description", "How much an element may differ, as a fraction of the expected one."},
        {"type", "number"},
        {"minimum", 0}}},
      {"atol", {{"description", "How much an element may differ in any case."}, {"type", "number"}, {"minimum", 0}}},
      {"equal_nan",
       {{"description", "Whether NaN matches an expected NaN."}, {"type", "boolean"}, {"default", false}}}};
  Json schema = {{"type", "object"}, {"required", Json::array({"from"})}};
  schema.update(ClosedMap(keys));
  const std::vector<const char*> expected = {"value", "npy", "npz"};
  schema["dependencies"] = OneOfKeys(expected);
  schema["dependencies"]["key"] = Json::array({"npz"});
  schema["anyOf"] = AnyOfKeys(expected);
  return definitions.Add("check", schema);
}

// Suggests the plugins of the registry.
Json RequiresSchema(const Registry& registry, Definitions& definitions) {
  const Json text = {{"type", {"string", "number"}},
                     {"pattern", kRange},
                     {"patternErrorMessage", "write a range such as \">= 1.2, < 2\", or \"*\" for any version"}};
  const Json range = definitions.Add("range", text);
  Json plugins = Json::object();
  for (const auto& plugin : registry.plugins()) {
    const std::string version = plugin->version.empty() ? "of no version" : plugin->version;
    plugins[plugin->name] = Described("The one that is installed is " + version + ".", range);
  }
  return {{"type", "object"}, {"properties", plugins}, {"additionalProperties", range}};
}

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
  return {
      {"op", OpNameSchema(ops)},
      {"in", {{"type", {"string", "array", "object"}}}},
      {"attrs", {{"type", "object"}}},
      {"after", Described("The nodes that must run before this one, although no data comes from them.", after)},
      {"label", {{"type", "string"}, {"minLength", 1}}},
      {"device",
       Described("Where the node runs: cpu, gpu, or gpu:1 for the second GPU. By default, the device of --device.",
                 {{"type", "string"}, {"pattern", "^[a-z]+(:[0-9]+)?$"}})},
      {"stop_gradient", Described("Whether the node counts as a constant when the graph is differentiated.",
                                  {{"type", "boolean"}, {"default", false}})},
      {"isolate", Described("Whether the node's plugin runs in a process of its own, whose end is an error of a node.",
                            {{"type", "boolean"}, {"default", false}})},
      {"sandbox", Described("The same, in a process without network, new processes and other files.",
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

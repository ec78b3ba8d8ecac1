// host/show/section_schemas.cc: feeds, outputs, checks and requirements.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "host/show/schema_parts.h"

namespace opsrun::host {
namespace {

constexpr char kName[] = "^[A-Za-z_][A-Za-z0-9_-]*$";
constexpr char kReference[] = "^[A-Za-z_][A-Za-z0-9_-]*([.][A-Za-z_][A-Za-z0-9_-]*([.][0-9]+)?)?$";
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

Json SizesSchema(int64_t least) {
  return {{"type", "array"},
          {"maxItems", OPSRUN_MAX_RANK},
          {"items", {{"type", "integer"}, {"minimum", least}, {"maximum", std::numeric_limits<int64_t>::max()}}}};
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

}  // namespace

Json WholeShape(Definitions& definitions) {
  return {{"required", Json::array({"shape"})},
          {"properties", {{"shape", definitions.Add("shape.whole", SizesSchema(0))}}}};
}

Json ClosedMap(const Json& properties) {
  return {{"properties", properties}, {"patternProperties", {{"^x-", true}}}, {"additionalProperties", false}};
}

Json NameText() {
  return {{"pattern", kName},
          {"patternErrorMessage", "a name starts with a letter or '_', followed by letters, digits, '_' and '-'"}};
}

Json NamedMap(const Json& value) {
  return {{"type", "object"}, {"propertyNames", NameText()}, {"additionalProperties", value}};
}

Json ReferenceText() {
  return {{"pattern", kReference}, {"patternErrorMessage", "write NAME, NODE.OUTPUT or NODE.OUTPUT.INDEX"}};
}

Json ReferenceSchema(Definitions& definitions) {
  Json schema = {{"type", "string"}};
  schema.update(ReferenceText());
  return definitions.Add("reference", schema);
}

Json ReferencesSchema(bool some, Definitions& definitions) {
  Json schema = {{"type", {"array", "string"}}, {"items", ReferenceSchema(definitions)}};
  schema.update(ReferenceText());
  if (some) schema["minItems"] = 1;
  return definitions.Add(some ? "references.some" : "references", schema);
}

Json ShapeSchema(Definitions& definitions) {
  return definitions.Add("shape", SizesSchema(-1));
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

}  // namespace opsrun::host

// host/show/schema_parts.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/schema_parts.h"

#include <iterator>
#include <limits>

namespace opsrun::host {
namespace {

std::string KeyText(const std::string& name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  std::string plain = name;
  for (char& c : plain) {
    if (kPlain.find(c) == std::string_view::npos) c = '_';
  }
  return plain;
}

// Escapes only the special characters of patterns: some validators reject other escapes.
std::string Escaped(const std::string& text) {
  constexpr std::string_view kSpecial = "^$\\.*+?()[]{}|/";
  std::string escaped;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Data types whose elements are written in the same way.
struct ElementKind {
  const char* name;
  std::vector<DType> dtypes;
  Json element;
};

template <typename T>
Json WholeNumber() {
  return {{"type", "integer"}, {"minimum", std::numeric_limits<T>::min()}, {"maximum", std::numeric_limits<T>::max()}};
}

const std::vector<ElementKind>& ElementKinds() {
  static const std::vector<ElementKind> kinds = {
      {"bool", {DType::kBool}, {{"type", {"boolean", "integer"}}, {"minimum", 0}, {"maximum", 1}}},
      {"int8", {DType::kInt8, DType::kQInt8}, WholeNumber<int8_t>()},
      {"int16", {DType::kInt16, DType::kQInt16}, WholeNumber<int16_t>()},
      {"int32", {DType::kInt32, DType::kQInt32}, WholeNumber<int32_t>()},
      {"int64", {DType::kInt64}, WholeNumber<int64_t>()},
      {"uint8", {DType::kUInt8, DType::kQUInt8}, WholeNumber<uint8_t>()},
      {"uint16", {DType::kUInt16, DType::kQUInt16}, WholeNumber<uint16_t>()},
      {"uint32", {DType::kUInt32}, WholeNumber<uint32_t>()},
      {"uint64", {DType::kUInt64}, WholeNumber<uint64_t>()},
      {"floats",
       {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kFloat8E5M2, DType::kFloat8E4M3FN,
        DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ, DType::kFloat8E5M2FNUZ},
       {{"type", "number"}}},
      {"complex", {DType::kComplex64, DType::kComplex128}, {{"type", {"number", "string"}}, {"pattern", "j\\)?$"}}},
      // Unquoted words, numbers and booleans count as strings; unquoted null does not.
      {"strings", {DType::kString}, {{"type", {"string", "number", "boolean"}}}}};
  return kinds;
}

// `element`, or nested lists of it. Keywords of one type do not affect other types, so no alternatives are needed, and
// a message can point to the invalid element.
Json Nested(const Json& element, const std::string& name) {
  Json types = element["type"];
  if (!types.is_array()) types = Json::array({types});
  types.push_back("array");
  Json nested = element;
  nested["type"] = types;
  nested["items"] = {{"$ref", "#/definitions/" + name}};
  return nested;
}

// The other names of a data type, besides NumPy's.
std::vector<std::string> OtherNames(DType dtype) {
  std::vector<std::string> names;
  if (DTypeGuideName(dtype) != DTypeName(dtype)) names.emplace_back(DTypeGuideName(dtype));
  names.emplace_back(DTypeEnumWord(dtype));
  return names;
}

std::vector<std::string> AllNames(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (DType dtype : dtypes) {
    names.push_back(DTypeName(dtype));
    std::vector<std::string> others = OtherNames(dtype);
    names.insert(names.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  }
  return names;
}

constexpr char kReference[] = "^[A-Za-z_][A-Za-z0-9_-]*([.][A-Za-z_][A-Za-z0-9_-]*([.][0-9]+)?)?$";

Json SizesSchema(int64_t least) {
  return {{"type", "array"},
          {"maxItems", OPSRUN_MAX_RANK},
          {"items", {{"type", "integer"}, {"minimum", least}, {"maximum", std::numeric_limits<int64_t>::max()}}}};
}

}  // namespace

Json Definitions::Add(const std::string& name, const Json& schema) {
  const auto [entry, is_new] = keys_.try_emplace(name, KeyText(name));
  if (is_new) {
    std::string& key = entry->second;
    for (int n = 2; all_.contains(key); ++n) key = KeyText(name) + "_" + std::to_string(n);
    all_[key] = schema;
  }
  return {{"$ref", "#/definitions/" + entry->second}};
}

Json Described(std::string description, Json schema) {
  Json described = {{"description", std::move(description)}};
  described.update(schema);
  return described;
}

std::string PatternOf(const std::vector<std::string>& texts) {
  std::string pattern;
  for (const std::string& text : texts) pattern += (pattern.empty() ? "^(" : "|") + Escaped(text);
  return pattern + ")$";
}

std::vector<DType> FeedableDTypes() {
  std::vector<DType> feedable;
  for (const std::string& name : FeedableDTypeNames()) feedable.push_back(*DTypeFromName(name));
  return feedable;
}

Json DTypeSchema(const std::vector<DType>& given, Definitions& definitions) {
  const std::vector<DType> all(kAllDTypes.begin(), kAllDTypes.end());
  const std::vector<DType>& allowed = given.empty() ? all : given;
  std::string name = "dtype";
  Json numpy = Json::array();
  std::vector<std::string> others;
  for (DType dtype : allowed) {
    numpy.push_back(DTypeName(dtype));
    name += "." + DTypeName(dtype);
    for (std::string& other : OtherNames(dtype)) others.push_back(std::move(other));
  }
  if (allowed == all) name = "dtype";
  if (allowed == FeedableDTypes()) name = "dtype.of_a_feed";
  return definitions.Add(name, {{"anyOf", {{{"enum", numpy}}, {{"pattern", PatternOf(others)}}}}, {"type", "string"}});
}

Json AnyTensorSchema(Definitions& definitions) {
  return definitions.Add("tensor", Nested({{"type", {"number", "boolean", "string"}}}, "tensor"));
}

Json ElementRules(const std::vector<const char*>& keys, Definitions& definitions) {
  Json rules = Json::array();
  for (const ElementKind& kind : ElementKinds()) {
    const std::string name = std::string("tensor.") + kind.name;
    const Json tensor = definitions.Add(name, Nested(kind.element, name));
    Json properties;
    for (const char* key : keys) properties[key] = tensor;
    const Json dtype = {{"dtype", {{"pattern", PatternOf(AllNames(kind.dtypes))}}}};
    rules.push_back({{"if", {{"properties", dtype}, {"required", {"dtype"}}}}, {"then", {{"properties", properties}}}});
  }
  return rules;
}

Json WholeShape(Definitions& definitions) {
  return {{"required", Json::array({"shape"})},
          {"properties", {{"shape", definitions.Add("shape.whole", SizesSchema(0))}}}};
}

Json ClosedMap(const Json& properties) {
  return {{"properties", properties}, {"patternProperties", {{"^x-", true}}}, {"additionalProperties", false}};
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

}  // namespace opsrun::host

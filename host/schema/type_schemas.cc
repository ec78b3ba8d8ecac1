// host/schema/type_schemas.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/schema/type_schemas.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

namespace opsrun::host {
namespace {

// Data types whose elements are written alike.
struct ElementKind {
  const char* name;
  std::vector<DType> dtypes;
  Json element;
};

template <typename T>
Json Whole() {
  return {{"type", "integer"}, {"minimum", std::numeric_limits<T>::min()}, {"maximum", std::numeric_limits<T>::max()}};
}

const std::vector<ElementKind>& ElementKinds() {
  static const std::vector<ElementKind> kinds = {
      {"bool", {DType::kBool}, {{"type", {"boolean", "integer"}}, {"minimum", 0}, {"maximum", 1}}},
      {"int8", {DType::kInt8, DType::kQInt8}, Whole<int8_t>()},
      {"int16", {DType::kInt16, DType::kQInt16}, Whole<int16_t>()},
      {"int32", {DType::kInt32, DType::kQInt32}, Whole<int32_t>()},
      {"int64", {DType::kInt64}, Whole<int64_t>()},
      {"uint8", {DType::kUInt8, DType::kQUInt8}, Whole<uint8_t>()},
      {"uint16", {DType::kUInt16, DType::kQUInt16}, Whole<uint16_t>()},
      {"uint32", {DType::kUInt32}, Whole<uint32_t>()},
      {"uint64", {DType::kUInt64}, Whole<uint64_t>()},
      {"floats",
       {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kFloat8E5M2, DType::kFloat8E4M3FN,
        DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ, DType::kFloat8E5M2FNUZ},
       {{"type", "number"}}},
      {"complex", {DType::kComplex64, DType::kComplex128}, {{"type", {"number", "string"}}, {"pattern", "j\\)?$"}}},
      // A plain word, number or yes is text; 'null' without quotes is nothing.
      {"strings", {DType::kString}, {{"type", {"string", "number", "boolean"}}}}};
  return kinds;
}

// `element`, or lists of lists of it. Keywords of one type do not touch the others, so that no choice has to be made,
// and a message can say what is wrong with the one element that is.
Json Nested(const Json& element, const std::string& name) {
  Json types = element["type"];
  if (!types.is_array()) types = Json::array({types});
  types.push_back("array");
  Json nested = element;
  nested["type"] = types;
  nested["items"] = {{"$ref", "#/definitions/" + name}};
  return nested;
}

// The names of a data type besides NumPy's.
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

}  // namespace

std::vector<DType> AllDTypes() {
  return {kAllDTypes.begin(), kAllDTypes.end()};
}

std::vector<DType> FeedableDTypes() {
  std::vector<DType> feedable;
  for (const std::string& name : FeedableDTypeNames()) feedable.push_back(*DTypeFromName(name));
  return feedable;
}

Json DTypeSchema(const std::vector<DType>& allowed, Definitions& definitions) {
  std::string name = "dtype";
  Json numpy = Json::array();
  std::vector<std::string> others;
  for (DType dtype : allowed) {
    numpy.push_back(DTypeName(dtype));
    name += "." + DTypeName(dtype);
    for (std::string& other : OtherNames(dtype)) others.push_back(std::move(other));
  }
  if (allowed == AllDTypes()) name = "dtype";
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

}  // namespace opsrun::host

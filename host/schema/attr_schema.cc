// host/schema/attr_schema.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/schema/attr_schema.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "host/schema/attr_value_json.h"
#include "host/schema/section_schemas.h"
#include "host/schema/type_schemas.h"
#include "host/spec/attr_text.h"

namespace opsrun::host {
namespace {

// "[1, 2]", "{value: [1, 2], dtype: float32}" or "{fill: 0, shape: [0, 2]}"
Json TensorAttrSchema(Definitions& definitions) {
  const Json tensor = AnyTensorSchema(definitions);
  const Json properties = {{"value", tensor},
                           {"fill", {{"type", {"number", "boolean", "string"}}}},
                           {"shape", true},
                           {"dtype", DTypeSchema(FeedableDTypes(), definitions)}};
  Json schema = ClosedMap(properties);
  schema["type"] = {"number", "boolean", "string", "array", "object"};
  schema["if"] = {{"required", Json::array({"value"})}};
  schema["then"] = {{"properties", {{"fill", false}, {"shape", false}}}};
  schema["else"] = WholeShape(definitions);
  schema["else"]["required"].push_back("fill");
  schema["items"] = tensor;
  schema["allOf"] = ElementRules({"value", "fill"}, definitions);
  return definitions.Add("tensor.of_an_attr", schema);
}

// One value, or one of a list.
Json ElementSchema(const spec::AttrDef& attr, Definitions& definitions) {
  switch (attr.type.kind) {
    case OPSRUN_ATTR_INT:
      return {{"type", "integer"}};
    case OPSRUN_ATTR_FLOAT:
      return {{"type", "number"}};
    case OPSRUN_ATTR_BOOL:
      return {{"type", "boolean"}};
    case OPSRUN_ATTR_TYPE:
      return DTypeSchema(attr.allowed_types.empty() ? AllDTypes() : attr.allowed_types, definitions);
    case OPSRUN_ATTR_SHAPE:
      return ShapeSchema(definitions);
    case OPSRUN_ATTR_TENSOR:
      return TensorAttrSchema(definitions);
    default:
      break;
  }
  if (attr.allowed_strings.empty()) return {{"type", "string"}};
  return {{"type", "string"}, {"enum", attr.allowed_strings}};
}

// Can an editor write it down?
bool CanBeWritten(const spec::AttrValue& value) {
  return value.tensors.empty() &&
         std::all_of(value.floats.begin(), value.floats.end(), [](double x) { return std::isfinite(x); }) &&
         std::all_of(value.shapes.begin(), value.shapes.end(), [](const auto& shape) { return shape.rank_known; });
}

}  // namespace

Json AttrSchema(const spec::OpDef& op, const spec::AttrDef& attr, Definitions& definitions) {
  Json schema = ElementSchema(attr, definitions);
  if (attr.type.list) schema = {{"type", "array"}, {"items", schema}};
  if (attr.minimum) schema[attr.type.list ? "minItems" : "minimum"] = *attr.minimum;
  if (attr.default_value && CanBeWritten(*attr.default_value)) {
    schema["default"] = AttrValueJson(*attr.default_value, attr.type.list);
  }
  const std::string doc = attr.doc.empty() ? "" : attr.doc + "\n\n";
  return Described(doc + spec::AttrText(op, attr), schema);
}

}  // namespace opsrun::host

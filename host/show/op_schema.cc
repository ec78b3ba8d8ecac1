// host/show/op_schema.cc: the schema of an op.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/schema_parts.h"
#include "host/spec/op_def.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using spec::AttrDef;
using spec::OpDef;

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

// The schema of one value, or of one element of a list.
Json ElementSchema(const AttrDef& attr, Definitions& definitions) {
  switch (attr.type.kind) {
    case OPSRUN_ATTR_INT:
      return {{"type", "integer"}};
    case OPSRUN_ATTR_FLOAT:
      return {{"type", "number"}};
    case OPSRUN_ATTR_BOOL:
      return {{"type", "boolean"}};
    case OPSRUN_ATTR_TYPE:
      return DTypeSchema(attr.allowed_types, definitions);
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

// True if an editor can insert the value.
bool CanBeWritten(const spec::AttrValue& value) {
  return value.tensors.empty() && std::all_of(value.strings.begin(), value.strings.end(), IsUtf8) &&
         std::all_of(value.floats.begin(), value.floats.end(), [](double x) { return std::isfinite(x); }) &&
         std::all_of(value.shapes.begin(), value.shapes.end(), [](const auto& shape) { return shape.rank_known; });
}

// Type, limits, default and documentation of `attr`, an attr of `op`.
Json AttrSchema(const OpDef& op, const AttrDef& attr, Definitions& definitions) {
  Json schema = ElementSchema(attr, definitions);
  if (attr.type.list) schema = {{"type", "array"}, {"items", schema}};
  if (attr.minimum) schema[attr.type.list ? "minItems" : "minimum"] = *attr.minimum;
  if (attr.default_value && CanBeWritten(*attr.default_value)) {
    schema["default"] = AttrValueJson(*attr.default_value, attr.type.list);
  }
  const std::string doc = attr.doc.empty() ? "" : attr.doc + "\n\n";
  return Described(doc + spec::AttrText(op, attr), schema);
}

std::string ArgLines(const char* title, const std::vector<ArgDef>& args) {
  if (args.empty()) return {};
  std::string text = fmt::format("{}:\n", title);
  for (const ArgDef& arg : args) {
    text += fmt::format("- `{}` ({}){}{}\n", arg.name, spec::ArgTypeText(arg), arg.doc.empty() ? "" : ": ", arg.doc);
  }
  return text;
}

std::string OpMarkdown(const RegisteredOp& op) {
  const OpDef& def = op.def;
  std::string text = fmt::format("```text\n{}\n```\n", spec::SignatureText(def));
  for (const std::string& part : {def.summary, def.description}) {
    if (!part.empty()) text += "\n" + part + "\n";
  }
  text += "\n" + ArgLines("Inputs", def.inputs) + "\n" + ArgLines("Outputs", def.outputs);
  return text +
         fmt::format("\nPlugin {}{}{}", op.plugin->name, op.plugin->version.empty() ? "" : " ", op.plugin->version);
}

Json NameSchema(const RegisteredOp& op) {
  Json schema = {{"description", OpLine(op.def)}, {"markdownDescription", OpMarkdown(op)}};
  if (op.def.deprecated_version > 0) schema["deprecationMessage"] = "deprecated: " + op.def.deprecated_text;
  return schema;
}

Json ArgSchema(const OpDef& op, const ArgDef& arg, Definitions& definitions) {
  Json schema = ReferenceSchema(definitions);
  if (arg.is_list()) {
    const std::string& length = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    const AttrDef* attr = op.FindAttr(length);
    schema = ReferencesSchema(attr != nullptr && attr->minimum.value_or(0) > 0, definitions);
  }
  const std::string doc = arg.doc.empty() ? "" : arg.doc + "\n\n";
  return Described(doc + spec::ArgTypeText(arg), schema);
}

// "Pad takes 2 inputs: input, paddings"
std::string CountText(const OpDef& op) {
  if (op.inputs.empty()) return op.name + " takes no inputs: remove 'in'";
  std::string names;
  for (const ArgDef& arg : op.inputs) names += (names.empty() ? "" : ", ") + arg.name;
  return fmt::format("{} takes {}: {}", op.name, Several(op.inputs.size(), "input"), names);
}

// Keywords for lists, maps and strings can be combined, since each applies only to its own kind of value.
Json InSchema(const OpDef& op, Definitions& definitions) {
  Json by_name = Json::object(), by_position = Json::array(), names = Json::array();
  for (const ArgDef& arg : op.inputs) {
    names.push_back(arg.name);
    by_position.push_back(ArgSchema(op, arg, definitions));
    by_name[arg.name] = by_position.back();
  }
  const bool one = op.inputs.size() == 1;
  Json schema = one ? ReferenceText() : Json::object();
  schema["type"] = one ? Json{"string", "array", "object"} : Json{"array", "object"};
  schema["errorMessage"] = CountText(op);
  if (op.inputs.empty()) {
    schema["maxItems"] = 0;
  } else if (one && op.inputs[0].is_list()) {
    schema.update({{"items", by_position[0]}, {"minItems", 1}});
  } else {
    schema.update({{"items", by_position}, {"additionalItems", false}, {"minItems", names.size()}});
  }
  schema.update({{"properties", by_name}, {"required", names}, {"additionalProperties", false}});
  return op.inputs.empty() ? schema : Described(ArgLines("Inputs", op.inputs), schema);
}

Json AttrsSchema(const OpDef& op, Definitions& definitions) {
  Json properties = Json::object(), required = Json::array();
  for (const AttrDef& attr : op.attrs) {
    properties[attr.name] = AttrSchema(op, attr, definitions);
    if (!attr.default_value && spec::InferredFrom(op, attr.name) == nullptr) required.push_back(attr.name);
  }
  return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

// Without kernel labels, no label is valid.
Json LabelSchema(const RegisteredOp& op, const Registry& registry) {
  std::set<std::string> labels;
  for (const RegisteredKernel* kernel : registry.KernelsFor(op)) labels.insert(kernel->def.label);
  labels.erase("");
  if (labels.empty()) return false;
  return {{"type", "string"}, {"enum", labels}};
}

}  // namespace

std::string OpLine(const OpDef& op) {
  return spec::SignatureText(op) + (op.summary.empty() ? "" : "\n\n" + op.summary);
}

Json OpSchema(const RegisteredOp& op, const Registry& registry, Definitions& definitions) {
  const Json attrs = AttrsSchema(op.def, definitions);
  Json required = Json::array();
  if (!op.def.inputs.empty()) required.push_back("in");
  if (!attrs["required"].empty()) required.push_back("attrs");
  return {{"properties",
           {{"op", NameSchema(op)},
            {"in", InSchema(op.def, definitions)},
            {"attrs", attrs},
            {"label", LabelSchema(op, registry)}}},
          {"required", required}};
}

}  // namespace opsrun::host

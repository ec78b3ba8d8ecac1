// host/cli/op_json.cc: see op_json.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/op_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/cli/op_text.h"

namespace opsrun::host {
namespace {

using Json = nlohmann::ordered_json;

Json ShapeJson(const spec::PartialShape& shape) {
  return shape.rank_known ? Json(shape.dims) : Json();
}

// JSON has neither infinity nor NaN: those are written as a graph writes them.
Json FloatJson(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? ".nan" : value < 0 ? "-.inf" : ".inf";
}

Json ElementJson(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return value.ints[i];
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0;
    case OPSRUN_ATTR_TYPE:
      return DTypeName(static_cast<DType>(value.ints[i]));
    case OPSRUN_ATTR_FLOAT:
      return FloatJson(value.floats[i]);
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return value.strings[i];
    case OPSRUN_ATTR_SHAPE:
      return ShapeJson(value.shapes[i]);
    default:
      return {{"dtype", DTypeName(value.tensors[i].dtype)}, {"shape", value.tensors[i].shape}};
  }
}

Json ValueJson(const spec::AttrValue& value, bool list) {
  Json all = Json::array();
  for (size_t i = 0; i < value.size(); ++i) all.push_back(ElementJson(value, i));
  return list ? all : all.at(0);
}

Json OrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json ArgJson(const spec::ArgDef& arg) {
  return {{"name", arg.name},
          {"dtype", arg.dtype == OPSRUN_DT_INVALID ? Json() : Json(DTypeName(arg.dtype))},
          {"type_attr", OrNull(arg.type_attr)},
          {"type_list_attr", OrNull(arg.type_list_attr)},
          {"number_attr", OrNull(arg.number_attr)},
          {"list", arg.is_list()},
          {"doc", arg.doc}};
}

Json ArgsJson(const std::vector<spec::ArgDef>& args) {
  Json all = Json::array();
  for (const spec::ArgDef& arg : args) all.push_back(ArgJson(arg));
  return all;
}

Json AllowedJson(const spec::AttrDef& attr) {
  Json allowed = Json::array();
  for (const DType type : attr.allowed_types) allowed.push_back(DTypeName(type));
  for (const std::string& text : attr.allowed_strings) allowed.push_back(text);
  return allowed.empty() ? Json() : allowed;
}

Json OneAttrJson(const spec::OpDef& op, const spec::AttrDef& attr) {
  const spec::ArgDef* input = InferredFrom(op, attr.name);
  return {{"name", attr.name},
          {"type", spec::AttrTypeName(attr.type)},
          {"allowed", AllowedJson(attr)},
          {"minimum", attr.minimum ? Json(*attr.minimum) : Json()},
          {"default", attr.default_value ? ValueJson(*attr.default_value, attr.type.list) : Json()},
          {"given_by_input", input == nullptr ? Json() : Json(input->name)},
          {"doc", attr.doc}};
}

Json KernelJson(const RegisteredKernel& kernel) {
  Json constraints = Json::object();
  for (const auto& constraint : kernel.def.constraints)
    constraints[constraint.attr] = ValueJson(constraint.allowed, /*list=*/true);
  return {{"device", kernel.def.device}, {"label", OrNull(kernel.def.label)},     {"priority", kernel.def.priority},
          {"constraints", constraints},  {"host_memory", kernel.def.host_memory}, {"file", kernel.plugin->path}};
}

Json PluginJson(const Plugin& plugin) {
  return {{"name", plugin.name}, {"version", OrNull(plugin.version)}, {"file", plugin.path}};
}

std::string Text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string OpJson(const RegisteredOp& op, const Registry& registry) {
  const spec::OpDef& def = op.def;
  Json attrs = Json::array(), kernels = Json::array();
  for (const spec::AttrDef& attr : def.attrs) attrs.push_back(OneAttrJson(def, attr));
  for (const RegisteredKernel* kernel : registry.KernelsFor(op)) kernels.push_back(KernelJson(*kernel));
  return Text({{"name", def.name},
               {"signature", spec::SignatureText(def)},
               {"plugin", PluginJson(*op.plugin)},
               {"summary", def.summary},
               {"description", def.description},
               {"inputs", ArgsJson(def.inputs)},
               {"outputs", ArgsJson(def.outputs)},
               {"attrs", attrs},
               {"stateful", def.stateful()},
               {"deprecated", def.deprecated_version > 0 ? Json(def.deprecated_text) : Json()},
               {"kernels", kernels}});
}

std::string AttrJson(const RegisteredOp& op, const spec::AttrDef& attr) {
  Json json = {{"op", op.def.name}};
  json.update(OneAttrJson(op.def, attr));
  return Text(json);
}

}  // namespace opsrun::host

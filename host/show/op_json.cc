// host/show/op_json.cc: see op_json.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/op_json.h"

#include "host/schema/attr_value_json.h"
#include "host/spec/attr_text.h"

namespace opsrun::host {
namespace {

Json OrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json ArgJson(const spec::ArgDef& arg) {
  return {{"name", arg.name},
          {"dtype", arg.dtype == DType::kInvalid ? Json() : Json(DTypeName(arg.dtype))},
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
  for (const std::string& text : attr.allowed_strings) allowed.push_back(TextJson(text));
  return allowed.empty() ? Json() : allowed;
}

Json OneAttrJson(const spec::OpDef& op, const spec::AttrDef& attr) {
  const spec::ArgDef* input = spec::InferredFrom(op, attr.name);
  return {{"name", attr.name},
          {"type", spec::AttrTypeName(attr.type)},
          {"allowed", AllowedJson(attr)},
          {"minimum", attr.minimum ? Json(*attr.minimum) : Json()},
          {"has_default", attr.default_value.has_value()},
          {"default", attr.default_value ? AttrValueJson(*attr.default_value, attr.type.list) : Json()},
          {"given_by_input", input == nullptr ? Json() : Json(input->name)},
          {"doc", attr.doc}};
}

Json KernelJson(const RegisteredKernel& kernel) {
  Json constraints = Json::object();
  for (const auto& constraint : kernel.def.constraints)
    constraints[constraint.attr] = AttrValueJson(constraint.allowed, /*list=*/true);
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
               {"not_differentiable", (def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0},
               {"gradient", OrNull(op.gradient)},
               {"gradient_line", op.gradient_line == 0 ? Json() : Json(op.gradient_line)},
               {"deprecated", def.deprecated_version > 0 ? Json(def.deprecated_text) : Json()},
               {"kernels", kernels}});
}

std::string AttrJson(const RegisteredOp& op, const spec::AttrDef& attr) {
  Json json = {{"op", op.def.name}};
  json.update(OneAttrJson(op.def, attr));
  return Text(json);
}

}  // namespace opsrun::host

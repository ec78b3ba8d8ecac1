// host/show/op_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/op_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/schema_parts.h"
#include "host/show/wrap/wrap.h"
#include "host/spec/op_def.h"

namespace opsrun::host {
namespace {

KernelRow::Values TypeValues(const std::vector<DType>& types) {
  KernelRow::Values values;
  for (DType type : types) values.emplace(DTypeNumber(type), DTypeName(type));
  return values;
}

KernelRow::Values ValuesOf(const spec::AttrValue& allowed) {
  if (allowed.type.kind == OPSRUN_ATTR_TYPE) return TypeValues(allowed.Types());
  KernelRow::Values values;
  for (const int64_t number : allowed.ints) {
    const bool is_bool = allowed.type.kind == OPSRUN_ATTR_BOOL;
    values.emplace(number,
                   spec::AttrValueText(is_bool ? spec::AttrValue::Bool(number != 0) : spec::AttrValue::Int(number)));
  }
  for (const std::string& text : allowed.strings) values.emplace(0, spec::AttrValueText(spec::AttrValue::String(text)));
  return values;
}

// Two rows with equal keys differ at most in `attr`.
auto KeyWithout(const KernelRow& row, const std::string& attr) {
  std::map<std::string, KernelRow::Values> others = row.allowed;
  others.erase(attr);
  return std::make_tuple(row.device, row.label, row.from, row.allowed.count(attr), std::move(others));
}

std::vector<KernelRow> MergeAlong(const std::string& attr, const std::vector<KernelRow>& rows) {
  std::vector<KernelRow> merged;
  std::map<decltype(KeyWithout(rows[0], attr)), size_t> place;
  for (const KernelRow& row : rows) {
    const auto [found, is_new] = place.emplace(KeyWithout(row, attr), merged.size());
    if (is_new) {
      merged.push_back(row);
    } else if (row.allowed.count(attr) > 0) {
      const KernelRow::Values& more = row.allowed.at(attr);
      merged[found->second].allowed[attr].insert(more.begin(), more.end());
    }
  }
  return merged;
}

using spec::ArgDef;
using spec::AttrDef;
using spec::AttrText;
using spec::InferredFrom;
using spec::OpDef;

std::string Indented(size_t blanks, const std::string& text) {
  std::string lines;
  for (const std::string_view line : LinesOf(text)) lines += fmt::format("{:{}}{}\n", "", blanks, line);
  return lines;
}

// Inputs, outputs or attrs: names and types in columns, documentation below.
template <typename Def, typename TypeText>
std::string DefsText(const char* title, const std::vector<Def>& defs, TypeText type_text) {
  if (defs.empty()) return {};
  size_t width = 0;
  for (const Def& def : defs) width = std::max(width, def.name.size());
  std::string text = fmt::format("{}\n", title);
  for (const Def& def : defs) {
    text += fmt::format("  {:{}}  {}\n", def.name, width, type_text(def));
    if (!def.doc.empty()) text += Indented(width + 4, def.doc);
  }
  return text;
}

std::string KernelsText(const RegisteredOp& op, const Registry& registry) {
  std::vector<KernelRow> rows;
  for (const RegisteredKernel* kernel : registry.KernelsFor(op)) {
    rows.push_back(RowOf(kernel->def));
    if (kernel->plugin != op.plugin) rows.back().from = kernel->plugin->path;
  }
  std::string text = "kernels\n";
  for (const KernelRow& row : MergeRows(std::move(rows))) text += fmt::format("  {}\n", RowText(row));
  return text == "kernels\n" ? "kernels\n  none: a graph with this op cannot run\n" : text;
}

// "in: x", or "in: {input: x1, values: [x2, ...]}".
std::string InText(const std::vector<ArgDef>& inputs) {
  if (inputs.empty()) return {};
  if (inputs.size() == 1 && !inputs[0].is_list()) return ", in: x";
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const char* form = inputs[i].is_list() ? "[x{}, ...]" : "x{}";
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", inputs[i].name, fmt::format(fmt::runtime(form), i + 1));
  }
  return fmt::format(", in: {{{}}}", text);
}

// A node with everything that the op requires.
std::string NodeText(const OpDef& op) {
  std::string attrs;
  for (const AttrDef& attr : op.attrs) {
    if (attr.default_value || InferredFrom(op, attr.name) != nullptr) continue;
    const std::string value = "<" + spec::AttrTypeName({attr.type.kind, false}) + ">";
    const std::string form = attr.type.list ? "[" + value + ", ...]" : value;
    attrs += fmt::format("{}{}: {}", attrs.empty() ? "" : ", ", attr.name, form);
  }
  if (!attrs.empty()) attrs = fmt::format(", attrs: {{{}}}", attrs);
  return fmt::format("in a graph\n  node: {{op: {}{}{}}}\n", op.name, InText(op.inputs), attrs);
}

std::string Remarks(const OpDef& op) {
  std::string text;
  if (op.stateful()) text += "  stateful: two equal nodes may give different results\n";
  if ((op.flags & OPSRUN_OP_COMMUTATIVE) != 0) text += "  commutative: its inputs may be swapped\n";
  if ((op.flags & OPSRUN_OP_AGGREGATE) != 0) text += "  aggregate: its inputs may be grouped in any way\n";
  if (op.batch) {
    text += fmt::format("  batches: {}, behind leading dimensions that {}\n", op.batch->text,
                        (op.flags & OPSRUN_OP_BROADCASTS) != 0 ? "are broadcast" : "are equal in all inputs");
  }
  if (op.deprecated_version > 0) text += fmt::format("  deprecated: {}\n", op.deprecated_text);
  return text;
}

Json LineJson(uint32_t line) {
  return line == 0 ? Json() : Json(line);
}

Json OpsFileJson(const OpsFilePart& part) {
  if (part.file == nullptr) return {};
  return {{"file", part.file->path},
          {"gradient_line", LineJson(part.gradient_line)},
          {"shape_line", LineJson(part.shape_line)},
          {"doc_line", LineJson(part.doc_line)},
          {"batch_line", LineJson(part.batch_line)}};
}

// "inputs", "outputs": for each argument the number of dimensions that the op works on.
Json BatchJson(const OpDef& op) {
  if (!op.batch) return {};
  return {{"text", op.batch->text},
          {"inputs", op.batch->inputs},
          {"outputs", op.batch->outputs},
          {"broadcasts", (op.flags & OPSRUN_OP_BROADCASTS) != 0}};
}

// An example of a valid value; text in '<>' must be replaced.
std::string ExampleValue(const AttrDef& attr) {
  if (attr.default_value) return spec::AttrValueText(*attr.default_value);
  const std::string one = !attr.allowed_types.empty()       ? DTypeName(attr.allowed_types[0])
                          : !attr.allowed_strings.empty()   ? fmt::format("'{}'", attr.allowed_strings[0])
                          : attr.minimum && !attr.type.list ? std::to_string(*attr.minimum)
                                                            : "";
  if (one.empty()) return fmt::format("<{}>", spec::AttrTypeName(attr.type));
  return attr.type.list ? fmt::format("[{}]", one) : one;
}

std::string PluginText(const Plugin& plugin) {
  const std::string version = plugin.version.empty() ? "" : " " + plugin.version;
  return fmt::format("plugin {}{}  {}", plugin.name, version, plugin.path);
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

Json RegisteredKernelJson(const RegisteredKernel* kernel) {
  const spec::KernelDef& def = kernel->def;
  Json constraints = Json::object();
  for (const auto& constraint : def.constraints)
    constraints[constraint.attr] = AttrValueJson(constraint.allowed, /*list=*/true);
  return {{"device", def.device},       {"label", OrNull(def.label)},     {"priority", def.priority},
          {"constraints", constraints}, {"host_memory", def.host_memory}, {"file", kernel->plugin->path}};
}

size_t IndentOf(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool IsEmpty(std::string_view line) {
  return IndentOf(line) == line.size();
}

}  // namespace

std::string AttrTextAlone(const RegisteredOp& op, const AttrDef& attr) {
  std::string text = fmt::format("{}  {}\n", attr.name, AttrText(op.def, attr));
  if (!attr.doc.empty()) text += Indented(2, attr.doc);
  text += fmt::format("  of op {}, {}\n", op.def.name, PluginText(*op.plugin));
  if (const ArgDef* input = InferredFrom(op.def, attr.name)) {
    return Printable(text + fmt::format("in a graph\n  inferred from input '{}'\n", input->name));
  }
  return Printable(text + fmt::format("in a graph\n  attrs: {{{}: {}}}\n", attr.name, ExampleValue(attr)));
}

std::string OpText(const RegisteredOp& op, const Registry& registry) {
  const OpDef& def = op.def;
  std::string text = fmt::format("{}\n  {}\n", spec::SignatureText(def), PluginText(*op.plugin));
  text += Remarks(def) + OpsFileText(op, 2);
  if (!def.summary.empty()) text += "\n" + Indented(2, def.summary);
  if (!def.description.empty()) text += "\n" + Indented(2, def.description);
  text += "\n" + DefsText("inputs", def.inputs, spec::ArgTypeText) +
          DefsText("outputs", def.outputs, spec::ArgTypeText) +
          DefsText("attrs", def.attrs, [&](const AttrDef& attr) { return AttrText(def, attr); });
  return Printable(text + KernelsText(op, registry) + DeclaredGradientText(op, 0) + NodeText(def));
}

std::string OpJson(const RegisteredOp& op, const Registry& registry) {
  const spec::OpDef& def = op.def;
  const Plugin& plugin = *op.plugin;
  return JsonDocument({{"name", def.name},
                       {"signature", spec::SignatureText(def)},
                       {"plugin", {{"name", plugin.name}, {"version", OrNull(plugin.version)}, {"file", plugin.path}}},
                       {"summary", def.summary},
                       {"description", def.description},
                       {"inputs", JsonArray(def.inputs, ArgJson)},
                       {"outputs", JsonArray(def.outputs, ArgJson)},
                       {"attrs", JsonArray(def.attrs, [&](const AttrDef& attr) { return OneAttrJson(def, attr); })},
                       {"stateful", def.stateful()},
                       {"not_differentiable", (def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0},
                       {"batch", BatchJson(def)},
                       {"gradient", OrNull(op.gradient)},
                       {"gradient_line", LineJson(op.gradient_line)},
                       {"ops_file", OpsFileJson(op.beside)},
                       {"deprecated", def.deprecated_version > 0 ? Json(def.deprecated_text) : Json()},
                       {"kernels", JsonArray(registry.KernelsFor(op), RegisteredKernelJson)},
                       {"python", PythonJson(def, plugin.name)}});
}

std::string AttrJson(const RegisteredOp& op, const spec::AttrDef& attr) {
  Json json = {{"op", op.def.name}};
  json.update(OneAttrJson(op.def, attr));
  return JsonDocument(json);
}

std::string OpsFileText(const RegisteredOp& op, size_t indent) {
  std::string text;
  const auto add = [&](const char* part, uint32_t line) {
    if (line != 0) text += fmt::format("{:{}}{}: from {}:{}\n", "", indent, part, op.beside.file->path, line);
  };
  add("gradient", op.beside.gradient_line);
  add("shape", op.beside.shape_line);
  add("doc", op.beside.doc_line);
  add("batches", op.beside.batch_line);
  return text;
}

std::string DeclaredGradientText(const RegisteredOp& op, size_t indent) {
  if (op.gradient.empty()) {
    const bool said = (op.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0;
    return said ? fmt::format("{0:{1}}gradient\n{0:{1}}  none: not differentiable\n", "", indent) : "";
  }
  const bool of_source = op.gradient_line != 0 && op.beside.gradient == nullptr;
  const std::string from = of_source ? fmt::format(", line {} of its source", op.gradient_line) : "";
  std::string text = fmt::format("{:{}}gradient{}\n", "", indent, from);
  std::vector<std::string_view> lines = LinesOf(op.gradient);
  std::erase_if(lines, IsEmpty);
  size_t common = lines.empty() ? 0 : IndentOf(lines[0]);
  for (const std::string_view line : lines) common = std::min(common, IndentOf(line));
  for (const std::string_view line : lines) text += fmt::format("{:{}}{}\n", "", indent + 2, line.substr(common));
  return text;
}

KernelRow RowOf(const KernelNote& kernel) {
  KernelRow row{LowerCase(kernel.device), kernel.label, {}, {}};
  for (const KernelNote::Constraint& constraint : kernel.constraints)
    row.allowed[constraint.attr] = TypeValues(constraint.types);
  return row;
}

KernelRow RowOf(const spec::KernelDef& kernel) {
  KernelRow row{LowerCase(kernel.device), kernel.label, {}, {}};
  for (const auto& constraint : kernel.constraints) row.allowed[constraint.attr] = ValuesOf(constraint.allowed);
  return row;
}

std::vector<KernelRow> MergeRows(std::vector<KernelRow> rows) {
  std::set<std::string> attrs;
  for (const KernelRow& row : rows) {
    for (const auto& [attr, values] : row.allowed) attrs.insert(attr);
  }
  if (attrs.empty()) attrs.insert("");  // merges equal rows
  for (const std::string& attr : attrs) rows = MergeAlong(attr, rows);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.device < b.device; });
  return rows;
}

std::string RowText(const KernelRow& row) {
  std::string text = row.device + " ";
  const char* before = " ";
  for (const auto& [attr, values] : row.allowed) {
    std::string names;
    for (const auto& [number, name] : values) names += (names.empty() ? "" : ", ") + name;
    text += fmt::format("{}{} in {{{}}}", before, attr, names);
    before = ", ";
  }
  if (!row.label.empty()) text += fmt::format("{}label '{}'", std::exchange(before, ", "), row.label);
  if (!row.from.empty()) text += fmt::format("{}from {}", before, row.from);
  return before[0] == ' ' ? row.device : text;
}

}  // namespace opsrun::host

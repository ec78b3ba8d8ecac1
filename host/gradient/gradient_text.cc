// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/gradient_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "host/plan/match_node.h"

namespace opsrun::host {
namespace {

// Longer than any source file; bounds the memory that a plugin's line number can cost.
constexpr uint32_t kMaxLine = 100'000;

class AttrWriter {
 public:
  AttrWriter(const spec::OpDef& op, const spec::Signature& signature, Reporter& reporter)
      : op_(op), signature_(signature), reporter_(reporter) {}

  // Replaces each {attr: NAME}, and each {attr: NAME, VALUE: .., ..}, in `value`.
  void Write(Value& value) {
    if (IsAttr(value)) return Replace(value);
    for (Value& item : value.items) Write(item);
    for (Value::Entry& entry : value.entries) {
      // In these maps the keys are names, one of which may be `attr`.
      const bool of_names = entry.key == "attrs" || entry.key == "outputs";
      if (!of_names) Write(entry.value);
      for (Value::Entry& named : entry.value.entries) {
        if (of_names) Write(named.value);
      }
    }
  }

 private:
  static bool IsAttr(const Value& value) {
    return !value.entries.empty() && value.entries[0].key == "attr" &&
           value.entries[0].value.kind == Value::Kind::kScalar;
  }

  void Replace(Value& value) {
    const Value name = value.entries[0].value;
    const spec::AttrDef* const attr = op_.FindAttr(name.text);
    if (attr == nullptr) return ReportUnknown(name);
    const spec::AttrValue& of_node = signature_.attrs[op_.IndexOf(*attr)];
    if (of_node.size() == 0 && !of_node.type.list) return ReplaceUnset(value);
    std::optional<Value> written = AttrYaml(of_node);
    if (!written) {
      reporter_.Refuse(
          "G214", name.span,
          fmt::format("the value of attr '{}' of op '{}' cannot be written in a graph", name.text, op_.name),
          "a shape of unknown rank, or a tensor without elements, cannot be passed on");
      return;
    }
    if (value.entries.size() > 1) return Choose(name, *written, value);
    MovePlaces(value.span, *written);
    value = *std::move(written);
  }

  // Without a node, only the text is checked, so any value will do.
  void ReplaceUnset(Value& value) {
    Value any = value.entries.size() > 1 ? value.entries[1].value : StringValue("1");
    value = std::move(any);
    Write(value);
  }

  // Replaces `value` by its entry for this value of the attr.
  void Choose(const Value& name, const Value& of_attr, Value& value) {
    const Value* const chosen = of_attr.kind == Value::Kind::kScalar ? value.Find(of_attr.text) : nullptr;
    if (chosen == nullptr || chosen == &value.entries[0].value) {
      reporter_.Refuse("G214", name.span,
                       fmt::format("there is no entry for the value of attr '{}' of op '{}'{}", name.text, op_.name,
                                   of_attr.kind == Value::Kind::kScalar ? ", " + Quote(of_attr.text) : ""),
                       "write an entry for each value that the attr may have, next to `attr`");
      return;
    }
    Value copy = *chosen;
    value = std::move(copy);
    Write(value);
  }

  void ReportUnknown(const Value& name) {
    Diagnostic& error =
        reporter_.Error("G212", name.span, fmt::format("op '{}' has no attr '{}'", op_.name, name.text));
    SuggestName(error, name.text, spec::NamesOf(op_.attrs), "attrs");
  }

  const spec::OpDef& op_;
  const spec::Signature& signature_;
  Reporter& reporter_;
};

}  // namespace

std::shared_ptr<const SourceFile> GradientSource(const RegisteredOp& op) {
  if (op.beside.gradient != nullptr) return op.beside.file;
  const bool line_known = op.gradient_line > 0 && op.gradient_line <= kMaxLine;
  const std::string lines_before(line_known ? op.gradient_line - 1 : 0, '\n');
  return std::make_shared<const SourceFile>(SourceFile{
      fmt::format("gradient of {}, in {}plugin {}", op.def.name, line_known ? "the source of " : "", op.plugin->name),
      lines_before + op.gradient});
}

GradientText::GradientText(const RegisteredOp& op)
    : op_(op),
      source_(GradientSource(op)),
      root_(op.beside.gradient != nullptr ? *op.beside.gradient : ReadYaml(*source_, syntax_errors_)) {}

GradientText::GradientText(const RegisteredOp& op, std::string name, std::string text)
    : op_(op),
      source_(std::make_shared<const SourceFile>(SourceFile{std::move(name), std::move(text)})),
      root_(ReadYaml(*source_, syntax_errors_)) {}

std::vector<std::string> GradientText::OpNames() const {
  std::vector<std::string> names;
  const Value* const nodes = root_ ? root_->Find("nodes") : nullptr;
  if (nodes == nullptr) return names;
  for (const Value::Entry& node : nodes->entries) {
    const Value* const op = node.value.Find("op");
    if (op != nullptr && !op->text.empty()) names.push_back(op->text);
  }
  return names;
}

std::optional<DeclaredGradient> GradientText::For(const spec::Signature& signature, Diagnostics& diagnostics) const {
  if (source_->text.find_first_not_of(" \t\r\n") == std::string::npos) {
    Diagnostic& error = diagnostics.Error("G106", "this gradient is empty");
    error.file = source_->path;
    const uint32_t line = std::max(op_.gradient_line, uint32_t{1});
    if (line <= kMaxLine) error.where = {{line, 1}, {line, 1}};
    error.help = {"write outputs: {INPUT: NODE, ...}, with null for an input that has no gradient"};
    return std::nullopt;
  }
  if (!root_ || syntax_errors_.has_errors()) {
    for (const Diagnostic& error : syntax_errors_.all()) diagnostics.all().push_back(error);
    return std::nullopt;
  }
  const size_t errors_before = diagnostics.all().size();
  Value root = *root_;
  Reporter reporter(*source_, diagnostics);
  AttrWriter(op_.def, signature, reporter).Write(root);
  if (diagnostics.all().size() != errors_before) return std::nullopt;
  return ReadGradient(std::move(root), source_, diagnostics);
}

void MovePlaces(const Span& span, Value& value) {
  value.span = span;
  for (Value& item : value.items) MovePlaces(span, item);
  for (Value::Entry& entry : value.entries) {
    entry.key_span = span;
    MovePlaces(span, entry.value);
  }
}

void MovePlaces(const Span& span, Node& node) {
  node.name.span = node.op.span = node.inputs_span = node.span = span;
  for (NodeInput& input : node.inputs) {
    input.arg.span = input.span = span;
    for (Reference& reference : input.from) reference.span = span;
  }
  for (NodeAttr& attr : node.attrs) {
    attr.name.span = span;
    MovePlaces(span, attr.value);
  }
  if (node.label) node.label->span = span;
  if (node.device) node.device->span = span;
}

}  // namespace opsrun::host

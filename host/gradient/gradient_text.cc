// host/gradient/gradient_text.cc: see gradient_text.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/gradient_text.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "host/gradient/move_places.h"
#include "host/plan/attr_yaml.h"
#include "host/yaml/read_yaml.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {
namespace {

// No source file is longer; what a plugin says must not cost memory.
constexpr uint32_t kMaxLine = 100'000;

class AttrWriter {
 public:
  AttrWriter(const spec::OpDef& op, const spec::Signature& signature, Reporter& reporter)
      : op_(op), signature_(signature), reporter_(reporter) {}

  // Replaces each {attr: NAME} in `value`.
  void Write(Value& value) {
    if (IsAttr(value)) return Replace(value);
    for (Value& item : value.items) Write(item);
    for (Value::Entry& entry : value.entries) {
      // The attrs of a node, one of which may be called `attr`.
      const bool of_node = entry.key == "attrs" && IsAttr(entry.value);
      Write(of_node ? entry.value.entries[0].value : entry.value);
    }
  }

 private:
  static bool IsAttr(const Value& value) {
    return value.entries.size() == 1 && value.entries[0].key == "attr" &&
           value.entries[0].value.kind == Value::Kind::kScalar;
  }

  void Replace(Value& value) {
    const Value name = value.entries[0].value;
    const spec::AttrDef* const attr = op_.FindAttr(name.text);
    if (attr == nullptr) return ReportUnknown(name);
    std::optional<Value> written = AttrYaml(signature_.attrs[op_.IndexOf(*attr)]);
    if (!written) {
      reporter_.Refuse(
          "G214", name.span,
          fmt::format("the value of attr '{}' of op '{}' cannot be written in a graph", name.text, op_.name),
          "a shape of unknown rank, or a tensor without elements, cannot be passed on");
      return;
    }
    MovePlaces(value.span, *written);
    value = *std::move(written);
  }

  void ReportUnknown(const Value& name) {
    std::vector<std::string> names;
    for (const spec::AttrDef& attr : op_.attrs) names.push_back(attr.name);
    Diagnostic& error =
        reporter_.Error("G212", name.span, fmt::format("op '{}' has no attr '{}'", op_.name, name.text));
    SuggestName(error, name.text, names, "attrs");
  }

  const spec::OpDef& op_;
  const spec::Signature& signature_;
  Reporter& reporter_;
};

}  // namespace

std::shared_ptr<const SourceFile> GradientSource(const RegisteredOp& op) {
  const bool line_known = op.gradient_line > 0 && op.gradient_line <= kMaxLine;
  const std::string lines_before(line_known ? op.gradient_line - 1 : 0, '\n');
  return std::make_shared<const SourceFile>(SourceFile{
      fmt::format("gradient of {}, in {}plugin {}", op.def.name, line_known ? "the source of " : "", op.plugin->name),
      lines_before + op.gradient});
}

GradientText::GradientText(const RegisteredOp& op)
    : op_(op), source_(GradientSource(op)), root_(ReadYaml(*source_, syntax_errors_)) {}

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

}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include "host/plan/match_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/display_text.h"
#include "host/plan/attr_yaml.h"

namespace opsrun::host {

namespace {

void ReportUnknownInput(const Located<std::string>& name, const spec::OpDef& op, Reporter& reporter) {
  Diagnostic& error = reporter.Error("G210", name.span, fmt::format("op '{}' has no input '{}'", op.name, name.value));
  if (op.FindAttr(name.value) != nullptr) {
    error.help.push_back(fmt::format("'{}' is an attr: write it under 'attrs'", name.value));
  } else {
    SuggestName(error, name.value, spec::NamesOf(op.inputs), "inputs");
  }
}

void ReportUnknownAttr(const Located<std::string>& name, const spec::OpDef& op, Reporter& reporter) {
  Diagnostic& error = reporter.Error("G212", name.span, fmt::format("op '{}' has no attr '{}'", op.name, name.value));
  if (spec::FindNamed(op.inputs, name.value) != nullptr) {
    error.help.push_back(fmt::format("'{}' is an input: write it under 'in'", name.value));
  } else {
    SuggestName(error, name.value, spec::NamesOf(op.attrs), "attrs");
  }
}

}  // namespace

// A single list argument takes all inputs by position.
std::vector<MatchedInput> MatchInputs(const Node& node, const spec::OpDef& op, Reporter& reporter) {
  const std::vector<spec::ArgDef>& args = op.inputs;
  const auto all = [&] { return fmt::format("inputs: {}", fmt::join(spec::NamesOf(args), ", ")); };
  const bool one_list = args.size() == 1 && args[0].is_list() &&
                        std::none_of(node.inputs.begin(), node.inputs.end(), [](const NodeInput& i) { return i.list; });
  std::vector<MatchedInput> matched;
  std::vector<bool> given(args.size());
  bool unknown = false;  // such a name is probably that of a missing input, misspelled
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeInput& input = node.inputs[i];
    const bool by_position = input.arg.value.empty();
    const spec::ArgDef* const named = by_position ? nullptr : spec::FindNamed(args, input.arg.value);
    const size_t arg = named != nullptr ? static_cast<size_t>(named - args.data()) : one_list ? 0 : i;
    if (!by_position && named == nullptr) {
      ReportUnknownInput(input.arg, op, reporter);
      unknown = true;
    } else if (arg < args.size()) {
      matched.push_back({&input, arg, by_position && one_list});
      given[arg] = true;
    } else {
      Diagnostic& error = reporter.Error("G211", input.span,
                                         fmt::format("op '{}' has {}, but this node gives {}", op.name,
                                                     Several(args.size(), "input"), node.inputs.size()));
      error.label = "one too many";
      error.help.push_back(args.empty() ? "remove 'in'" : all());
      return matched;
    }
  }
  std::vector<std::string> missing;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!given[i]) missing.push_back(args[i].name);
  }
  if (missing.empty() || unknown) return matched;
  reporter.Refuse("G211", node.inputs.empty() ? node.op.span : node.inputs_span,
                  fmt::format("{} '{}' of op '{}' {} missing", missing.size() == 1 ? "input" : "inputs",
                              fmt::join(missing, "', '"), op.name, missing.size() == 1 ? "is" : "are"),
                  all());
  return matched;
}

std::map<std::string, spec::AttrValue> ConvertAttrs(const Node& node, const spec::OpDef& op, Reporter& reporter,
                                                    std::vector<std::string>* refused) {
  std::map<std::string, spec::AttrValue> attrs;
  for (const NodeAttr& given : node.attrs) {
    const spec::AttrDef* const attr = op.FindAttr(given.name.value);
    if (attr == nullptr) {
      ReportUnknownAttr(given.name, op, reporter);
      continue;
    }
    AttrMistake mistake;
    if (std::optional<spec::AttrValue> value = AttrFromValue(*attr, given.value, &mistake)) {
      attrs.emplace(attr->name, *std::move(value));
      continue;
    }
    refused->push_back(attr->name);
    Diagnostic& error = reporter.Error("G214", mistake.where, std::move(mistake.message));
    if (!mistake.help.empty()) error.help.push_back(std::move(mistake.help));
  }
  return attrs;
}

std::optional<size_t> FindOutput(const Reference& reference, const spec::OpDef& op, Reporter& reporter) {
  const std::vector<std::string> names = spec::NamesOf(op.outputs);
  if (reference.output.empty()) {
    if (names.size() == 1) return 0;
    if (names.empty()) {
      return reporter.Refuse("G209", reference.span,
                             fmt::format("node '{}' has no output, because op '{}' has none", reference.name, op.name),
                             fmt::format("to run after it without using an output, write after: [{}]", reference.name));
    }
    return reporter.Refuse(
        "G207", reference.span, fmt::format("node '{}' has {} outputs", reference.name, names.size()),
        fmt::format("write '{}.{}'", reference.name, fmt::join(names, fmt::format("' or '{}.", reference.name))));
  }
  const auto named = std::find(names.begin(), names.end(), reference.output);
  if (named != names.end()) return static_cast<size_t>(named - names.begin());
  Diagnostic& error = reporter.Error("G206", reference.span,
                                     fmt::format("node '{}' has no output '{}'", reference.name, reference.output));
  SuggestName(error, reference.output, names, "outputs", reference.name + ".");
  if (reference.index >= 0 && !error.suggestion.empty()) error.suggestion += fmt::format(".{}", reference.index);
  return std::nullopt;
}

}  // namespace opsrun::host

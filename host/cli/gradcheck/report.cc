// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/display_text.h"
#include "host/cli/gradcheck/gradcheck.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

using Kind = GradientVerdict::Kind;

bool Passed(const OpCheck& check) {
  return check.verdict.kind == Kind::kRight || check.verdict.kind == Kind::kNoKernel;
}

const char* Word(Kind kind) {
  static constexpr const char* kWords[] = {"ok", "WRONG", "INVALID", "NOT CHECKED", "no kernel"};
  static_assert(static_cast<size_t>(Kind::kNoKernel) + 1 == std::size(kWords));
  return kWords[static_cast<size_t>(kind)];
}

// The worst error as a fraction of the tolerance.
double Share(const OpCheck& check) {
  return check.verdict.tolerance > 0 ? check.verdict.worst / check.verdict.tolerance : 0;
}

std::string SaidText(const RegisteredOp& op) {
  const bool said = (op.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0;
  return said ? "not differentiable" : "declares no gradient";
}

void AddRows(const CheckedOp& op, TextTable& table) {
  const std::string& name = op.op->def.name;
  if (!op.checked) return table.Add({name, "", "", "", SaidText(*op.op)});
  if (op.invalid.has_errors()) return table.Add({name, "", "", "", Word(Kind::kInvalid)});
  std::string types;
  int problems = 0;
  double share = 0;
  for (const OpCheck& check : op.checks) {
    if (check.verdict.kind != Kind::kRight) continue;
    types += (types.empty() ? "" : " ") + DTypeName(check.type);
    problems += check.problems;
    share = std::max(share, Share(check));
  }
  if (problems > 0) table.Add({name, types, std::to_string(problems), fmt::format("{:.1f}%", 100 * share), "ok"});
  for (const OpCheck& check : op.checks) {
    if (!Passed(check))
      table.Add({name, DTypeName(check.type), std::to_string(check.problems), "", Word(check.verdict.kind)});
  }
  if (types.empty() && host::Passed(op)) table.Add({name, "", "", "", "no kernel for a type with gradients"});
}

// Rounded to three digits; null if it is not finite.
Json Rounded(double number) {
  return std::isfinite(number) ? Json(std::stod(fmt::format("{:.3g}", number))) : Json();
}

Json ErrorsJson(const Diagnostics& found) {
  Json errors = Json::array();
  for (const Diagnostic& d : found.all()) {
    errors.push_back({{"code", d.code.text()}, {"message", d.message}, {"line", d.where.begin.line}});
  }
  return errors;
}

Json CheckJson(const OpCheck& check) {
  const GradientVerdict& verdict = check.verdict;
  return {{"type", DTypeName(check.type)},
          {"result", Word(check.verdict.kind)},
          {"problems", check.problems},
          {"kinks", check.kinks},
          {"worst", Rounded(verdict.worst)},
          {"tolerance", verdict.tolerance},
          {"seed", check.seed},
          {"node", OrNull(check.node)},
          {"message", OrNull(verdict.message)},
          {"element", OrNull(verdict.element)},
          {"looks", OrNull(verdict.looks)},
          {"errors", ErrorsJson(verdict.diagnostics)}};
}

void AddElement(const GradientVerdict& verdict, Diagnostic& error) {
  if (verdict.element.empty()) return;
  error.notes.push_back(verdict.element);
  if (!verdict.looks.empty()) error.notes.push_back(verdict.looks);
  error.notes.push_back(fmt::format("tolerance: {:g} of max(1, |measured|)", verdict.tolerance));
}

Diagnostic NotChecked(const CheckedOp& op, const OpCheck& check) {
  return MakeError("R508",
                   fmt::format("op '{}' in {}: its gradient could not be checked: {}", op.op->def.name,
                               DTypeName(check.type), check.verdict.message),
                   "check it in a graph: opsrun gradcheck --graph GRAPH --of OUTPUT --wrt FEED");
}

Diagnostic Wrong(const CheckedOp& op, const OpCheck& check) {
  const std::string type = DTypeName(check.type);
  Diagnostic error =
      MakeError("R507", fmt::format("op '{}' in {}: {}", op.op->def.name, type, check.verdict.message),
                fmt::format("to reproduce it: opsrun gradcheck {} --op {} --type {} --seed {} --problems 1", op.file,
                            op.op->def.name, type, check.seed));
  AddElement(check.verdict, error);
  error.notes.push_back("inputs and attrs: " + check.node);
  return error;
}

}  // namespace

bool Passed(const CheckedOp& op) {
  if (op.invalid.has_errors()) return false;
  return std::all_of(op.checks.begin(), op.checks.end(), [](const OpCheck& check) { return Passed(check); });
}

std::string GradcheckText(const std::vector<CheckedOp>& ops) {
  using Align = TextTable::Align;
  TextTable table(
      {{"op", Align::kLeft}, {"types", Align::kLeft}, {"problems"}, {"of tolerance"}, {"result", Align::kLeft}});
  for (const CheckedOp& op : ops) AddRows(op, table);
  return table.Text();
}

std::string GradcheckJson(const std::vector<CheckedOp>& ops) {
  Json all = Json::array();
  for (const CheckedOp& op : ops) {
    Json checks = Json::array();
    for (const OpCheck& check : op.checks) checks.push_back(CheckJson(check));
    all.push_back({{"file", op.file},
                   {"op", op.op->def.name},
                   {"gradient", op.checked ? "declared" : SaidText(*op.op)},
                   {"passed", Passed(op)},
                   {"errors", ErrorsJson(op.invalid)},
                   {"checks", checks}});
  }
  return JsonDocument(all);
}

std::string VerdictText(const GradientVerdict& verdict) {
  if (verdict.kind != Kind::kRight) return {};
  return fmt::format(
      "the gradient is right: declared and measured derivatives differ by at most {:.2g}, of {:g} allowed\n",
      verdict.worst, verdict.tolerance);
}

std::string VerdictJson(const GradientVerdict& verdict) {
  const Json json = {{"result", Word(verdict.kind)},       {"worst", Rounded(verdict.worst)},
                     {"tolerance", verdict.tolerance},     {"message", OrNull(verdict.message)},
                     {"element", OrNull(verdict.element)}, {"looks", OrNull(verdict.looks)}};
  return JsonDocument(json);
}

std::optional<Diagnostic> DescribeVerdict(const GradientVerdict& verdict) {
  if (verdict.kind == Kind::kRight) return std::nullopt;
  if (verdict.kind == Kind::kNotChecked) {
    return MakeError("R508", "the gradient could not be checked: " + verdict.message,
                     "check it at other values; random outputs have no derivatives");
  }
  Diagnostic error = MakeError("R507", verdict.message, "check its ops one by one: opsrun gradcheck PLUGIN.so --op OP");
  AddElement(verdict, error);
  return error;
}

std::vector<Diagnostic> DescribeOp(const CheckedOp& op) {
  if (op.invalid.has_errors()) return op.invalid.all();
  const auto first =
      std::find_if(op.checks.begin(), op.checks.end(), [](const OpCheck& check) { return !Passed(check); });
  if (first == op.checks.end()) return {};
  if (first->verdict.kind == Kind::kInvalid) return first->verdict.diagnostics.all();
  Diagnostic error = first->verdict.kind == Kind::kNotChecked ? NotChecked(op, *first) : Wrong(op, *first);
  std::string others;
  for (const OpCheck& check : op.checks) {
    const bool same = &check != &*first && check.verdict.kind == first->verdict.kind;
    if (same) others += (others.empty() ? "" : ", ") + DTypeName(check.type);
  }
  if (!others.empty()) error.notes.push_back("same error in " + others);
  return {error};
}

}  // namespace opsrun::host

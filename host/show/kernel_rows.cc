// host/show/kernel_rows.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/kernel_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "host/base/characters.h"
#include "host/base/dtype.h"

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

}  // namespace

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

// host/spec/compat_defaults.cc: what becomes of defaults from version to version.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "host/spec/compat.h"

namespace opsrun::host::spec {
namespace {

// NaN is the same as NaN, and 0 is not -0: it is what was written that counts.
bool SameFloats(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return (x != x && y != y) || std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  });
}

bool Same(AttrValue a, AttrValue b) {
  if (!SameFloats(a.floats, b.floats)) return false;
  a.floats.clear();
  b.floats.clear();
  return a == b;
}

std::string ChangedText(const std::string& attr, const AttrValue& before, const AttrValue& now) {
  return fmt::format("the default of attr '{}' was {} and is {}", attr, AttrValueText(before), AttrValueText(now));
}

std::optional<OpChange> CompareDefault(const AttrDef& before, const AttrDef& now) {
  if (!before.default_value && !now.default_value) return std::nullopt;
  if (!before.default_value) {
    return OpChange{true, "default_added",
                    fmt::format("attr '{}' has the default {} now", now.name, AttrValueText(*now.default_value))};
  }
  if (!now.default_value) {
    return OpChange{
        false, "default_removed",
        fmt::format("attr '{}' had the default {} and has none", before.name, AttrValueText(*before.default_value))};
  }
  if (Same(*before.default_value, *now.default_value)) return std::nullopt;
  return OpChange{false, "default_changed", ChangedText(before.name, *before.default_value, *now.default_value)};
}

std::optional<OpChange> CompareAddedDefault(const AttrDef& added, const AttrDef* now) {
  if (!added.default_value) {
    return OpChange{false, "added_without_default",
                    fmt::format("attr '{}' came without a default in the version between", added.name)};
  }
  if (now == nullptr || !now->default_value) {
    return OpChange{false, "added_default_removed",
                    fmt::format("attr '{}' came with the default {} in the version between, and has none now",
                                added.name, AttrValueText(*added.default_value))};
  }
  if (Same(*added.default_value, *now->default_value)) return std::nullopt;
  return OpChange{false, "added_default_changed",
                  ChangedText(added.name, *added.default_value, *now->default_value) + " since the version between"};
}

}  // namespace

std::vector<OpChange> CompareDefaults(const OpDef& old_op, const OpDef& new_op) {
  std::vector<OpChange> changes;
  for (const AttrDef& attr : old_op.attrs) {
    const AttrDef* now = new_op.FindAttr(attr.name);
    if (now == nullptr) continue;
    if (std::optional<OpChange> change = CompareDefault(attr, *now)) changes.push_back(*std::move(change));
  }
  return changes;
}

std::vector<OpChange> CompareAddedDefaults(const OpDef& old_op, const OpDef& mid_op, const OpDef& new_op) {
  std::vector<OpChange> changes;
  for (const AttrDef& attr : mid_op.attrs) {
    if (old_op.FindAttr(attr.name) != nullptr) continue;
    if (auto change = CompareAddedDefault(attr, new_op.FindAttr(attr.name))) changes.push_back(*std::move(change));
  }
  return changes;
}

}  // namespace opsrun::host::spec

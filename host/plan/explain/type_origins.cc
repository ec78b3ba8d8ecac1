// host/plan/explain/type_origins.cc: see type_origins.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/type_origins.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/plan/explain/attr_origin.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostMarked = 4;  // more places in one picture hide the one that matters

bool SamePlace(const Span& a, const Span& b) {
  return a.begin.line == b.begin.line && a.begin.column == b.begin.column;
}

void Mark(const Span& where, std::string text, Diagnostic& d) {
  if (!where.known() || SamePlace(where, d.where) || d.also.size() >= kMostMarked) return;
  for (const Label& label : d.also) {
    if (SamePlace(label.span, where)) return;
  }
  d.also.push_back({where, std::move(text)});
}

void AddOrigin(const Planning& p, const ReachingValues& input, size_t i, Diagnostic& d) {
  const std::string dtype = DTypeName(p.plan.values[input.values[i]].dtype);
  const std::string is = fmt::format("input '{}' is {}", input.arg, dtype);
  const bool said =
      std::any_of(d.notes.begin(), d.notes.end(), [&](const auto& note) { return note.starts_with(is + ","); });
  if (said) return;
  const AttrOrigin origin = FindTypeOrigin(p, *input.from[i]);
  d.notes.push_back(fmt::format("{}, {}", is, origin.text));
  Mark(origin.where, fmt::format("makes it {}", dtype), d);
}

}  // namespace

void AddTypeOrigins(const Planning& p, const std::vector<ReachingValues>& inputs, Diagnostic& diagnostic) {
  if (!p.IsWorthExplaining()) return;
  for (const ReachingValues& input : inputs) {
    for (size_t i = 0; i < input.values.size(); ++i) AddOrigin(p, input, i, diagnostic);
  }
}

}  // namespace opsrun::host

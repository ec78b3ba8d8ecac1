// host/plan/references.cc: what "node", "node.output" and "node.output.i" stand for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/diagnostic.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

using Values = std::optional<std::vector<uint32_t>>;

Values FeedValue(Planning& p, const Reference& reference, uint32_t feed) {
  if (!reference.output.empty()) {
    p.Error("G206", fmt::format("feed '{}' has no outputs to choose from", reference.name), reference.span)
        .help.push_back(fmt::format("write '{}'", reference.name));
    return std::nullopt;
  }
  if (p.feed_values[feed] == PlanValue::kNone) return std::nullopt;
  return std::vector<uint32_t>{p.feed_values[feed]};
}

// The output argument that the reference means, or -1 after an error.
int FindOutput(Planning& p, const Reference& reference, const spec::OpDef& op) {
  std::vector<std::string> names;
  for (const spec::ArgDef& output : op.outputs) names.push_back(output.name);
  if (reference.output.empty()) {
    if (names.size() == 1) return 0;
    if (names.empty()) {
      p.Error("G209", fmt::format("node '{}' has no output: op '{}' gives none", reference.name, op.name),
              reference.span)
          .help.push_back(fmt::format("to wait for it without data, write after: [{}]", reference.name));
    } else {
      p.Error("G207", fmt::format("node '{}' has {} outputs", reference.name, names.size()), reference.span)
          .help.push_back(fmt::format("say which: '{}.{}'", reference.name,
                                      fmt::join(names, fmt::format("' or '{}.", reference.name))));
    }
    return -1;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == reference.output) return static_cast<int>(i);
  }
  Diagnostic& error =
      p.Error("G206", fmt::format("node '{}' has no output '{}'", reference.name, reference.output), reference.span);
  SuggestName(error, reference.output, names, "outputs", reference.name + ".");
  if (reference.index >= 0 && !error.suggestion.empty()) error.suggestion += fmt::format(".{}", reference.index);
  return -1;
}

Values RangeValues(Planning& p, const Reference& reference, const spec::ArgRange& range, uint32_t first_value,
                   bool* list) {
  const uint32_t first = first_value + range.first;
  if (reference.index < 0) {
    *list = range.list;
    std::vector<uint32_t> values;
    for (uint32_t i = 0; i < range.count; ++i) values.push_back(first + i);
    return values;
  }
  if (!range.list) {
    p.Error("G208",
            fmt::format("output '{}' of node '{}' is not a list, so there is no element {}", range.name, reference.name,
                        reference.index),
            reference.span)
        .help.push_back(fmt::format("write '{}.{}'", reference.name, range.name));
    return std::nullopt;
  }
  if (reference.index >= range.count) {
    p.Error("G208",
            fmt::format("output '{}' of node '{}' has {} elements, so there is no element {}", range.name,
                        reference.name, range.count, reference.index),
            reference.span)
        .help.push_back("elements are counted from 0");
    return std::nullopt;
  }
  return std::vector<uint32_t>{first + static_cast<uint32_t>(reference.index)};
}

}  // namespace

std::optional<std::vector<uint32_t>> FindValues(Planning& p, const Reference& reference, bool* list) {
  *list = false;
  const auto target = p.names.find(reference.name);
  if (target == p.names.end()) return std::nullopt;  // said by PlanOrder, or by PlanOutputs
  if (target->second.kind == NameTarget::Kind::kFeed) return FeedValue(p, reference, target->second.index);
  const NodeState& node = p.nodes[target->second.index];
  if (node.op == nullptr) return std::nullopt;
  const int output = FindOutput(p, reference, node.op->def);
  if (output < 0 || !node.types_known) return std::nullopt;
  return RangeValues(p, reference, node.outputs[output], node.first_value, list);
}

}  // namespace opsrun::host

// host/plan/find_op.cc: the op of a node.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// The version that its author gave counts graphs of another system; here every use is told.
void WarnIfDeprecated(Planning& p, const Node& node, const spec::OpDef& op) {
  if (op.deprecated_version == 0) return;
  const std::string text = op.deprecated_text.empty() ? "" : ": " + op.deprecated_text;
  p.Warning("G220", fmt::format("op '{}' is deprecated{}", op.name, text), node.op.span)
      .help.push_back("it still runs; replace it before its plugin drops it");
}

}  // namespace

const RegisteredOp* FindOp(Planning& p, const Node& node) {
  if (std::binary_search(p.in.held_back.begin(), p.in.held_back.end(), node.op.value)) return nullptr;
  const bool in_trouble = p.TroubleWith(node.op.value) != nullptr;
  const RegisteredOp* op = in_trouble ? nullptr : p.in.loaded->registry.FindOp(node.op.value);
  if (op == nullptr) {
    ReportNoOp(p, node);
  } else {
    WarnIfDeprecated(p, node, op->def);
  }
  return op;
}

}  // namespace opsrun::host

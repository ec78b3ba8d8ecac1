// opsrun_compat/node_def.h: NodeDef: the name and the op of a node. The attrs are read with GetAttr.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class NodeDef {
 public:
  NodeDef() = default;
  NodeDef(std::string_view name, std::string_view op) : name_(name), op_(op) {}
  const std::string& name() const { return name_; }
  const std::string& op() const { return op_; }
  std::string DebugString() const { return name_ + " = " + op_; }

 private:
  std::string name_, op_;
};

inline std::string SummarizeNodeDef(const NodeDef& node) {
  return node.DebugString();
}
inline std::string FormatNodeDefForError(const NodeDef& node) {
  return node.DebugString();
}

}  // namespace OPSRUN_HIDDEN

// host/plan/blame.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/blame.h"

namespace opsrun::host {

Span BlamedSpan(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject) {
  const size_t colon = subject.find(':');
  const std::string kind = subject.substr(0, colon);
  const std::string name = colon == std::string::npos ? "" : subject.substr(colon + 1);
  if (kind == "attr") {
    for (const NodeAttr& attr : node.attrs) {
      if (attr.name.value == name) return attr.value.span;
    }
  }
  if (kind == "input") {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool by_name = node.inputs[i].arg.value == name;
      const bool by_position = node.inputs[i].arg.value.empty() && i < inputs.size() && inputs[i].name == name;
      if (by_name || by_position) return node.inputs[i].span;
    }
  }
  return node.op.span;
}

}  // namespace opsrun::host

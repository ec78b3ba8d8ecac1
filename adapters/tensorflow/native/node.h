// adapters/tensorflow/native/node.h: types an op for a node of a graph, given as a serialized NodeDef.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tensorflow/core/framework/node_def_util.h"
#include "typed_op.h"

namespace opsrun_tf {

// Throws Failure if it is not a valid node of the op.
inline TypedOp TypeNode(const Op& op, const std::string& node_def) {
  tensorflow::NodeDef node;
  if (!node.ParseFromString(node_def)) throw opsrun_adapter::Failure(OPSRUN_INVALID_ARGUMENT, "this is not a NodeDef");
  const tensorflow::AttrSlice attrs(node);
  return TypedOp(op, [&attrs](const std::string& name) { return attrs.Find(name); });
}

}  // namespace opsrun_tf

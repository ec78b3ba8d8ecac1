// adapters/tensorflow/native/typed_op.h: an op of a plugin with the types and attrs of one node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adapters/common/engine.h"
#include "attrs.h"
#include "tensorflow/core/framework/op_def.pb.h"

namespace opsrun_tf {

// A registered op. Lives as long as the process.
struct Op {
  opsrun_adapter::Engine engine;
  std::string name;       // "zero_out.ZeroOut"
  tensorflow::OpDef def;  // its name is "Opsrun_zero_out>ZeroOut"
};

// Read-only: any thread.
class TypedOp {
 public:
  // Throws Failure if the op rejects the types or attrs.
  TypedOp(const Op& op, const FindAttr& find);

  const Op& op() const { return op_; }
  const opsrun_typed_op* get() const { return typed_.get(); }
  const opsrun_typed_op_info& info() const { return *opsrun_typed_op_get(typed_.get()); }

 private:
  const Op& op_;
  opsrun_adapter::OwnedTypedOp typed_;
};

}  // namespace opsrun_tf

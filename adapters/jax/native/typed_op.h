// adapters/jax/native/typed_op.h: an op with its attrs and the types of its inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/common/engine.h"
#include "types.h"

namespace opsrun_jax {

// The plugins of the process. Created on first use, with these directories to search. Throws a Failure.
const opsrun_adapter::Engine& TheEngine(const std::vector<std::string>& directories = {});

// Any thread.
class TypedOp {
 public:
  // The op of a call, as opsrun_typed_op_to_yaml writes it. Equal texts share one object while it is in use, by calls
  // that Python has prepared or by programs that XLA has compiled; the kernel object lives as long. Throws a Failure,
  // whose message begins with `what`, if there is no such op, or if it rejects the attrs or types.
  static std::shared_ptr<const TypedOp> Find(const std::string& call, const std::string& what);

  static std::string NameOf(const opsrun_typed_op_info& info);  // "zero_out.ZeroOut"
  explicit TypedOp(opsrun_adapter::OwnedTypedOp typed);

  const std::string& name() const { return name_; }
  const opsrun_typed_op_info& info() const { return *opsrun_typed_op_get(typed_.get()); }
  const opsrun_typed_op* get() const { return typed_.get(); }
  const std::vector<const TypeNumbers*>& in_types() const { return in_types_; }
  const std::vector<const TypeNumbers*>& out_types() const { return out_types_; }
  // Throws a Failure if there is no kernel for the CPU, or if its constructor rejects the attrs.
  const opsrun_kernel_object* kernel() const;

 private:
  const opsrun_adapter::OwnedTypedOp typed_;
  const std::string name_;
  std::vector<const TypeNumbers*> in_types_, out_types_;
  mutable std::mutex making_;  // guards the creation of kernel_
  mutable opsrun_adapter::OwnedKernel kernel_;
};

}  // namespace opsrun_jax

// adapters/pytorch/native/op.h: one op of a plugin as a PyTorch operator: its kernels, by types and attrs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/common/engine.h"
#include "arguments.h"
#include "values.h"

namespace opsrun_torch {

// An op with fixed input types and attrs. Any thread.
class TypedOp {
 public:
  // Raises if the op rejects the types or attrs.
  TypedOp(const opsrun_adapter::Engine& engine, const OpSpec& spec, Key key);
  TypedOp(const TypedOp&) = delete;
  // Waits for the cards on which a kernel has run.
  ~TypedOp();

  const std::string& name() const { return name_; }  // of the operator
  const Key& key() const { return key_; }
  const opsrun_typed_op_info& info() const { return *opsrun_typed_op_get(typed_.get()); }
  const opsrun_typed_op* get() const { return typed_.get(); }
  const std::vector<const TypeNumbers*>& in_types() const { return in_types_; }
  const std::vector<const TypeNumbers*>& out_types() const { return out_types_; }
  // Raises if there is no kernel, or if its constructor rejects the attrs.
  const opsrun_kernel_object* kernel() const;
  // The same for a card; if there is no kernel for cards, the one for the CPU.
  const opsrun_kernel_object* kernel_on(int32_t card) const;

 private:
  std::vector<opsrun_op_input> ReadInputs(const OpSpec& spec, KeyReader& key);

  const Key key_;
  const std::string name_;
  opsrun_adapter::OwnedTypedOp typed_;
  std::vector<const TypeNumbers*> in_types_, out_types_;
  mutable std::mutex making_;                   // guards the creation of kernels
  mutable opsrun_adapter::OwnedKernel kernel_;  // after typed_, so that it is destroyed first
  mutable std::atomic<const opsrun_kernel_object*> made_{nullptr};
  mutable std::map<int32_t, opsrun_adapter::OwnedKernel> kernels_on_cards_;
};

// Any thread.
class Op {
 public:
  // Defines the kernels of an operator whose schema PyTorch knows; another operator, _NAME_autograd, records gradients
  // for it: see opsrun/torch/_autograd.py. The object lives as long as the process. Raises if there are too many.
  static Op& Register(const opsrun_adapter::Engine& engine, OpSpec spec);

  // The prepared op for such a call, from a cache of recently used ones. Raises if the op rejects the call.
  std::shared_ptr<const TypedOp> Find(const Key& key);

  // The kernels: they replace the arguments on the stack by the results. are_dense: it is known that all inputs are
  // dense tensors in CPU memory.
  void Compute(StableIValue* stack, bool are_dense = false);
  // For the dispatch key Autograd: before Compute, unless it is certain that nothing else remains to be done.
  void Autograd(StableIValue* stack);

 private:
  static constexpr size_t kKept = 64;

  Op(const opsrun_adapter::Engine& engine, OpSpec spec);
  bool NeedsOnlyCompute(const StableIValue* stack) const;
  template <typename AnyCall>
  void Run(AnyCall& call, const TypedOp& op, Arguments& arguments, StableIValue* stack) const;

  const opsrun_adapter::Engine engine_;
  const OpSpec spec_;
  const std::string autograd_name_;
  std::mutex mutex_;                                 // guards known_
  std::list<std::shared_ptr<const TypedOp>> known_;  // most recently used first
};

}  // namespace opsrun_torch

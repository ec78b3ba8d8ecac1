// adapters/pytorch/native/op.h: one op of a plugin as an operator of PyTorch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/stack.h>

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "attrs.h"
#include "types.h"

namespace opsrun_torch {

// The plugins of the process. It is never destroyed: PyTorch's operators stay registered until the process ends.
struct Host {
  opsrun_engine* engine = nullptr;
  const opsrun_host* table = nullptr;
};

struct ArgSpec {
  std::string name;
  bool list = false;
};

// The arguments of an operator: inputs, then attrs.
struct OpSpec {
  std::string name;        // "zero_out.ZeroOut"
  std::string torch_name;  // "opsrun_zero_out::ZeroOut"
  std::vector<ArgSpec> inputs, outputs;
  std::vector<AttrSpec> attrs;
};

// What distinguishes calls that need different kernel objects.
struct CallKey {
  c10::SmallVector<c10::ScalarType, 6> types;  // of all tensors, lists flattened
  c10::SmallVector<uint32_t, 4> counts;        // by input: tensors in a list; 1 for a single tensor
  std::vector<c10::IValue> attrs;

  bool Is(const CallKey& other) const;
  // Whether it is the key of these arguments: without making that.
  bool IsOf(c10::ArrayRef<c10::IValue> arguments) const;
};

class Gradients;
using FindOperator = std::function<std::string(const std::string& plugin, const std::string& op)>;

// An op with the types of its inputs and its attrs. Any thread.
class TypedOp {
 public:
  // Raises if the op does not take them.
  TypedOp(const Host& host, const OpSpec& spec, CallKey key);
  TypedOp(const TypedOp&) = delete;
  ~TypedOp();

  const std::string& name() const { return name_; }  // of the operator
  const CallKey& key() const { return key_; }
  const opsrun_typed_op_info& info() const { return *opsrun_typed_op_get(typed_); }
  const opsrun_typed_op* get() const { return typed_; }
  const std::vector<const TypeNumbers*>& in_types() const { return in_types_; }
  const std::vector<const TypeNumbers*>& out_types() const { return out_types_; }
  // Raises if there is none, or if its constructor refuses the attrs.
  const opsrun_kernel_object* kernel() const;
  Gradients& gradients() const { return *gradients_; }

 private:
  const CallKey key_;
  const std::string name_;
  opsrun_typed_op* typed_ = nullptr;
  std::vector<const TypeNumbers*> in_types_, out_types_;
  mutable std::once_flag made_;
  mutable opsrun_kernel_object* kernel_ = nullptr;
  const std::unique_ptr<Gradients> gradients_;
};

// Any thread.
class Op {
 public:
  Op(const Host& host, OpSpec spec);
  Op(const Op&) = delete;

  const OpSpec& spec() const { return spec_; }
  const Host& host() const { return host_; }
  bool has_tensor_attrs() const { return has_tensor_attrs_; }
  size_t n_arguments() const { return spec_.inputs.size() + spec_.attrs.size(); }

  // What is prepared for such a call. The most recently used ones are kept. Raises if the op does not take it.
  std::shared_ptr<const TypedOp> Find(CallKey key);
  // For the arguments on the stack. Requires: CanReadAttrs.
  std::shared_ptr<const TypedOp> FindForCall(const torch::jit::Stack& stack);

  // Whether the elements of all tensors are there that the arguments on the stack give to attrs.
  bool CanReadAttrs(const torch::jit::Stack& stack) const;

  // Replaces the arguments on the stack by the results. Raises for tensors that are of no use to a kernel on the CPU.
  void Compute(torch::jit::Stack& stack);

 private:
  static constexpr size_t kKept = 64;

  template <typename Is>
  std::shared_ptr<const TypedOp> FindKnown(Is is);
  CallKey KeyOf(c10::ArrayRef<c10::IValue> arguments) const;
  c10::ArrayRef<c10::IValue> ArgumentsOn(const torch::jit::Stack& stack) const {
    return c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - n_arguments());
  }

  const Host host_;
  const OpSpec spec_;
  const bool has_tensor_attrs_;
  std::mutex mutex_;                                 // guards known_
  std::list<std::shared_ptr<const TypedOp>> known_;  // the one that was used last comes first
};

}  // namespace opsrun_torch

// adapters/pytorch/native/op.h: one op of a plugin as a PyTorch operator: its calls and shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/stack.h>
#include <torch/csrc/utils/pybind.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/common/engine.h"
#include "values.h"

namespace opsrun_torch {

struct ArgSpec {
  std::string name;
  bool list = false;
};

// The arguments of an operator: inputs, then attrs.
struct OpSpec {
  std::string name;        // "zero_out.ZeroOut"
  std::string torch_name;  // "opsrun_zero_out::ZeroOut"
  std::vector<ArgSpec> inputs;
  std::vector<AttrSpec> attrs;
};

// Calls with different keys need different kernel objects.
struct CallKey {
  c10::SmallVector<c10::ScalarType, 6> types;  // of all tensors, lists flattened
  c10::SmallVector<uint32_t, 4> counts;        // by input: number of tensors in a list; 1 for a single tensor
  std::vector<c10::IValue> attrs;

  bool Is(const CallKey& other) const;
  // True if the key of these arguments would be equal to this one. Does not construct it.
  bool IsOf(c10::ArrayRef<c10::IValue> inputs, c10::ArrayRef<c10::IValue> given_attrs) const;
};

class Gradients;

// Registers an op of a plugin, unless it is registered, and returns the name of its operator. Call it without the GIL.
// It raises if PyTorch does not support the op.
using FindOperator = std::function<std::string(const std::string& plugin, const std::string& op)>;

// An op with fixed input types and attrs. Any thread.
class TypedOp {
 public:
  // Raises if the op rejects the types or attrs.
  TypedOp(const opsrun_adapter::Engine& engine, const OpSpec& spec, CallKey key);
  TypedOp(const TypedOp&) = delete;
  ~TypedOp();  // defined where Gradients is complete

  const std::string& name() const { return name_; }  // of the operator
  const CallKey& key() const { return key_; }
  const opsrun_typed_op_info& info() const { return *opsrun_typed_op_get(typed_.get()); }
  const opsrun_typed_op* get() const { return typed_.get(); }
  const std::vector<const TypeNumbers*>& in_types() const { return in_types_; }
  const std::vector<const TypeNumbers*>& out_types() const { return out_types_; }
  // Raises if there is no kernel, or if its constructor rejects the attrs.
  const opsrun_kernel_object* kernel() const;
  Gradients& gradients() const { return *gradients_; }

 private:
  const CallKey key_;
  const std::string name_;
  opsrun_adapter::OwnedTypedOp typed_;
  std::vector<const TypeNumbers*> in_types_, out_types_;
  mutable std::once_flag made_;
  mutable opsrun_adapter::OwnedKernel kernel_;  // after typed_, so that it is destroyed first
  const std::unique_ptr<Gradients> gradients_;
};

// Any thread.
class Op {
 public:
  Op(const opsrun_adapter::Engine& engine, OpSpec spec);
  Op(const Op&) = delete;

  const OpSpec& spec() const { return spec_; }
  bool has_tensor_attrs() const { return has_tensor_attrs_; }
  size_t n_arguments() const { return spec_.inputs.size() + spec_.attrs.size(); }

  // The arguments on the stack.
  c10::ArrayRef<c10::IValue> InputsOn(const torch::jit::Stack& stack) const {
    return c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - n_arguments(), spec_.inputs.size());
  }
  c10::ArrayRef<c10::IValue> AttrsOn(const torch::jit::Stack& stack) const {
    return c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - spec_.attrs.size());
  }

  // The prepared op for such a call, from a cache of recently used ones. Raises if the op rejects the call.
  std::shared_ptr<const TypedOp> Find(CallKey key);
  // The same for the arguments on the stack. Requires: CanReadAttrs.
  std::shared_ptr<const TypedOp> FindForCall(const torch::jit::Stack& stack);

  // True if the elements of all tensors in attrs on the stack are accessible.
  bool CanReadAttrs(const torch::jit::Stack& stack) const;

  // Replaces the arguments on the stack by the results. Raises for tensors that kernels on the CPU cannot use.
  void Compute(torch::jit::Stack& stack);

 private:
  static constexpr size_t kKept = 64;

  template <typename Is>
  std::shared_ptr<const TypedOp> FindKnown(Is is);
  CallKey KeyOf(const torch::jit::Stack& stack) const;

  const opsrun_adapter::Engine engine_;
  const OpSpec spec_;
  const bool has_tensor_attrs_;
  std::mutex mutex_;                                 // guards known_
  std::list<std::shared_ptr<const TypedOp>> known_;  // most recently used first
};

// Sizes, -1 if unknown, and symbols: unknown sizes with equal symbols other than 0 are equal.
using Sizes = std::pair<std::vector<int64_t>, std::vector<uint32_t>>;
// What is known about an input: its type, its shape, and its elements, either in CPU memory or as sizes.
using KnownInput = std::tuple<c10::ScalarType, Sizes, std::optional<at::Tensor>, std::optional<Sizes>>;

// Runs the shape function; raises its errors. counts: by input argument, as in CallKey. Returns a tuple (sizes,
// outputs, equal, counts):
//   sizes    (kind, value, a, b) each, see opsrun_size
//   outputs  (type, shape, as_shape) each, lists flattened; the shapes are lists of numbers of sizes, or None
//   equal    pairs of numbers of sizes
//   counts   by output argument: how many of the outputs it has
pybind11::tuple Infer(Op& op, const std::vector<KnownInput>& inputs, const std::vector<uint32_t>& counts,
                      const pybind11::list& attrs);

}  // namespace opsrun_torch

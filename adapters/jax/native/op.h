// adapters/jax/native/op.h: an op with its attrs and the types of its inputs: its kernel, shapes and gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "adapters/common/engine.h"
#include "values.h"

namespace opsrun_jax {

// The plugins of the process. Created on first use, with these directories to search. Throws a Failure.
const opsrun_adapter::Engine& TheEngine(const std::vector<std::string>& directories = {});

// What the views of an input or an output have in common.
struct Expected {
  XLA_FFI_DataType xla;
  opsrun_tensor view;  // without a buffer and a host
};

// Any thread.
class TypedOp : public std::enable_shared_from_this<TypedOp> {
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
  const opsrun_host* table() const { return table_; }  // of its calls on the CPU
  const std::vector<const TypeNumbers*>& in_types() const { return in_types_; }
  const std::vector<const TypeNumbers*>& out_types() const { return out_types_; }
  const std::vector<Expected>& expected() const { return expected_; }  // inputs first
  // Throws a Failure if there is no kernel for the CPU, or if its constructor rejects the attrs.
  const opsrun_kernel_object* kernel() const;
  // The same for an op whose kernel() has returned before.
  const opsrun_kernel_object& made_kernel() const { return *kernel_; }
  // The same for a card; if there is no kernel for cards, the one for the CPU.
  const opsrun_kernel_object* kernel_on(int32_t card) const;
  // Throws what kernel() throws, unless the op has a kernel for cards alone.
  void CheckKernel() const;

  // Keeps this object alive until as many calls of Drop. The many calls of a program share it, since an object for each
  // would cost a cache miss in each.
  void Hold() const;
  void Drop() const;

 private:
  const opsrun_adapter::OwnedTypedOp typed_;
  const std::string name_;
  const opsrun_host* const table_;
  std::vector<const TypeNumbers*> in_types_, out_types_;
  std::vector<Expected> expected_;
  mutable std::mutex changing_;  // guards what follows
  mutable opsrun_adapter::OwnedKernel kernel_;
  mutable std::map<int32_t, opsrun_adapter::OwnedKernel> kernels_on_cards_;
  mutable std::shared_ptr<const TypedOp> held_;  // this object while it is held
  mutable int64_t holders_ = 0;
};

using Shape = std::vector<int64_t>;  // -1: an unknown size

// What is known about an input: its shape, and its elements as bytes, if known.
using KnownInput = std::tuple<Shape, std::optional<nanobind::bytes>>;
// What is known about an output: its shape, and its elements if they are sizes.
using KnownOutput = std::tuple<std::optional<Shape>, std::optional<Shape>>;

// Runs the shape function. Throws a Failure if it refuses the inputs.
std::vector<KnownOutput> Infer(const TypedOp& op, const std::vector<KnownInput>& inputs);

// OPSRUN_OPERAND_*, index, output.
using Operand = std::tuple<uint32_t, uint32_t, uint32_t>;
// The name of an op, its call as a text, its inputs, and what is known about the shapes of its outputs.
using GradientCall = std::tuple<std::string, std::string, std::vector<Operand>, std::vector<std::optional<Shape>>>;
// Data type, shape, and elements.
using Constant = std::tuple<int32_t, Shape, nanobind::bytes>;
// Calls, each after those whose results it uses; constants; the gradients of the inputs.
using Gradient = std::tuple<std::vector<GradientCall>, std::vector<Constant>, std::vector<Operand>>;

// The gradient for inputs of these shapes. Throws a Failure if the op declares none, or an invalid one.
Gradient Differentiate(const TypedOp& op, const std::vector<Shape>& shapes);

}  // namespace opsrun_jax

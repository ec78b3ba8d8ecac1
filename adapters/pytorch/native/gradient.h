// adapters/pytorch/native/gradient.h: the gradients that an op declares, as calls of PyTorch operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "op.h"

namespace opsrun_torch {

// The shapes of all inputs of a call.
class InputShapes {
 public:
  void Add(c10::SymIntArrayRef sizes) {
    numbers_.push_back(static_cast<int64_t>(sizes.size()));
    for (const c10::SymInt& size : sizes) numbers_.push_back(size.maybe_as_int().value_or(-1));
  }
  bool operator==(const InputShapes&) const = default;

  // The elements borrow from this object.
  std::vector<opsrun_known_sizes> all() const;

 private:
  c10::SmallVector<int64_t, 12> numbers_;  // per input the rank and the sizes, -1 for an unknown one
};

// Read-only: any thread.
class Gradient {
 public:
  // For these shapes; null: for all shapes. Raises if the op declares no valid gradient, or one that uses an op that
  // PyTorch does not support.
  Gradient(const TypedOp& op, const InputShapes* shapes, const FindOperator& find);
  Gradient(const Gradient&) = delete;

  // What the calls use, by index in the flat lists of the op's inputs and outputs.
  bool UsesInput(size_t i) const { return uses_inputs_[i]; }
  bool UsesOutput(size_t i) const { return uses_outputs_[i]; }

  // The gradients of the `wanted` inputs, undefined tensors for the others; each has the shape of its input. inputs and
  // outputs: those that the calls use; others may be undefined. gradients: of all outputs. The calls go through the
  // dispatcher, so they are traced and differentiated like any others.
  std::vector<at::Tensor> Compute(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs,
                                  const std::vector<at::Tensor>& gradients, const std::vector<bool>& wanted) const;

 private:
  struct CallOf {
    std::optional<c10::OperatorHandle> op;  // always set
    std::vector<opsrun_operand> inputs;
    std::vector<uint32_t> counts;  // by argument: number of tensors in a list, or kSingle
    std::vector<c10::IValue> attrs;
  };
  static constexpr uint32_t kSingle = ~uint32_t{0};

  CallOf ReadCall(const opsrun_op_call& call, const FindOperator& find) const;
  std::vector<bool> CallsFor(const std::vector<bool>& wanted) const;
  void MarkUsed(const opsrun_operand& operand);

  std::string name_;
  std::vector<CallOf> calls_;
  std::vector<at::Tensor> constants_;
  std::vector<opsrun_operand> of_inputs_;
  std::vector<bool> uses_inputs_, uses_outputs_;
};

// The gradients of an op, by the shapes of its inputs. Any thread.
//
// There is one gradient for all shapes. A gradient for specific shapes may need fewer calls, since it does not sum
// where nothing was broadcast. Deriving one takes a millisecond, so it is done for shapes that occur again, and only a
// limited number of times. Ops whose shape functions reject unknown shapes have only specific gradients.
class Gradients {
 public:
  // The gradient for a call with these inputs, lists flattened. Raises as Gradient does.
  std::shared_ptr<const Gradient> For(const TypedOp& op, const std::vector<at::Tensor>& inputs,
                                      const FindOperator& find);

 private:
  using Made = std::shared_ptr<const Gradient>;
  struct OfShapes {
    InputShapes shapes;
    Made gradient;  // null: these shapes occurred once
  };
  static constexpr size_t kKept = 16;
  static constexpr int kMostDerived = 64;

  // Null if there is none for these shapes. again: true if they occurred before.
  Made FindFor(const InputShapes& shapes, bool* again);
  Made DeriveFor(const TypedOp& op, const InputShapes& shapes, const FindOperator& find);
  // Null if there is none for all shapes; there may still be one for these.
  Made ForAll(const TypedOp& op, const std::optional<InputShapes>& shapes, const FindOperator& find);

  std::mutex mutex_;  // guards all members; not held while deriving
  Made for_all_;
  bool none_for_all_ = false;
  int derived_ = 0;
  std::list<OfShapes> of_shapes_;  // most recently used first
};

}  // namespace opsrun_torch

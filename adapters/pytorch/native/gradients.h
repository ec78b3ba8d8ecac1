// adapters/pytorch/native/gradients.h: the gradients of an op, by the shapes of its inputs.
//
// There is one gradient for all shapes. A gradient for specific shapes may need fewer calls, since it does not sum
// where nothing was broadcast. Deriving one takes a millisecond, so it is done for shapes that occur again, and only a
// limited number of times. Ops whose shape functions reject unknown shapes have only specific gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gradient.h"

namespace opsrun_torch {

// Any thread.
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

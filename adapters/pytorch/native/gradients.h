// adapters/pytorch/native/gradients.h: the gradients of an op, by the shapes of its inputs.
//
// One serves all shapes. One that is derived for certain shapes may need fewer calls: it does not sum where nothing was
// broadcast. Deriving takes a millisecond, so there is one for shapes that come again, and a limit to how many are
// derived. Ops whose shape functions refuse what they do not know have only these.
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
  // For a call with these inputs, lists flattened. Raises as Gradient does.
  std::shared_ptr<const Gradient> For(const TypedOp& op, const std::vector<at::Tensor>& inputs,
                                      const FindOperator& find);

 private:
  using Made = std::shared_ptr<const Gradient>;
  struct OfShapes {
    InputShapes shapes;
    Made gradient;  // null: these shapes came once
  };
  static constexpr size_t kKept = 16;
  static constexpr int kMostDerived = 64;

  // Null: nothing is made for these shapes. again: whether they came before.
  Made FindFor(const InputShapes& shapes, bool* again);
  Made DeriveFor(const TypedOp& op, const InputShapes& shapes, const FindOperator& find);
  // Null: there is none, but there may be one for these shapes.
  Made ForAll(const TypedOp& op, const std::optional<InputShapes>& shapes, const FindOperator& find);

  std::mutex mutex_;  // guards all; nothing is derived meanwhile
  Made for_all_;
  bool none_for_all_ = false;
  int derived_ = 0;
  std::list<OfShapes> of_shapes_;  // the one that was used last comes first
};

}  // namespace opsrun_torch

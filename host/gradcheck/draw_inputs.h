// host/gradcheck/draw_inputs.h: small random inputs of an op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/gradient/op_sample.h"
#include "host/graph/graph.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Draws shapes and values that often make sense together: equal shapes, shapes that broadcast, unrelated ones; integers
// that are axes, indices, sizes, permutations or amounts of padding. One object draws all inputs of a node.
class InputDrawer {
 public:
  explicit InputDrawer(Draws& draws);

  // A tensor of the type; nothing for types of which none can be drawn, such as resources.
  std::optional<Tensor> Draw(DType dtype);

 private:
  enum class Shapes { kEqual, kBroadcast, kUnrelated, kFirstAndScalars };
  enum class Sign { kPositive, kBelowOne, kAny, kLarge };
  enum class Ints { kZeros, kOnes, kSmall, kSigned, kPermutation, kShape, kIndices };

  Shape DrawShape();
  Shape ShapeOfNumbers();
  Shape ShapeOfInts();
  int64_t DrawInt(Ints kind, int64_t i, const std::vector<int64_t>& permutation);
  double DrawNumber();

  Draws& draws_;
  const Shape base_;
  const Shapes shapes_;
  const Sign sign_;
  bool first_ = true;
};

}  // namespace opsrun::host

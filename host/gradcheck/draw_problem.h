// host/gradcheck/draw_problem.h: random problems for an op that is known by its spec alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "host/gradcheck/check_problem.h"
#include "host/gradient/node_gradient.h"
#include "host/gradient/op_sample.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// A node of the op with random attrs and small random inputs, of which all with gradients are differentiated; others
// are constants, such as axes and sizes. The same for the same seed, on every machine. Nothing if the op does not
// accept the attrs and inputs that were drawn, or has nothing to differentiate in them: most draws fail, since what the
// op requires is unknown. type: of the op's type attrs, where they allow it.
std::optional<GradientProblem> DrawProblem(Engine& engine, const RegisteredOp& op, const GradientOps& ops, DType type,
                                           uint64_t seed);

// Problems for an op that other ops use in their gradients.

// Few random inputs make sense to an op such as Conv2DBackpropFilter, but the gradient of Conv2D has some that do: the
// attrs and inputs of a node of `op` in the gradient of `user`, an op of the same plugin, on a problem that DrawProblem
// draws for the seed. Nothing if there is no such problem or no such node. ops: with the user.
std::optional<GradientProblem> BorrowProblem(Engine& engine, const RegisteredOp& op, const RegisteredOp& user,
                                             const GradientOps& ops, DType type, uint64_t seed);

// Whether the gradient that `user` declares names the op.
bool UsesInGradient(const RegisteredOp& user, const RegisteredOp& op);

// Small random inputs of an op.

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

// host/gradcheck/borrow_problem.h: problems for an op that other ops use in their gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "host/gradcheck/check_problem.h"
#include "host/gradient/node_gradient.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// Few random inputs make sense to an op such as Conv2DBackpropFilter, but the gradient of Conv2D has some that do: the
// attrs and inputs of a node of `op` in the gradient of `user`, an op of the same plugin, on a problem that DrawProblem
// draws for the seed. Nothing if there is no such problem or no such node. ops: with the user.
std::optional<GradientProblem> BorrowProblem(Engine& engine, const RegisteredOp& op, const RegisteredOp& user,
                                             const GradientOps& ops, DType type, uint64_t seed);

// Whether the gradient that `user` declares names the op.
bool UsesInGradient(const RegisteredOp& user, const RegisteredOp& op);

}  // namespace opsrun::host

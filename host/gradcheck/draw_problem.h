// host/gradcheck/draw_problem.h: random problems for an op of which only the spec is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "host/gradcheck/check_problem.h"
#include "host/gradient/node_gradient.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// A node of the op with random attrs and small random inputs. All inputs with gradients are differentiated; others,
// such as axes and sizes, are constants. A seed gives the same problem on every machine. Nothing if the op rejects
// these attrs and inputs, or if they have no gradients: most draws fail, since the op's requirements are unknown. type:
// of the op's type attrs, where they allow it.
std::optional<GradientProblem> DrawProblem(Engine& engine, const RegisteredOp& op, const GradientOps& ops, DType type,
                                           uint64_t seed);

// Problems for an op that other ops use in their gradients.

// Random inputs rarely suit an op such as Conv2DBackpropFilter, but the gradient of Conv2D contains suitable ones. The
// attrs and inputs come from a node of `op` in the gradient of `user`, an op of the same plugin, for a problem that
// DrawProblem draws for the seed. Nothing if there is no such problem or node. ops: includes `user`.
std::optional<GradientProblem> BorrowProblem(Engine& engine, const RegisteredOp& op, const RegisteredOp& user,
                                             const GradientOps& ops, DType type, uint64_t seed);

// True if the gradient that `user` declares uses the op.
bool UsesInGradient(const RegisteredOp& user, const RegisteredOp& op);

}  // namespace opsrun::host

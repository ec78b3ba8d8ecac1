// host/gradcheck/draw_problem.h: random problems for an op that is known by its spec alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "host/gradcheck/check_problem.h"
#include "host/gradient/node_gradient.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// A node of the op with random attrs and small random inputs, of which all with gradients are differentiated; others
// are constants, such as axes and sizes. The same for the same seed, on every machine. Nothing if the op does not
// accept the attrs and inputs that were drawn, or has nothing to differentiate in them: most draws fail, since what the
// op requires is unknown. type: of the op's type attrs, where they allow it.
std::optional<GradientProblem> DrawProblem(Engine& engine, const RegisteredOp& op, const GradientOps& ops, DType type,
                                           uint64_t seed);

}  // namespace opsrun::host

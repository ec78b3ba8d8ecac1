// host/gradient/check_gradient.h: finds errors in the gradient that an op declares, before it is used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/gradient/node_gradient.h"
#include "host/plugin/plugin.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// For each data type that has gradients, differentiates a node of the op with unknown shapes and plans the result. This
// checks names, arguments, attrs, types, kernels, and shapes where they follow from ranks, but not the numbers. Errors
// have places in GradientSource(op). ops.loaded: must include the op, the ops of its gradient, and
// DifferentiationOps(). Calls shape functions and creates kernels. Requires: the op declares a gradient.
void CheckGradient(const RegisteredOp& op, const GradientOps& ops, const opsrun_host* host, Diagnostics& diagnostics);

}  // namespace opsrun::host

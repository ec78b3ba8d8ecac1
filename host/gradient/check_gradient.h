// host/gradient/check_gradient.h: finds the errors in the gradient that an op declares, before anyone uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/gradient/node_gradient.h"
#include "host/plugin/plugin.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Differentiates a node of the op for each data type that has gradients, with shapes that are not known, and plans the
// result: names, arguments, attrs, types, kernels, and shapes as far as they follow from ranks. Errors have places in
// GradientSource(op). Whether the numbers are right, only a run can tell. ops.loaded: with the op, the ops of its
// gradient and DifferentiationOps(). Calls shape functions and creates kernels. Requires: the op declares a gradient.
void CheckGradient(const RegisteredOp& op, const GradientOps& ops, const opsrun_host* host, Diagnostics& diagnostics);

}  // namespace opsrun::host

// host/engine/check_declared_gradient.h: is what an op declares a gradient?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/engine/engine.h"

namespace opsrun::host {

// The errors in the gradient that the op declares, with places in GradientSource(op); see
// host/gradient/check_gradient.h. Opens the plugins whose ops it uses. Requires: the op declares a gradient.
void CheckDeclaredGradient(Engine& engine, const RegisteredOp& op, Diagnostics& diagnostics);

}  // namespace opsrun::host

// host/show/declared_gradient.h: what an op says about its gradient, for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/plugin/plugin.h"

namespace opsrun::host {

// "gradient" and the text under it, or that there is none and need be none; empty if the op says nothing. The lines begin
// with `indent` spaces.
std::string DeclaredGradientText(const RegisteredOp& op, size_t indent);

}  // namespace opsrun::host

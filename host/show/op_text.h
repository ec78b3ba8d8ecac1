// host/show/op_text.h: an op described to the person who wants to use it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"

namespace opsrun::host {

// Signature, plugin, documentation, inputs, outputs, attrs, kernels, and how a node of it is written.
std::string OpText(const RegisteredOp& op, const Registry& registry);

// One attr of it: type, limits, default, documentation, and how a graph says it.
std::string AttrTextAlone(const RegisteredOp& op, const spec::AttrDef& attr);

}  // namespace opsrun::host

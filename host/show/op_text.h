// host/show/op_text.h: describes an op to its users.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"

namespace opsrun::host {

// Signature, plugin, documentation, inputs, outputs, attrs, kernels, and how to write a node of it.
std::string OpText(const RegisteredOp& op, const Registry& registry);

// One attr of it: type, limits, default, documentation, and how to write it in a graph.
std::string AttrTextAlone(const RegisteredOp& op, const spec::AttrDef& attr);

}  // namespace opsrun::host

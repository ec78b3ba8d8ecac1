// host/show/op_text.h: describes an op to its users.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/plugin/plugin.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// Signature, plugin, documentation, inputs, outputs, attrs, kernels, and how to write a node of it.
std::string OpText(const RegisteredOp& op, const Registry& registry);

// One attr of it: type, limits, default, documentation, and how to write it in a graph.
std::string AttrTextAlone(const RegisteredOp& op, const spec::AttrDef& attr);

// The output of explain, for programs.

// One JSON object: name, plugin, documentation, inputs, outputs, attrs, kernels. A null means that it does not exist:
// no minimum, no input that determines it. A default that is null may be a shape of unknown rank: has_default.
std::string OpJson(const RegisteredOp& op, const Registry& registry);

// The same of one attr alone, with the op's name.
std::string AttrJson(const RegisteredOp& op, const spec::AttrDef& attr);

// What an op says about its gradient, for people.

// "gradient" and the text under it, or that there is none and need be none; empty if the op says nothing. The lines
// begin with `indent` spaces.
std::string DeclaredGradientText(const RegisteredOp& op, size_t indent);

}  // namespace opsrun::host

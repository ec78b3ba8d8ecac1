// host/show/op_text.h: describes an op to its users.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/plugin/plugin.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// Signature, plugin, documentation, inputs, outputs, attrs, kernels, and an example node.
std::string OpText(const RegisteredOp& op, const Registry& registry);

// One attr of the op: type, limits, default, documentation, and how to write it in a graph.
std::string AttrTextAlone(const RegisteredOp& op, const spec::AttrDef& attr);

// The output of explain, for programs.

// One JSON object: name, plugin, documentation, inputs, outputs, attrs, kernels. Null means "none", such as no minimum
// or no input that determines an attr. A null default may also be a shape of unknown rank; has_default distinguishes
// them.
std::string OpJson(const RegisteredOp& op, const Registry& registry);

// The same for one attr, with the op's name.
std::string AttrJson(const RegisteredOp& op, const spec::AttrDef& attr);

// The gradient that an op declares, as text.

// "gradient" and its text below, or a line that the op is not differentiable; empty if the op declares neither. Lines
// are indented by `indent` spaces.
std::string DeclaredGradientText(const RegisteredOp& op, size_t indent);

}  // namespace opsrun::host

// host/show/op_json.h: the output of explain, for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/registry.h"

namespace opsrun::host {

// One JSON object: name, plugin, documentation, inputs, outputs, attrs, kernels. A null means that it does not exist:
// no minimum, no input that determines it. A default that is null may be a shape of unknown rank: has_default.
std::string OpJson(const RegisteredOp& op, const Registry& registry);

// The same of one attr alone, with the op's name.
std::string AttrJson(const RegisteredOp& op, const spec::AttrDef& attr);

}  // namespace opsrun::host

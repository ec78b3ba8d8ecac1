// adapters/tensorflow/native/register.h: registers ops of plugins with TensorFlow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "typed_op.h"

namespace opsrun_tf {

// Registers an op and its kernel. name: "zero_out.ZeroOut"; def: a serialized OpDef. Throws Failure if TensorFlow
// rejects the definition or already has an op of that name. The result lives as long as the process.
const Op& RegisterOp(const opsrun_adapter::Engine& engine, const std::string& name, const std::string& def);

}  // namespace opsrun_tf

// host/testing/built_in_ops.h: the ops of this library's own that stand around the nodes of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/plugin/plugin.h"

namespace opsrun::host {

// Gives its input in memory of its own; its shape is known in the run alone.
inline constexpr char kLateOp[] = "OpsrunTesting>Late";
// Looks at its input.
inline constexpr char kReaderOp[] = "OpsrunTesting>Reader";
// Gives a resource handle: of no object, or with attr 'type' of one of that type.
inline constexpr char kHandleOp[] = "OpsrunTesting>Handle";

// Where tensors lay in the last run, by the name of the Late or Reader that saw them.
using MemorySeen = std::map<std::string, const void*>;

// seen: written to by nodes that run; outlives the plugin.
std::shared_ptr<const Plugin> BuiltInOps(MemorySeen* seen);

}  // namespace opsrun::host

// host/testing/built_in_ops.h: ops of this library, which surround the nodes of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/plugin/plugin.h"

namespace opsrun::host {

// Copies its input to memory of its own; the shape is known only in the run.
inline constexpr char kLateOp[] = "OpsrunTesting>Late";
// Reads its input.
inline constexpr char kReaderOp[] = "OpsrunTesting>Reader";
// Returns a resource handle: of no object or, with the attr 'type', of one of that type.
inline constexpr char kHandleOp[] = "OpsrunTesting>Handle";

// The addresses of tensors in the last run, by the name of the Late or Reader that saw them.
using MemorySeen = std::map<std::string, const void*>;

// seen: nodes write to it when they run; it must outlive the plugin. on_double: as Plugin::emulated.
std::shared_ptr<const Plugin> BuiltInOps(MemorySeen* seen, bool on_double);

}  // namespace opsrun::host

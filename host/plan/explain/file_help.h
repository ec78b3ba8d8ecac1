// host/plan/explain/file_help.h: what to do about an array that a graph names and that cannot be read. Private to this
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/base/status.h"

namespace opsrun::host {

// Adds a help, unless the status is already sufficient, as for a key that is missing in an archive, and for a data type
// that opsrun does not read.
void AddFileHelp(const Status& status, bool npz, Diagnostic& d);

}  // namespace opsrun::host

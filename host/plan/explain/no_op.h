// host/plan/explain/no_op.h: explains why an op is not available.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/diagnostic.h"
#include "host/examine/catalog.h"
#include "host/plugin/load.h"

namespace opsrun::host {

// P201, G202 or G201, without a location. op: as requested, "ZeroOut" or "plugin.Op". trouble: what loading reported
// about it, or null. If explain is false, the message is a single sentence without suggestions.
Diagnostic NoOp(const std::string& op, const OpTrouble* trouble, const Catalog& catalog, bool explain = true);

}  // namespace opsrun::host

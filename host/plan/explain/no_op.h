// host/plan/explain/no_op.h: says why an op is not to be had.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/diagnostic.h"
#include "host/plugin/catalog.h"
#include "host/plugin/load.h"

namespace opsrun::host {

// P201, G202 or G201 without a place. op: as it was asked for, "ZeroOut" or "plugin.Op". trouble: what loading says of
// it; null: nothing. explain false: a sentence alone, not what may be meant.
Diagnostic NoOp(const std::string& op, const OpTrouble* trouble, const Catalog& catalog, bool explain = true);

}  // namespace opsrun::host

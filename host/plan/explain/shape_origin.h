// host/plan/explain/shape_origin.h: where the shapes come from that an op does not accept. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/plan/planning.h"

namespace opsrun::host {

// Adds a note for each input of the node: its shape and the nodes that it passed through, back to where its sizes were
// first stated; and the nodes that determined a size which was unknown there.
void TellShapeOrigins(const Planning& p, const NodeWork& work, Diagnostic& error);

}  // namespace opsrun::host

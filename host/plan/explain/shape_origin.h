// host/plan/explain/shape_origin.h: where the shapes come from that an op does not take. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/plan/planning.h"

namespace opsrun::host {

// Adds a note for each input of the node: its shape and the nodes it came through, up to where its sizes were first
// said; and which nodes made a size known that was not said there.
void TellShapeOrigins(const Planning& p, const NodeWork& work, Diagnostic& error);

}  // namespace opsrun::host

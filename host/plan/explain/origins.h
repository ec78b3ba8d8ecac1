// host/plan/explain/origins.h: where data types and shapes come from that an op does not accept. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/codes.h"
#include "host/plan/planning.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

// What reached one argument: values, and beside each the reference that gave it.
struct ReachingValues {
  std::string arg;
  std::vector<uint32_t> values;
  std::vector<const Reference*> from;
};

// Marks the places that determine the data types, and describes the paths from there: one note for each data type of an
// argument, "input 'a' is int32, from 'sum' <- feed 'x'". If an attr of the node itself contributes, it is marked too.
void AddTypeOrigins(const Planning& p, const std::vector<ReachingValues>& inputs, Diagnostic& diagnostic);

// The code of a message about attrs and types that cannot be inferred.

Code InferCode(const spec::InferError& error);

// Where the shapes come from that an op does not accept. Private to this room.

// Adds a note for each input of the node: its shape and the nodes that it passed through, back to where its sizes were
// first stated; and the nodes that determined a size which was unknown there.
void TellShapeOrigins(const Planning& p, const NodeWork& work, Diagnostic& error);

}  // namespace opsrun::host

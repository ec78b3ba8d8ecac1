// host/plan/explain/origins.h: the origins of data types and shapes that an op does not accept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/codes.h"
#include "host/plan/planning.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

// The values for one argument, and the reference to each.
struct ReachingValues {
  std::string arg;
  std::vector<uint32_t> values;
  std::vector<const Reference*> from;
};

// Marks the locations that determine the data types, and adds a note with the path from there for each data type of an
// argument: "input 'a' is int32, from 'sum' <- feed 'x'". If an attr of the node itself contributes, marks it too.
void AddTypeOrigins(const Planning& p, const std::vector<ReachingValues>& inputs, Diagnostic& diagnostic);

// The code of an error about attrs and types.
Code InferCode(const spec::InferError& error);

// Adds a note for each input of the node: its shape, and the nodes that the shape came through, back to where its sizes
// were first stated; also the nodes that determined sizes that were unknown there.
void TellShapeOrigins(const Planning& p, const NodeWork& work, Diagnostic& error);

}  // namespace opsrun::host

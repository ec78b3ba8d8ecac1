// host/plan/explain/type_origins.h: where in the graph the data types of a node's inputs come from. Private to this
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/plan/planning.h"

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

}  // namespace opsrun::host

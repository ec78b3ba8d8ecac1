// host/gradient/simplify.h: changes the places of messages about nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/graph.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// Gives every part of `value`, or of `node`, the place `span`.
void MovePlaces(const Span& span, Value& value);
void MovePlaces(const Span& span, Node& node);

}  // namespace opsrun::host

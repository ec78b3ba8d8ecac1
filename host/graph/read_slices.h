// host/graph/read_slices.h: the section `slices` of a declared gradient. A part of read_gradient.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/read_gradient.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Adds to gradient.slices what the section says, with misspelled keys corrected; errors for the rest of it.
void ReadSlices(Value& section, DeclaredGradient& gradient, Reporter& reporter);

}  // namespace opsrun::host

// plugins/pad/mirror_kernel.h: the loop behind MirrorPad, on bytes. It knows no data type, no tensor and no opsrun.
//
// Each row of the output is made of one row of the input: its beginning backwards, the row itself, its end backwards.
// Which row of the input that is, the other axes say, mirrored in the same way. So the output is written once, from its
// first byte to its last, or any part of it, and only the input is read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "axes.h"

namespace pad {

// What the mirror does with the element at the edge: SYMMETRIC repeats it, REFLECT does not. The value is how far the
// mirror lies from that element.
enum class Edge : int64_t { kRepeated = 0, kOnce = 1 };

struct MirrorLayout {
  Edge edge = Edge::kRepeated;
  int64_t unit_bytes = 1;  // of what stays together: an element and all axes inside of the innermost border
  int64_t num_units = 0;   // of the output
  int rank = 0;
  Axis axes[kMaxRank];             // the innermost first; the first one counts units and is a row
  int64_t strides[kMaxRank] = {};  // bytes of the input between two indices
};

// Requires: 0 <= rank <= kMaxRank, nothing negative, no border larger than its axis (for kOnce: than its axis less 1),
// and an output whose bytes fit int64.
MirrorLayout MakeMirrorLayout(const Axis* axes, int rank, int64_t element_size, Edge edge);

// Writes the units [begin, end) of the output. Calls for disjoint ranges may run at once, and however the output is
// cut, its bytes are the same. Requires: 0 <= begin <= end <= num_units; input and output do not overlap and may be
// null only where they have no bytes.
void MirrorUnits(const MirrorLayout& layout, const void* input, void* output, int64_t begin, int64_t end);

}  // namespace pad

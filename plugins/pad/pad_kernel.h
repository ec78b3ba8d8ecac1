// plugins/pad/pad_kernel.h: the loop behind Pad, on bytes. It knows no data type, no tensor and no opsrun.
//
// A padded array is its input cut into runs, with gaps of border around them:
//
//     gap run gap run gap ... run gap
//
// All runs have one length, and the length of a gap depends only on how many axes turn over with the run before it.
// So a layout is a handful of numbers whatever the rank, and padding writes the output once, from its first byte to
// its last, or any part of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "axes.h"
#include "fill.h"

namespace pad {

// Where the runs of an input lie in the output. Outer axes are those outside of a run, the innermost first.
struct Layout {
  int64_t output_bytes = 0;
  int64_t num_runs = 1;  // an input without elements is one run of no bytes
  int64_t run_bytes = 0;
  int64_t first_gap = 0;
  int outer_rank = 0;
  // Of an outer axis: how many indices it has, how many bytes of output lie between two of them, and the gap before a
  // run with which it steps. Behind the last axis stands the gap at the end.
  int64_t counts[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
  int64_t gaps[kMaxRank + 1] = {};
};

// Requires: 0 <= rank <= kMaxRank, nothing negative, and an output whose bytes fit int64, counted from the outermost
// axis on.
Layout MakeLayout(const Axis* axes, int rank, int64_t element_size);

// Writes the bytes [begin, end) of the output. Calls for disjoint ranges may run at once, and however the output is
// cut, its bytes are the same. Requires: 0 <= begin <= end <= output_bytes, both multiples of the element's size; input
// and output do not overlap and may be null only where they have no bytes.
void PadBytes(const Layout& layout, const Fill& fill, const void* input, void* output, int64_t begin, int64_t end);

}  // namespace pad

// plugins/pad/pad_kernel.h: the loop behind Pad, on bytes. It knows no data type, no tensor and no opsrun.
//
// A padded array is its input cut into runs, with gaps of border around them:
//
//     gap run gap run gap ... run gap
//
// All runs have one length, and the length of a gap depends only on how many axes turn over with the run before it.
// So a layout is a handful of numbers whatever the rank, and padding writes the output once, from its first byte to
// its last.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace pad {

inline constexpr int kMaxRank = 8;

// `size` elements of the input, with `before` and `after` elements of border around them.
struct Axis {
  int64_t size = 0;
  int64_t before = 0;
  int64_t after = 0;
};

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

// Requires: 0 <= rank <= kMaxRank, nothing negative, and an output whose bytes fit int64.
Layout MakeLayout(const Axis* axes, int rank, int64_t element_size);

// What gaps are filled with: one element, over and over.
class Fill {
 public:
  // Requires: element_size is 1, 2, 4, 8 or 16. Copies the element.
  Fill(const void* element, size_t element_size);

  // Requires: bytes is a multiple of the element's size.
  void Write(char* out, int64_t bytes) const;

 private:
  static constexpr int64_t kBlock = 64;
  alignas(kBlock) char block_[kBlock];
};

// Writes the runs [begin, end) and the gap behind each; begin 0 also writes the first gap. Calls for disjoint ranges
// may run at once: together they write the whole output. Requires: 0 <= begin < end <= num_runs; input and output do
// not overlap and may be null only where they have no bytes.
void PadRuns(const Layout& layout, const Fill& fill, const void* input, void* output, int64_t begin, int64_t end);

}  // namespace pad

// plugins/pad/border_kernel.h: the loop behind Pad and MirrorPad, on bytes, independent of data types and tensors.
//
// Each row of the output is made from one row of the input: a border, the row, a border. Borders are constant or show
// the row reversed. The other axes, with borders of that kind, determine which row, if any. So any part of the output
// can be written sequentially.
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <type_traits>
#include <vector>

#include "moves.h"

namespace pad {

// The edge is repeated (kSymmetric) or not (kReflect): the value is the distance of the mirror from its element.
enum class Border : int64_t { kConstant = -1, kSymmetric = 0, kReflect = 1 };

// The index in the input that index i of the output shows, or -1 in a constant border. Also called by GPU kernels.
constexpr int64_t SourceOf(const Axis& axis, Border border, int64_t i) {
  i -= axis.before;
  if (i >= 0 && i < axis.size) return i;
  if (border == Border::kConstant) return -1;
  const int64_t distance = static_cast<int64_t>(border);
  return i < 0 ? distance - 1 - i : 2 * axis.size - 1 - distance - i;
}

struct BorderLayout {
  Border border = Border::kConstant;
  int64_t unit_bytes = 1;  // of a unit: an element, or everything inside of the innermost border
  int64_t num_units = 0;   // of the output
  bool streams = false;    // whether it is written with streaming stores
  int rank = 0;
  Axis axes[kMaxRank];             // the innermost first; the first one counts units and forms a row
  int64_t strides[kMaxRank] = {};  // of one index, in bytes of the input
};

// Requires: rank <= kMaxRank, an output whose bytes fit int64, mirrors of at most the axis (kReflect: less 1).
BorderLayout MakeLayout(const Axis* axes, int rank, int64_t element_size, Border border);

// Writes the units [begin, end) of the output, in any order and division. `fill`: the element of a constant border.
// Requires: 0 <= begin <= end <= num_units; input and output do not overlap, and have memory unless they are empty.
void WriteUnits(const BorderLayout& layout, const Fill& fill, const void* input, void* output, int64_t begin,
                int64_t end);

// Folds a mirrored border back, the transpose of MirrorPad: adds the border of one dimension after the other to the
// elements that it shows, so a corner reaches the element that it shows.

// The accumulator for sums of T: 16-bit floats are rounded once, after all borders are added.
template <typename T>
using SumOf = std::conditional_t<!std::is_integral_v<T> && sizeof(T) == 2, float, T>;

// Integers wrap. Also called by GPU kernels.
template <typename T>
constexpr T MirrorSum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + 0u + static_cast<std::make_unsigned_t<T>>(b));
  } else {
    return a + b;
  }
}

// to[k] = own[k] + first[k] + second[k] for k in [0, n); the last two may be null.
template <typename In, typename Out>
void AddMirrored(const In* own, const In* first, const In* second, int64_t n, Out* to) {
  const auto wide = [](In value) { return static_cast<SumOf<In>>(value); };
  for (int64_t k = 0; k < n; ++k) {
    SumOf<In> sum = wide(own[k]);
    if (first != nullptr) sum = MirrorSum(sum, wide(first[k]));
    if (second != nullptr) sum = MirrorSum(sum, wide(second[k]));
    to[k] = static_cast<Out>(sum);
  }
}

// `in` is [outer, axis.padded(), inner], `out` is [outer, axis.size, inner]. Processes the outer indices [begin, end).
template <typename In, typename Out>
void FoldAxis(const Axis& axis, Border border, int64_t inner, const In* in, Out* out, int64_t begin, int64_t end) {
  const int64_t distance = static_cast<int64_t>(border);
  for (int64_t o = begin; o < end; ++o) {
    const In* const from = in + o * axis.padded() * inner;
    Out* const to = out + o * axis.size * inner;
    const auto row = [&](bool is_there, int64_t index) { return is_there ? from + index * inner : nullptr; };
    for (int64_t at = 0; at < axis.size; ++at) {
      const int64_t before = axis.before - 1 + distance - at, after = axis.size - 1 - distance - at;
      AddMirrored(row(true, axis.before + at), row(before >= 0 && before < axis.before, before),
                  row(after >= 0 && after < axis.after, axis.before + axis.size + after), inner, to + at * inner);
    }
  }
}

}  // namespace pad

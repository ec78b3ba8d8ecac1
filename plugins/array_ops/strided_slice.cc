// plugins/array_ops/strided_slice.cc: see strided_slice.h.
// SPDX-License-Identifier: Apache-2.0
#include "strided_slice.h"

#include <algorithm>

#include "integers.h"

namespace array_ops {

using namespace opsrun;

namespace {

bool Has(int64 mask, int i) {
  return i < 63 && ((mask >> i) & 1) != 0;
}

// Without an ellipsis, there is one behind the last entry.
int FindEllipsis(const StridedMasks& masks, int entries) {
  int i = 0;
  while (i < entries && !Has(masks.ellipsis, i)) ++i;
  return i;
}

// How many dimensions of the input the entries [begin, end) describe.
int CountDescribed(const StridedMasks& masks, int begin, int end) {
  int n = 0;
  for (int i = begin; i < end; ++i) n += Has(masks.new_axis, i) ? 0 : 1;
  return n;
}

void AddEntry(const StridedMasks& masks, int i, StridedLayout* layout) {
  if (Has(masks.new_axis, i)) return layout->final_dims.push_back(-1);
  const bool shrink = Has(masks.shrink_axis, i);
  if (!shrink) layout->final_dims.push_back(static_cast<int>(layout->dims.size()));
  layout->dims.push_back({i, shrink});
}

// A position that may count from the end, moved to the nearest one where a progression can begin or end.
int64 Clamped(int64 position, int64 size, int64 stride) {
  const int64 low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  if (position < 0) position += size;
  return std::min(std::max(position, low), high);
}

}  // namespace

Status MakeStridedLayout(const StridedMasks& masks, int entries, int rank, StridedLayout* layout) {
  if ((masks.ellipsis & (masks.ellipsis - 1)) != 0) {
    return errors::InvalidArgument("ellipsis_mask is ", masks.ellipsis, ", but only one bit may be set")
        .Blame("attr:ellipsis_mask");
  }
  const int ellipsis = FindEllipsis(masks, entries);
  const int described = CountDescribed(masks, 0, ellipsis) + CountDescribed(masks, ellipsis + 1, entries);
  if (described > rank) {
    return Wrong("begin", "there are entries for ", described, " dimensions, but input has rank ", rank);
  }
  for (int i = 0; i < ellipsis; ++i) AddEntry(masks, i, layout);
  for (int i = described; i < rank; ++i) {
    layout->final_dims.push_back(static_cast<int>(layout->dims.size()));
    layout->dims.push_back({});
  }
  for (int i = ellipsis + 1; i < entries; ++i) AddEntry(masks, i, layout);
  return Status::OK();
}

Status StridedValues::Resolve(const StridedMasks& masks, const SlicedDim& dim, int axis, int64 size,
                              Progression* taken) const {
  *taken = {0, 1, size};
  if (dim.entry < 0) return Status::OK();
  const size_t at = static_cast<size_t>(dim.entry);
  const int64 stride = strides[at];
  if (stride == 0) return Wrong("strides", "strides[", at, "] is 0");
  if (dim.shrink) {
    const int64 index = begin[at] < 0 ? begin[at] + size : begin[at];
    if (stride < 0)
      return Wrong("strides", "strides[", at, "] is ", stride, ", but must be positive for a single index");
    if (index < 0 || index >= size) {
      return Wrong("begin", "begin[", at, "] is ", begin[at], ", but must be between ", -size, " and ", size - 1,
                   ", since dimension ", axis, " of input has size ", size);
    }
    *taken = {index, 1, 1};
    return Status::OK();
  }
  const int64 first = Has(masks.begin, dim.entry) ? (stride > 0 ? 0 : size - 1) : Clamped(begin[at], size, stride);
  const int64 last = Has(masks.end, dim.entry) ? (stride > 0 ? size : -1) : Clamped(end[at], size, stride);
  // The magnitude of a stride may be larger than any int64; then there is one element.
  const uint64_t step = stride > 0 ? static_cast<uint64_t>(stride) : -static_cast<uint64_t>(stride);
  const uint64_t distance = static_cast<uint64_t>(std::max<int64>(stride > 0 ? last - first : first - last, 0));
  const int64 count = static_cast<int64>(distance / step + (distance % step != 0 ? 1 : 0));
  *taken = {first, count > 1 ? stride : 1, count};
  return Status::OK();
}

}  // namespace array_ops

// SPDX-License-Identifier: Apache-2.0
#include "pad_kernel.h"

#include <cstring>

#include "writers.h"

namespace pad {
namespace {

// Axes with a border, the innermost first. The first one counts bytes: it is a run and what surrounds it.
struct CollapsedAxes {
  int rank = 0;
  Axis axes[kMaxRank];

  void Add(const Axis& axis, int64_t unit) { axes[rank++] = {axis.size * unit, axis.before * unit, axis.after * unit}; }
};

int64_t Padded(const Axis& axis) {
  return axis.before + axis.size + axis.after;
}

// An axis without border multiplies the next one outside of it: their indices lie side by side in the output too.
CollapsedAxes Collapse(const Axis* axes, int rank, int64_t element_size) {
  CollapsedAxes collapsed;
  int64_t unit = element_size;
  for (int i = rank - 1; i >= 0; --i) {
    if (axes[i].before == 0 && axes[i].after == 0) {
      unit *= axes[i].size;
    } else {
      collapsed.Add(axes[i], unit);
      unit = 1;
    }
  }
  if (unit != 1 || collapsed.rank == 0) collapsed.Add({1, 0, 0}, unit);
  return collapsed;
}

bool IsEmpty(const Axis* axes, int rank) {
  for (int i = 0; i < rank; ++i) {
    if (axes[i].size == 0) return true;
  }
  return false;
}

Layout LayoutOfBorderOnly(const Axis* axes, int rank, int64_t element_size) {
  Layout layout;
  layout.output_bytes = element_size;
  for (int i = 0; i < rank; ++i) layout.output_bytes *= Padded(axes[i]);
  layout.first_gap = layout.output_bytes;
  return layout;
}

// Where the first gap or run of the range lies, and which index each outer axis has there.
int64_t Seek(const Layout& layout, int64_t begin, int64_t* index) {
  int64_t offset = layout.first_gap;
  for (int k = 0; k < layout.outer_rank; begin /= layout.counts[k], ++k) {
    index[k] = begin % layout.counts[k];
    offset += index[k] * layout.strides[k];
  }
  return offset;
}

// The gap behind the run at `index`, which moves on to the next run.
int64_t NextGap(const Layout& layout, int64_t* index) {
  int turned = 0;
  while (turned < layout.outer_rank && ++index[turned] == layout.counts[turned]) index[turned++] = 0;
  return layout.gaps[turned];
}

template <typename Writer>
void Write(const Layout& layout, const Fill& fill, const char* in, char* out, int64_t begin, int64_t end) {
  int64_t index[kMaxRank] = {};
  const int64_t offset = Seek(layout, begin, index);
  Writer writer(begin == 0 ? out : out + offset);
  if (begin == 0) writer.PutGap(fill, layout.first_gap);
  in += begin * layout.run_bytes;
  for (int64_t run = begin; run < end; ++run, in += layout.run_bytes) {
    writer.PutRun(in, layout.run_bytes);
    writer.PutGap(fill, NextGap(layout, index));
  }
}

// An output that no cache near the core would keep is better written around them, unless its pieces are so short that
// collecting them costs more than that saves.
bool WorthStreaming(const Layout& layout) {
  constexpr int64_t kLargeOutput = 8 << 20;
  constexpr int64_t kLongPiece = 256;
  return layout.output_bytes >= kLargeOutput && layout.output_bytes / layout.num_runs >= kLongPiece;
}

}  // namespace

Layout MakeLayout(const Axis* axes, int rank, int64_t element_size) {
  if (IsEmpty(axes, rank)) return LayoutOfBorderOnly(axes, rank, element_size);
  const CollapsedAxes inner = Collapse(axes, rank, element_size);
  Layout layout;
  layout.run_bytes = inner.axes[0].size;
  layout.output_bytes = Padded(inner.axes[0]);
  layout.outer_rank = inner.rank - 1;
  int64_t first = inner.axes[0].before;
  int64_t last = inner.axes[0].after;
  for (int k = 0; k < layout.outer_rank; ++k) {
    const Axis& axis = inner.axes[k + 1];
    const int64_t stride = layout.output_bytes;
    layout.counts[k] = axis.size;
    layout.strides[k] = stride;
    layout.gaps[k] = last + first;
    first += axis.before * stride;
    last += axis.after * stride;
    layout.num_runs *= axis.size;
    layout.output_bytes *= Padded(axis);
  }
  layout.first_gap = first;
  layout.gaps[layout.outer_rank] = last;
  return layout;
}

Fill::Fill(const void* element, size_t element_size) {
  std::memcpy(block_, element, element_size);
  for (size_t filled = element_size; filled < sizeof(block_); filled *= 2) std::memcpy(block_ + filled, block_, filled);
}

void Fill::Write(char* out, int64_t bytes) const {
  for (; bytes >= kBlock; out += kBlock, bytes -= kBlock) std::memcpy(out, block_, kBlock);
  if (bytes > 0) std::memcpy(out, block_, static_cast<size_t>(bytes));
}

void PadRuns(const Layout& layout, const Fill& fill, const void* input, void* output, int64_t begin, int64_t end) {
  const char* in = static_cast<const char*>(input);
  char* out = static_cast<char*>(output);
  if (WorthStreaming(layout)) {
    Write<StreamingWriter>(layout, fill, in, out, begin, end);
  } else {
    Write<PlainWriter>(layout, fill, in, out, begin, end);
  }
}

}  // namespace pad

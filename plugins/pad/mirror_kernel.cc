// SPDX-License-Identifier: Apache-2.0
#include "mirror_kernel.h"

#include "pad_kernel.h"

namespace pad {
namespace {

// The distance between the element at an edge and its mirror image.
int64_t Distance(const MirrorLayout& layout) {
  return static_cast<int64_t>(layout.edge);
}

// The index in the input that index i of the output shows.
int64_t Source(const Axis& axis, int64_t edge, int64_t i) {
  i -= axis.before;
  if (i < 0) return edge - 1 - i;
  return i < axis.size ? i : 2 * axis.size - 1 - edge - i;
}

// Iterates over the rows of the output, and gives the row of the input that each one shows.
class Rows {
 public:
  Rows(const MirrorLayout& layout, int64_t row) : layout_(layout) {
    for (int k = 1; k < layout.rank; row /= layout.axes[k].padded(), ++k) Turn(k, row % layout.axes[k].padded());
  }

  int64_t offset() const { return offset_; }

  void Next() {
    for (int k = 1; k < layout_.rank; ++k) {
      if (index_[k] + 1 < layout_.axes[k].padded()) return Turn(k, index_[k] + 1);
      Turn(k, 0);
    }
  }

 private:
  void Turn(int k, int64_t index) {
    const int64_t offset = Source(layout_.axes[k], Distance(layout_), index) * layout_.strides[k];
    offset_ += offset - offsets_[k];
    offsets_[k] = offset;
    index_[k] = index;
  }

  const MirrorLayout& layout_;
  int64_t index_[kMaxRank] = {};
  int64_t offsets_[kMaxRank] = {};
  int64_t offset_ = 0;
};

// Writes `count` units in reverse order: long ones one by one, short ones reversed in a buffer before the writer.
template <typename Writer>
void PutReversed(Writer& writer, const char* in, int64_t count, int64_t unit_bytes) {
  constexpr int64_t kStage = 1024;
  const int64_t at_once = kStage / unit_bytes;
  if (count == 1 || at_once < 4) {
    for (int64_t i = count - 1; i >= 0; --i) writer.PutRun(in + i * unit_bytes, unit_bytes);
    return;
  }
  char stage[kStage];
  while (count > 0) {
    const int64_t part = std::min(count, at_once);
    count -= part;
    ReverseUnits(in + count * unit_bytes, part, unit_bytes, stage);
    writer.PutRun(stage, part * unit_bytes);
  }
}

// Writes the units [begin, end) of an output row that shows the input row at `in`.
template <typename Writer>
void PutRow(const MirrorLayout& layout, Writer& writer, const char* in, int64_t begin, int64_t end) {
  const Axis& axis = layout.axes[0];
  const int64_t unit = layout.unit_bytes;
  const int64_t run_end = axis.before + axis.size;
  if (begin < axis.before) {
    const int64_t last = std::min(end, axis.before);
    PutReversed(writer, in + Source(axis, Distance(layout), last - 1) * unit, last - begin, unit);
    begin = last;
  }
  if (begin < std::min(end, run_end)) {
    const int64_t last = std::min(end, run_end);
    writer.PutRun(in + (begin - axis.before) * unit, (last - begin) * unit);
    begin = last;
  }
  if (begin < end) PutReversed(writer, in + Source(axis, Distance(layout), end - 1) * unit, end - begin, unit);
}

template <typename Writer>
void Write(const MirrorLayout& layout, const char* in, char* out, int64_t begin, int64_t end) {
  const int64_t row_units = layout.axes[0].padded();
  Writer writer(out + begin * layout.unit_bytes);
  Rows rows(layout, begin / row_units);
  int64_t at = begin % row_units;
  for (int64_t left = end - begin; left > 0; rows.Next()) {
    const int64_t units = std::min(left, row_units - at);
    PutRow(layout, writer, in + rows.offset(), at, at + units);
    left -= units;
    at = 0;
  }
}

// Neighboring axes without borders become one axis, and axes of size 1 without borders are dropped.
void AddAxis(MirrorLayout& layout, const Axis& axis) {
  if (!axis.HasBorder() && axis.size == 1) return;
  Axis* inner = layout.rank == 0 ? nullptr : &layout.axes[layout.rank - 1];
  if (inner != nullptr && !inner->HasBorder() && !axis.HasBorder()) {
    inner->size *= axis.size;
  } else {
    layout.axes[layout.rank++] = axis;
  }
}

// Everything inside of the innermost border becomes one unit, since it is never reversed.
void JoinUnits(MirrorLayout& layout) {
  if (layout.rank < 2 || layout.axes[0].HasBorder()) return;
  layout.unit_bytes *= layout.axes[0].size;
  std::copy(layout.axes + 1, layout.axes + layout.rank, layout.axes);
  --layout.rank;
}

}  // namespace

MirrorLayout MakeMirrorLayout(const Axis* axes, int rank, int64_t element_size, Edge edge) {
  MirrorLayout layout;
  layout.edge = edge;
  layout.unit_bytes = element_size;
  if (std::any_of(axes, axes + rank, [](const Axis& axis) { return axis.size == 0; })) return layout;
  for (int i = rank - 1; i >= 0; --i) AddAxis(layout, axes[i]);
  if (layout.rank == 0) layout.axes[layout.rank++] = {1, 0, 0};
  JoinUnits(layout);
  layout.num_units = 1;
  int64_t stride = layout.unit_bytes;
  for (int k = 0; k < layout.rank; ++k) {
    layout.strides[k] = stride;
    stride *= layout.axes[k].size;
    layout.num_units *= layout.axes[k].padded();
  }
  return layout;
}

void MirrorUnits(const MirrorLayout& layout, const void* input, void* output, int64_t begin, int64_t end) {
  const char* in = static_cast<const char*>(input);
  char* out = static_cast<char*>(output);
  if (begin == end) return;
  if (WorthStreaming(layout.num_units * layout.unit_bytes, layout.num_units / layout.axes[0].padded())) {
    Write<StreamingWriter>(layout, in, out, begin, end);
  } else {
    Write<PlainWriter>(layout, in, out, begin, end);
  }
}

}  // namespace pad

// SPDX-License-Identifier: Apache-2.0
#include "border_kernel.h"

namespace pad {
namespace {

// Iterates over the rows of the output, and gives the row of the input that each one shows.
class Rows {
 public:
  Rows(const BorderLayout& layout, int64_t row) : layout_(layout) {
    for (int k = 1; k < layout.rank; row /= layout.axes[k].padded(), ++k) Turn(k, row % layout.axes[k].padded());
  }
  bool IsBorder() const { return num_outside_ > 0; }
  // Requires: !IsBorder().
  int64_t offset() const { return offset_; }
  // How many rows follow each other in the input as in the output, from this one on. Requires: !IsBorder().
  int64_t count() const {
    if (layout_.rank < 2) return 1;
    const Axis& axis = layout_.axes[1];
    return index_[1] < axis.before ? 1 : std::max<int64_t>(axis.before + axis.size - index_[1], 1);
  }
  // Requires: n <= count().
  void Advance(int64_t n) { AdvanceAxis(1, n); }
  // Leaves the border of the outermost axis that is in one, and returns the number of its rows that were left.
  // Requires: IsBorder().
  int64_t SkipBorder() {
    int k = layout_.rank - 1;
    while (sources_[k] >= 0) --k;
    int64_t rows = 1, passed = 0;  // of one index of axis k
    for (int inner = 1; inner < k; ++inner) {
      passed += index_[inner] * rows;
      rows *= layout_.axes[inner].padded();
      Turn(inner, 0);
    }
    const Axis& axis = layout_.axes[k];
    const int64_t n = (index_[k] < axis.before ? axis.before : axis.padded()) - index_[k];
    AdvanceAxis(k, n);
    return n * rows - passed;
  }

 private:
  // By at most as much as leads to the end of axis k.
  void AdvanceAxis(int k, int64_t n) {
    for (; k < layout_.rank; n = 1, ++k) {
      if (index_[k] + n < layout_.axes[k].padded()) return Turn(k, index_[k] + n);
      Turn(k, 0);
    }
  }
  void Turn(int k, int64_t index) {
    const int64_t source = SourceOf(layout_.axes[k], layout_.border, index);
    num_outside_ += (source < 0 ? 1 : 0) - (sources_[k] < 0 ? 1 : 0);
    offset_ += (source - sources_[k]) * layout_.strides[k];
    sources_[k] = source;
    index_[k] = index;
  }

  const BorderLayout& layout_;
  int64_t index_[kMaxRank] = {};
  int64_t sources_[kMaxRank] = {};
  int num_outside_ = 0;
  int64_t offset_ = 0;
};

// Writes units of the output one after the other. Constant borders that follow each other are written as one gap.
template <typename Writer>
class Output {
 public:
  Output(const BorderLayout& layout, const Fill& fill, char* out) : layout_(layout), fill_(fill), writer_(out) {}

  // The units [begin, end) of an output row that shows the input row at `in`.
  void PutRow(const char* in, int64_t begin, int64_t end) {
    const Axis& axis = layout_.axes[0];
    const int64_t run_begin = std::clamp(axis.before, begin, end);
    const int64_t run_end = std::clamp(axis.before + axis.size, begin, end);
    PutBorder(in, begin, run_begin);
    PutRun(in, run_begin, run_end);
    PutBorder(in, run_end, end);
  }
  // Whole rows that follow each other in the input too.
  void PutRows(const char* in, int64_t count) {
    const Axis axis = layout_.axes[0];
    const int64_t run_bytes = axis.size * layout_.unit_bytes;
    const int64_t before_bytes = axis.before * layout_.unit_bytes, after_bytes = axis.after * layout_.unit_bytes;
    if (layout_.border == Border::kConstant) {
      int64_t gap = gap_;
      for (; count > 0; --count, in += run_bytes) {
        writer_.PutGap(fill_, gap + before_bytes);
        writer_.PutRun(in, run_bytes);
        gap = after_bytes;
      }
      gap_ = gap;
      return;
    }
    for (; count > 0; --count, in += run_bytes) {
      PutBorder(in, 0, axis.before);
      writer_.PutRun(in, run_bytes);
      PutBorder(in, axis.before + axis.size, axis.padded());
    }
  }
  void AddToGap(int64_t units) { gap_ += units * layout_.unit_bytes; }
  void PutGap() {
    if (gap_ > 0) writer_.PutGap(fill_, gap_);
    gap_ = 0;
  }

 private:
  void PutRun(const char* in, int64_t begin, int64_t end) {
    if (begin == end) return;
    PutGap();
    writer_.PutRun(in + (begin - layout_.axes[0].before) * layout_.unit_bytes, (end - begin) * layout_.unit_bytes);
  }
  void PutBorder(const char* in, int64_t begin, int64_t end) {
    if (begin == end) return;
    if (layout_.border == Border::kConstant) return AddToGap(end - begin);
    PutReversed(in + SourceOf(layout_.axes[0], layout_.border, end - 1) * layout_.unit_bytes, end - begin);
  }
  // Long units one by one, short ones reversed in a buffer before the writer.
  void PutReversed(const char* in, int64_t count) {
    constexpr int64_t kStage = 1024;
    const int64_t unit_bytes = layout_.unit_bytes, at_once = kStage / unit_bytes;
    if (count == 1 || at_once < 4) {
      for (int64_t i = count - 1; i >= 0; --i) writer_.PutRun(in + i * unit_bytes, unit_bytes);
      return;
    }
    char stage[kStage];
    while (count > 0) {
      const int64_t part = std::min(count, at_once);
      count -= part;
      ReverseUnits(in + count * unit_bytes, part, unit_bytes, stage);
      writer_.PutRun(stage, part * unit_bytes);
    }
  }

  const BorderLayout& layout_;
  const Fill& fill_;
  Writer writer_;
  int64_t gap_ = 0;  // bytes of border that are not written yet
};

template <typename Writer>
void Write(const BorderLayout& layout, const Fill& fill, const char* in, char* out, int64_t begin, int64_t end) {
  const int64_t row_units = layout.axes[0].padded();
  Output<Writer> output(layout, fill, out + begin * layout.unit_bytes);
  Rows rows(layout, begin / row_units);
  int64_t at = begin % row_units;
  while (begin < end) {
    if (rows.IsBorder()) {
      const int64_t units = std::min(end - begin, rows.SkipBorder() * row_units - at);
      output.AddToGap(units);
      begin += units;
      at = 0;
      continue;
    }
    const int64_t whole_rows = at == 0 ? std::min(rows.count(), (end - begin) / row_units) : 0;
    const int64_t units = whole_rows > 0 ? whole_rows * row_units : std::min(end - begin, row_units - at);
    if (whole_rows > 0) {
      output.PutRows(in + rows.offset(), whole_rows);
    } else {
      output.PutRow(in + rows.offset(), at, at + units);
    }
    begin += units;
    at = 0;
    rows.Advance(std::max<int64_t>(whole_rows, 1));
  }
  output.PutGap();
}

// Neighboring axes without borders become one axis, and axes of size 1 without borders are dropped.
void AddAxis(BorderLayout& layout, const Axis& axis) {
  if (!axis.HasBorder() && axis.size == 1) return;
  Axis* inner = layout.rank == 0 ? nullptr : &layout.axes[layout.rank - 1];
  if (inner != nullptr && !inner->HasBorder() && !axis.HasBorder()) {
    inner->size *= axis.size;
  } else {
    layout.axes[layout.rank++] = axis;
  }
}

// Everything inside of the innermost border becomes one unit, unless it is large, since it is never reversed.
void JoinUnits(BorderLayout& layout) {
  constexpr int64_t kLargestUnit = 64 << 10;
  const Axis& inner = layout.axes[0];
  if (layout.rank < 2 || inner.HasBorder() || layout.unit_bytes * inner.size > kLargestUnit) return;
  layout.unit_bytes *= layout.axes[0].size;
  std::copy(layout.axes + 1, layout.axes + layout.rank, layout.axes);
  --layout.rank;
}

}  // namespace

BorderLayout MakeLayout(const Axis* axes, int rank, int64_t element_size, Border border) {
  BorderLayout layout;
  layout.border = border;
  layout.unit_bytes = element_size;
  layout.num_units = 1;
  for (int i = rank - 1; i >= 0; --i) AddAxis(layout, axes[i]);
  if (layout.rank == 0) layout.axes[layout.rank++] = {1, 0, 0};
  JoinUnits(layout);
  int64_t stride = layout.unit_bytes;
  for (int k = 0; k < layout.rank; ++k) {
    layout.strides[k] = stride;
    stride *= layout.axes[k].size;
    layout.num_units *= layout.axes[k].padded();
  }
  const int64_t bytes = layout.num_units * layout.unit_bytes;
  layout.streams = bytes > 0 && WorthStreaming(bytes, layout.num_units / layout.axes[0].padded());
  return layout;
}

void WriteUnits(const BorderLayout& layout, const Fill& fill, const void* input, void* output, int64_t begin,
                int64_t end) {
  const char* in = static_cast<const char*>(input);
  char* out = static_cast<char*>(output);
  if (begin == end || layout.unit_bytes == 0) return;
  if (layout.streams) {
    Write<StreamingWriter>(layout, fill, in, out, begin, end);
  } else {
    Write<PlainWriter>(layout, fill, in, out, begin, end);
  }
}

}  // namespace pad

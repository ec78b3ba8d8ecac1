// SPDX-License-Identifier: Apache-2.0
#include "pad_kernel.h"

namespace pad {
namespace {

// Axes with a border, the innermost first. The first one counts the bytes of a run, and its border is in bytes.
struct CollapsedAxes {
  int rank = 0;
  Axis axes[kMaxRank];

  void Add(const Axis& axis, int64_t unit) { axes[rank++] = {axis.size * unit, axis.before * unit, axis.after * unit}; }
};

// An axis without border is merged into the next outer one, since its indices are contiguous in the output too.
CollapsedAxes Collapse(const Axis* axes, int rank, int64_t element_size) {
  CollapsedAxes collapsed;
  int64_t unit = element_size;
  for (int i = rank - 1; i >= 0; --i) {
    if (axes[i].HasBorder()) {
      collapsed.Add(axes[i], unit);
      unit = 1;
    } else {
      unit *= axes[i].size;
    }
  }
  if (unit != 1 || collapsed.rank == 0) collapsed.Add({1, 0, 0}, unit);
  return collapsed;
}

bool IsEmpty(const Axis* axes, int rank) {
  return std::any_of(axes, axes + rank, [](const Axis& axis) { return axis.size == 0; });
}

Layout LayoutOfBorderOnly(const Axis* axes, int rank, int64_t element_size) {
  Layout layout;
  layout.output_bytes = element_size;
  for (int i = 0; i < rank; ++i) layout.output_bytes *= axes[i].padded();
  layout.first_gap = layout.output_bytes;
  return layout;
}

// A position: a run, its index along each outer axis, and a byte of the run or of the gap after it.
struct Place {
  int64_t run = 0;
  int64_t index[kMaxRank] = {};
  int64_t offset = 0;
};

// The position of byte `at`, counted from the first run. Everything after the last index of an axis is part of its gap.
Place Seek(const Layout& layout, int64_t at) {
  Place place;
  for (int k = layout.outer_rank - 1; k >= 0; --k) {
    place.index[k] = std::min(at / layout.strides[k], layout.counts[k] - 1);
    at -= place.index[k] * layout.strides[k];
    place.run = place.run * layout.counts[k] + place.index[k];
  }
  place.offset = at;
  return place;
}

// The gap after the run at `index`; advances to the next run.
int64_t NextGap(const Layout& layout, int64_t* index) {
  int turned = 0;
  while (turned < layout.outer_rank && ++index[turned] == layout.counts[turned]) index[turned++] = 0;
  return layout.gaps[turned];
}

// A writer that stops after `left` bytes.
template <typename Writer>
class Part {
 public:
  Part(char* out, const Fill& fill, int64_t left) : writer_(out), fill_(fill), left_(left) {}

  bool IsDone() const { return left_ == 0; }
  void PutRun(const char* in, int64_t bytes) { writer_.PutRun(in, Take(bytes)); }
  void PutGap(int64_t bytes) { writer_.PutGap(fill_, Take(bytes)); }

 private:
  int64_t Take(int64_t bytes) {
    bytes = std::min(bytes, left_);
    left_ -= bytes;
    return bytes;
  }

  Writer writer_;
  const Fill& fill_;
  int64_t left_;
};

template <typename Writer>
void Write(const Layout& layout, const Fill& fill, const char* in, char* out, int64_t begin, int64_t end) {
  Part<Writer> part(out + begin, fill, end - begin);
  part.PutGap(std::max<int64_t>(layout.first_gap - begin, 0));
  if (part.IsDone()) return;

  Place place = Seek(layout, std::max<int64_t>(begin - layout.first_gap, 0));
  in += place.run * layout.run_bytes;
  const int64_t skipped = std::min(place.offset, layout.run_bytes);
  part.PutRun(in + skipped, layout.run_bytes - skipped);
  part.PutGap(NextGap(layout, place.index) - (place.offset - skipped));
  while (!part.IsDone()) {
    in += layout.run_bytes;
    part.PutRun(in, layout.run_bytes);
    part.PutGap(NextGap(layout, place.index));
  }
}

}  // namespace

Layout MakeLayout(const Axis* axes, int rank, int64_t element_size) {
  if (IsEmpty(axes, rank)) return LayoutOfBorderOnly(axes, rank, element_size);
  const CollapsedAxes inner = Collapse(axes, rank, element_size);
  Layout layout;
  layout.run_bytes = inner.axes[0].size;
  layout.output_bytes = inner.axes[0].padded();
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
    layout.output_bytes *= axis.padded();
  }
  layout.first_gap = first;
  layout.gaps[layout.outer_rank] = last;
  return layout;
}

void PadBytes(const Layout& layout, const Fill& fill, const void* input, void* output, int64_t begin, int64_t end) {
  const char* in = static_cast<const char*>(input);
  char* out = static_cast<char*>(output);
  if (begin == end) return;
  if (WorthStreaming(layout.output_bytes, layout.num_runs)) {
    Write<StreamingWriter>(layout, fill, in, out, begin, end);
  } else {
    Write<PlainWriter>(layout, fill, in, out, begin, end);
  }
}

}  // namespace pad

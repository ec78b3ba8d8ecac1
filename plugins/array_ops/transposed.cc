// plugins/array_ops/transposed.cc: see transposed.h.
// SPDX-License-Identifier: Apache-2.0
#include "transposed.h"

#include <algorithm>

#include "elements.h"

namespace array_ops {

using namespace opsrun;

namespace {

constexpr int64 kSide = 16;    // of a square
constexpr int64 kStrip = 128;  // rows of the output that one thread writes at a time

// The view as matrices to transpose: `adjacent` counts elements that are adjacent in the array, `inner` those that are
// adjacent in the output; `outer` are the other dimensions, with their strides in both.
struct Layout {
  ViewDim adjacent, inner;
  int64 adjacent_out = 0;
  std::vector<ViewDim> outer;
  std::vector<int64> outer_out;
  int64 num_outer = 1;
};

bool MakeLayout(const View& view, Layout* layout) {
  layout->inner = view.dims.back();
  if (layout->inner.stride == 0 || layout->inner.stride == 1 || layout->inner.stride == -1) return false;
  bool found = false;
  int64 out = layout->inner.size;
  for (size_t i = view.dims.size() - 1; i-- > 0;) {
    const ViewDim dim = view.dims[i];
    if (dim.stride == 1 && dim.size >= 4) {
      found = true;
      layout->adjacent = dim;
      layout->adjacent_out = out;
    } else {
      layout->outer.push_back(dim);
      layout->outer_out.push_back(out);
      layout->num_outer *= dim.size;
    }
    out *= dim.size;
  }
  return found;
}

// to[r * to_stride + c] = from[r + c * from_stride] for r < rows, c < columns.
template <typename E>
void Transpose(const E* from, int64 from_stride, E* to, int64 to_stride, int64 rows, int64 columns) {
  for (int64 c = 0; c < columns; c += kSide) {
    const int64 width = std::min(kSide, columns - c);
    for (int64 r = 0; r < rows; r += kSide) {
      const int64 height = std::min(kSide, rows - r);
      for (int64 i = 0; i < height; ++i) {
        const E* in = from + r + i + c * from_stride;
        E* out = to + (r + i) * to_stride + c;
        for (int64 j = 0; j < width; ++j) out[j] = in[j * from_stride];
      }
    }
  }
}

}  // namespace

bool CopyTransposed(OpKernelContext* context, const View& view, const Tensor& array, Tensor* dense) {
  Layout l;
  if (!MakeLayout(view, &l)) return false;
  const int64 strips = (l.adjacent.size - 1) / kStrip + 1;
  VisitElement(array.dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    const E* from = ElementsOf<E>(array) + view.offset;
    E* to = ElementsOf<E>(dense);
    const int64 bytes = std::min(kStrip, l.adjacent.size) * l.inner.size * kMovedBytes<E>;
    ForIndices(context, l.num_outer * strips, bytes, [&](int64 begin, int64 end) {
      for (; begin < end; ++begin) {
        int64 rest = begin / strips, in = 0, out = 0;
        for (size_t i = 0; i < l.outer.size(); ++i) {
          const int64 index = rest % l.outer[i].size;
          rest /= l.outer[i].size;
          in += index * l.outer[i].stride;
          out += index * l.outer_out[i];
        }
        const int64 first = begin % strips * kStrip, rows = std::min(kStrip, l.adjacent.size - first);
        Transpose(from + in + first, l.inner.stride, to + out + first * l.adjacent_out, l.adjacent_out, rows,
                  l.inner.size);
      }
    });
  });
  return true;
}

}  // namespace array_ops

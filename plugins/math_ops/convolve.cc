// plugins/math_ops/convolve.cc: Conv2D.
//
// The values under a window are a few runs in memory, one for each row of taps, so windows are multiplied with the
// weights where they are. Those that reach into the padding have fewer taps.
// SPDX-License-Identifier: Apache-2.0
#include "conv_windows.h"

namespace math_ops {
namespace {

// The filters in panels, which are read one after another.
template <typename R>
class Panels {
 public:
  Panels(const Kernels& kernels, const MatrixView<R>& weights, int64 patch, int64 filters)
      : weights_(weights),
        patch_(patch),
        filters_(filters),
        width_(kernels.panel_bytes / static_cast<int64>(sizeof(R))),
        in_place_(CanBeInPlace(kernels)) {}

  int64 count() const { return (filters_ - 1) / width_ + 1; }
  int64 width() const { return width_; }
  // The number of values in the copy of a panel; 0 if the panels are read where they are.
  int64 copy() const { return in_place_ ? 0 : patch_ * width_; }

  // Writes the copy of a panel, of copy() values.
  void Copy(int64 panel, R* out) const {
    for (int64 i = 0; i < patch_ && !in_place_; ++i) {
      const R* const row = weights_.At(i, panel * width_).data;
      out = std::fill_n(std::copy_n(row, columns(panel), out), width_ - columns(panel), R{0});
    }
  }
  // Sets the panel's weights. copy: of this panel.
  void Show(int64 panel, const R* copy, WindowProducts<R>* products) const {
    products->weights = in_place_ ? weights_.At(0, panel * width_).data : copy;
    products->weights_stride = in_place_ ? weights_.stride : width_;
    products->columns = columns(panel);
  }

 private:
  int64 columns(int64 panel) const { return std::min(width_, filters_ - panel * width_); }

  // Small filters stay in the cache although a panel's rows are apart.
  bool CanBeInPlace(const Kernels& kernels) const {
    constexpr int64 kFewBytes = 1 << 16;
    const int64 row_bytes = filters_ * static_cast<int64>(sizeof(R));
    return row_bytes % kernels.vector_bytes == 0 && patch_ * row_bytes <= kFewBytes;
  }

  const MatrixView<R> weights_;
  const int64 patch_, filters_, width_;
  const bool in_place_;
};

// Units of work: some rows of windows, with all panels, unless that makes too few units for the threads. Sums do not
// depend on them. Their pixels fit the cache.
struct Units {
  int64 rows, panels, down, across;

  template <typename T>
  Units(const Conv<T>& c, const Panels<Real<T>>& all, int64 threads) : panels(all.count()) {
    constexpr int64 kFewestColumns = 256, kValues = 1 << 15, kFewestProducts = 1 << 20;
    const int64 enough = threads == 1 ? 1 : 4 * threads;
    const WindowAxis &y = c.images.y, &x = c.images.x;
    const int64 values = c.images.channels * std::min(y.stride, y.size) * std::min(x.stride, x.size);
    const int64 all_rows = c.images.batch * y.windows, fit = std::max<int64>(kValues / values / x.windows, 1);
    const int64 fewest = (kFewestProducts - 1) / (x.windows * c.patch() * c.filters) + 1;
    rows = std::clamp<int64>(all_rows / enough, std::min(fewest, all_rows), std::max(fewest, fit));
    rows = std::min(rows, all_rows);
    down = (all_rows - 1) / rows + 1;
    if (down < enough) panels = std::min(panels, std::max<int64>(1, kFewestColumns / all.width()));
    across = (all.count() - 1) / panels + 1;
  }
};

struct ConvolveLoops {
  template <typename T>
  static Status Run(OpKernelContext* context, const Convolution& convolution, const void* in, const void* filter,
                    void* out) {
    typedef Real<T> R;
    Conv<T> c;
    TF_RETURN_IF_ERROR(c.Init(convolution));
    Workspace workspace(context);
    RealMatrices<T> weights;
    TF_RETURN_IF_ERROR(ReadMatrix(context, workspace, c.patch(), c.filters, filter, &weights));
    const WindowSegments segments(c.images);
    const Panels<R> panels(*c.kernels, weights[0], c.patch(), c.filters);
    const Units units(c, panels, NumThreads(context));
    // With one unit down, each panel is read by one unit, which copies it into the cache of its processor.
    const bool copied = units.down > 1;
    const AlignedArray<R> copies(copied ? panels.count() * panels.copy() : 0);
    if (copied && panels.copy() > 0) {
      ForUnits(context, panels.count(), panels.copy(),
               [&](int64 i) { panels.Copy(i, copies.data() + i * panels.copy()); });
    }
    const auto multiply = std::get<AddWindowProducts<R>>(c.kernels->window_products);
    const int64 columns = std::min(c.filters, units.panels * panels.width());
    const int64 nanoseconds = Nanoseconds(units.rows * c.images.x.windows, c.patch(), columns);
    Shard(context, units.down * units.across, nanoseconds, [&](int64 first, int64 last) {
      Windows<T> windows(c.images, segments);
      const AlignedArray<R> copy(copied ? 0 : panels.copy());
      const auto wide = NewArray<R>(kIsReal<T> ? 0 : units.rows * c.images.x.windows * panels.width());
      for (int64 i = first; i < last && !context->IsCancelled(); ++i) {
        const int64 begin = i / units.across * units.rows, panel = i % units.across * units.panels;
        const int64 end = std::min(begin + units.rows, c.images.batch * c.images.y.windows);
        T* const to = static_cast<T*>(out) + begin * c.images.x.windows * c.filters;
        R* const sums = kIsReal<T> ? reinterpret_cast<R*>(to) : wide.get();
        windows.Show(static_cast<const T*>(in), begin, end, sums, kIsReal<T> ? c.filters : panels.width());
        for (int64 j = panel; j < std::min(panel + units.panels, panels.count()); ++j) {
          WindowProducts<R> products{};
          if (!copied) panels.Copy(j, copy.data());
          panels.Show(j, copied ? copies.data() + j * panels.copy() : copy.data(), &products);
          products.column = kIsReal<T> ? j * panels.width() : 0;
          if (kIsReal<T>) {
            products.after = {static_cast<const R*>(c.after.bias), static_cast<const R*>(c.after.added),
                              static_cast<const R*>(out), c.after.relu != 0};
          }
          windows.Multiply(multiply, products);
          for (int64 k = 0; !kIsReal<T> && k < (end - begin) * c.images.x.windows; ++k) {
            RoundAll(wide.get() + k * panels.width(), products.columns, to + k * c.filters + j * panels.width());
          }
        }
      }
    });
    return WhetherComplete(context);
  }
};

}  // namespace

ConvLoop CpuConvolveLoop(DataType type) {
  return LoopFor<ConvolveLoops>(type, ConvTypes());
}

}  // namespace math_ops

// plugins/math_ops/convolve.cc: Conv2D.
//
// The values under a window are a few runs in memory, one for each row of taps, so windows are multiplied with the
// weights where they are. Parts of images that need padding or a conversion are copied with their padding first.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "conv_patches.h"

namespace math_ops {
namespace {

// The number of pixels from the first one of n windows to the last one.
int64 SpanOf(const WindowAxis& axis, int64 n) {
  return (n - 1) * axis.stride + (axis.taps - 1) * axis.dilation + 1;
}

bool NeedsPadding(const WindowAxis& axis) {
  return axis.before > 0 || SpanOf(axis, axis.windows) > axis.size;
}

// How the values of windows are accessed. kPatches: copied one by one, where padding would take more memory, as with
// large dilations.
enum class Access { kInPlace, kPadded, kPatches };

template <typename T>
Access AccessOf(const Conv<T>& c) {
  const ImageWindows& images = c.images;
  if (kIsReal<T> && !NeedsPadding(images.y) && !NeedsPadding(images.x)) return Access::kInPlace;
  const double padded = static_cast<double>(SpanOf(images.y, images.y.windows)) *
                        static_cast<double>(SpanOf(images.x, images.x.windows)) * static_cast<double>(images.channels);
  const double patches = static_cast<double>(images.windows()) * static_cast<double>(c.patch());
  return padded <= patches ? Access::kPadded : Access::kPatches;
}

// The windows of a part of the images: of the rows [begin, end) of windows, counted through all images.
template <typename T>
class Windows {
 public:
  typedef Real<T> R;

  Windows(const Conv<T>& c, Access access) : c_(c), images_(c.images), access_(access) {
    const WindowAxis& x = images_.x;
    row_ = access == Access::kInPlace ? images_.row_values() : SpanOf(x, x.windows) * images_.channels;
    products_.run_length = x.dilation == 1 ? x.taps * images_.channels : images_.channels;
    if (access == Access::kPatches) products_.run_length = c.patch();
    for (int64 tap = 0; tap < c.patch() / products_.run_length; ++tap) {
      const int64 across = x.dilation == 1 ? 1 : x.taps;
      runs_.push_back(tap / across * images_.y.dilation * row_ + tap % across * x.dilation * images_.channels);
    }
    products_.runs = runs_.data();
    products_.n_runs = static_cast<int64>(runs_.size());
  }
  Windows(const Windows&) = delete;

  void Show(const T* in, int64 begin, int64 end) {
    windows_.resize(static_cast<size_t>((end - begin) * images_.x.windows));
    if (access_ == Access::kPatches) {
      ShowPatches(in, begin, end);
    } else {
      ShowRows(in, begin, end);
    }
    products_.windows = windows_.data();
    products_.n = static_cast<int64>(windows_.size());
  }

  const WindowProducts<R>& products() const { return products_; }

 private:
  // Whether there are more of them than before, so that nothing is in the memory.
  bool Reserve(int64 values) {
    if (values <= reserved_) return false;
    memory_ = AlignedArray<R>(values);
    reserved_ = values;
    return true;
  }

  void ShowPatches(const T* in, int64 begin, int64 end) {
    const int64 first = begin * images_.x.windows, n = (end - begin) * images_.x.windows;
    static_cast<void>(Reserve(n * c_.patch()));
    CopyPatches(images_, in, first, first + n, memory_.data());
    for (int64 i = 0; i < n; ++i) windows_[static_cast<size_t>(i)] = memory_.data() + i * c_.patch();
  }

  void ShowRows(const T* in, int64 begin, int64 end) {
    const int64 rows = images_.y.windows;
    if (access_ == Access::kPadded && Reserve(PaddedValues(begin, end))) FillPaddingOfRows();
    R* memory = memory_.data();
    const R** windows = windows_.data();
    for (int64 last; begin < end; begin = last) {  // for each image
      last = std::min(end, (begin / rows + 1) * rows);
      const T* const image = in + begin / rows * images_.image_values();
      const int64 y = begin % rows;
      const R* first = reinterpret_cast<const R*>(image) + y * images_.y.stride * row_;
      if (access_ == Access::kPadded) {
        first = memory;
        for (int64 i = 0; i < SpanOf(images_.y, last - begin); ++i, memory += row_) {
          CopyRow(image, y * images_.y.stride - images_.y.before + i, memory);
        }
      }
      windows = AddWindows(first, last - begin, windows);
    }
  }

  int64 PaddedValues(int64 begin, int64 end) const {
    const int64 rows = images_.y.windows;
    if (begin / rows == (end - 1) / rows) return SpanOf(images_.y, end - begin) * row_;
    return ((end - 1) / rows - begin / rows + 1) * SpanOf(images_.y, rows) * row_;
  }

  // The values of a row before its pixels, and those of its pixels.
  int64 Left() const { return std::min(images_.x.before * images_.channels, row_); }
  int64 Inside() const { return std::min(images_.row_values(), row_ - Left()); }

  // Later, only pixels are overwritten. The padding at the end of a row, and at the beginning of the next one, are one
  // piece.
  void FillPaddingOfRows() {
    std::fill_n(memory_.data(), Left(), R{0});
    for (int64 i = Left() + Inside(); i < reserved_; i += row_) {
      std::fill_n(memory_.data() + i, std::min(row_ - Inside(), reserved_ - i), R{0});
    }
  }

  // Copies a row of pixels, which may be outside of the image, between its padding.
  void CopyRow(const T* image, int64 y, R* out) const {
    if (y < 0 || y >= images_.y.size) return void(std::fill_n(out + Left(), Inside(), R{0}));
    CopyAs(image + y * images_.row_values(), Inside(), out + Left());
  }

  const R** AddWindows(const R* first, int64 rows, const R** windows) const {
    const int64 step = images_.x.stride * images_.channels;
    for (int64 y = 0; y < rows; ++y, first += images_.y.stride * row_) {
      for (int64 x = 0; x < images_.x.windows; ++x) *windows++ = first + x * step;
    }
    return windows;
  }

  const Conv<T>& c_;
  const ImageWindows& images_;
  const Access access_;
  int64 row_;  // values from one row of pixels to the next
  std::vector<int64_t> runs_;
  std::vector<const R*> windows_;
  AlignedArray<R> memory_{0};
  int64 reserved_ = 0;
  WindowProducts<R> products_{};
};

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
// depend on them. Units of one image copy the rows between them twice, so they are as large as the cache allows.
struct Units {
  int64 rows, panels, down, across;

  template <typename T>
  Units(const Conv<T>& c, Access access, const Panels<Real<T>>& all, int64 threads) : panels(all.count()) {
    constexpr int64 kFewestColumns = 256, kValues = 1 << 15, kFewest = 64;
    const int64 enough = threads == 1 ? 1 : 8 * threads;
    const WindowAxis &y = c.images.y, &x = c.images.x;
    const int64 values = access == Access::kPatches
                             ? c.patch()
                             : c.images.channels * std::min(y.stride, y.size) * std::min(x.stride, x.size);
    const int64 all_rows = c.images.batch * y.windows, fit = std::max<int64>(kValues / values / x.windows, 1);
    const int64 fewest = (kFewest - 1) / x.windows + 1;
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
    const Access access = AccessOf(c);
    const Panels<R> panels(*c.kernels, weights[0], c.patch(), c.filters);
    const Units units(c, access, panels, NumThreads(context));
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
      Windows<T> windows(c, access);
      const AlignedArray<R> copy(copied ? 0 : panels.copy());
      const auto wide = NewArray<R>(kIsReal<T> ? 0 : units.rows * c.images.x.windows * panels.width());
      for (int64 i = first; i < last && !context->IsCancelled(); ++i) {
        const int64 begin = i / units.across * units.rows, panel = i % units.across * units.panels;
        windows.Show(static_cast<const T*>(in), begin,
                     std::min(begin + units.rows, c.images.batch * c.images.y.windows));
        WindowProducts<R> products = windows.products();
        for (int64 j = panel; j < std::min(panel + units.panels, panels.count()); ++j) {
          T* const to = static_cast<T*>(out) + begin * c.images.x.windows * c.filters + j * panels.width();
          if (!copied) panels.Copy(j, copy.data());
          panels.Show(j, copied ? copies.data() + j * panels.copy() : copy.data(), &products);
          products.out = kIsReal<T> ? reinterpret_cast<R*>(to) : wide.get();
          products.out_stride = kIsReal<T> ? c.filters : panels.width();
          multiply(products);
          for (int64 k = 0; !kIsReal<T> && k < products.n; ++k) {
            RoundAll(wide.get() + k * panels.width(), products.columns, to + k * c.filters);
          }
        }
      }
    });
    return Status::OK();
  }
};

}  // namespace

ConvLoop CpuConvolveLoop(DataType type) {
  return LoopFor<ConvolveLoops>(type, ConvTypes());
}

}  // namespace math_ops

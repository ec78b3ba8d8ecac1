// plugins/math_ops/conv2d.cc
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "images.h"
#include "matmul.h"

namespace math_ops {

// Copies patches of images to rows of a matrix, and back.
//
// A patch is the pixels under one window, [taps of y, taps of x, channels]; pixels outside of the image are zero.

template <typename T>
void CopyAs(const T* in, int64 n, Real<T>* out) {
  for (int64 i = 0; i < n; ++i) out[i] = static_cast<Real<T>>(in[i]);
}

// Part of a row of a window: the pixels [first, end), their position in the image, and in the patch.
struct TapRun {
  int64 in_image, in_patch, taps;
};

// Calls run(TapRun) for the parts of the patch of window (y, x) that are inside the image.
template <typename Fn>
void ForTapRuns(const ImageWindows& images, int64 y, int64 x, const Fn& run) {
  const int64 first = images.x.FirstTap(x), end = images.x.EndTap(x);
  if (first == end) return;
  const bool dense = images.x.dilation == 1;
  for (int64 tap = images.y.FirstTap(y); tap < images.y.EndTap(y); ++tap) {
    const int64 row = images.y.Pixel(y, tap) * images.x.size;
    for (int64 i = first; i < end; i += dense ? end - first : 1) {
      run(TapRun{(row + images.x.Pixel(x, i)) * images.channels, (tap * images.x.taps + i) * images.channels,
                 dense ? end - first : 1});
    }
  }
}

inline bool IsInside(const ImageWindows& images, int64 y, int64 x) {
  return images.y.FirstTap(y) == 0 && images.y.EndTap(y) == images.y.taps && images.x.FirstTap(x) == 0 &&
         images.x.EndTap(x) == images.x.taps;
}

// Copies the patches of the windows [begin, end), counted through all images.
template <typename T>
void CopyPatches(const ImageWindows& images, const T* in, int64 begin, int64 end, Real<T>* patches) {
  const int64 patch = images.y.taps * images.x.taps * images.channels;
  for (int64 i = begin; i < end; ++i, patches += patch) {
    const T* const image = in + i / images.windows() * images.image_values();
    const int64 y = i % images.windows() / images.x.windows, x = i % images.x.windows;
    if (!IsInside(images, y, x)) std::fill_n(patches, patch, Real<T>{0});
    ForTapRuns(images, y, x, [&](const TapRun& run) {
      CopyAs(image + run.in_image, run.taps * images.channels, patches + run.in_patch);
    });
  }
}

// Adds the patches of the windows [begin, end) to the pixels of a part of the images, which begins at `out`.
template <typename R>
void AddPatches(const ImageWindows& images, const R* patches, int64 begin, int64 end, const ImagePart& part, R* out) {
  const int64 patch = images.y.taps * images.x.taps * images.channels;
  const int64 first = part.begin_row * images.row_values(), last = part.end_row * images.row_values();
  for (int64 i = begin; i < end; ++i, patches += patch) {
    R* const image = out + (i / images.windows() - part.begin) * images.image_values() - first;
    ForTapRuns(images, i % images.windows() / images.x.windows, i % images.x.windows, [&](const TapRun& run) {
      if (run.in_image < first || run.in_image >= last) return;
      for (int64 j = 0; j < run.taps * images.channels; ++j) image[run.in_image + j] += patches[run.in_patch + j];
    });
  }
}

// The approximate time of a product.
inline int64 Nanoseconds(int64 rows, int64 depth, int64 columns) {
  constexpr double kProductsPerNanosecond = 20;
  const double products = static_cast<double>(rows) * static_cast<double>(depth) * static_cast<double>(columns);
  return static_cast<int64>(std::min(products / kProductsPerNanosecond, 1e15)) + 1;
}

template <typename R>
std::unique_ptr<R[]> NewArray(int64 n) {
  return std::unique_ptr<R[]>(new R[static_cast<size_t>(n)]);
}

template <typename T>
void RoundAll(const Real<T>* wide, int64 n, T* out) {
  for (int64 i = 0; i < n; ++i) out[i] = static_cast<T>(wide[i]);
}

// Calls fn(i) for i in [0, units), on the host's threads.
template <typename Fn>
void ForUnits(OpKernelContext* context, int64 units, int64 nanoseconds, const Fn& fn) {
  Shard(context, units, nanoseconds, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end && !context->IsCancelled(); ++i) fn(i);
  });
}

// A matrix with the given rows, in the memory of a tensor.
template <typename T>
Status ReadMatrix(OpKernelContext* context, Workspace& workspace, int64 rows, int64 columns, const void* data,
                  RealMatrices<T>* matrix) {
  return matrix->Read(context, workspace, {1, rows, columns}, Side::kLeft, static_cast<const T*>(data));
}

// A convolution of images of T. Windows are counted through all images.
template <typename T>
struct Conv : Convolution {
  typedef Real<T> R;
  Multiply<R> multiply = nullptr;

  Status Init(const Convolution& convolution) {
    static_cast<Convolution&>(*this) = convolution;
    const Kernels* kernels = nullptr;
    TF_RETURN_IF_ERROR(FindKernels(&kernels));
    multiply = std::get<Multiply<R>>(kernels->multiply);
    return Status::OK();
  }

  int64 windows() const { return images.batch * images.windows(); }

  // The number of windows whose patches are copied at a time: enough for a fast product, about 1 MiB of patches.
  int64 WindowsAtOnce() const {
    constexpr int64 kValues = 1 << 18, kFewest = 256, kMost = 2048;
    return std::min(std::clamp(kValues / patch(), kFewest, kMost), windows());
  }

  // Whether a patch is a pixel of the images, so that copies are not needed.
  bool IsPointwise() const { return kIsReal<T> && images.y.IsIdentity() && images.x.IsIdentity(); }

  // The patches of the windows [begin, end), one per row; copied to `memory` if necessary.
  MatrixView<R> Patches(const T* in, int64 begin, int64 end, R* memory) const {
    if constexpr (kIsReal<T>) {
      if (IsPointwise()) return {reinterpret_cast<const R*>(in) + begin * patch(), patch(), false};
    }
    CopyPatches(images, in, begin, end, memory);
    return {memory, patch(), false};
  }
  std::unique_ptr<R[]> NewPatches() const { return NewArray<R>(IsPointwise() ? 0 : WindowsAtOnce() * patch()); }
};

namespace {

// Blocks of the output. A block has all filters, unless that makes too few blocks for the threads.
struct OutputBlocks {
  int64 rows, columns, down, across;

  template <typename T>
  explicit OutputBlocks(const Conv<T>& c) : rows(c.WindowsAtOnce()), columns(c.filters) {
    constexpr int64 kEnough = 16, kFewestColumns = 256;
    down = (c.windows() - 1) / rows + 1;
    if (down < kEnough) columns = std::min(columns, kFewestColumns);
    across = (c.filters - 1) / columns + 1;
  }
};

struct ConvolveLoops {
  template <typename T>
  static Status Run(OpKernelContext* context, const Convolution& convolution, const void* in, const void* filter,
                    void* out) {
    Conv<T> c;
    TF_RETURN_IF_ERROR(c.Init(convolution));
    Workspace workspace(context);
    RealMatrices<T> weights;
    TF_RETURN_IF_ERROR(ReadMatrix(context, workspace, c.patch(), c.filters, filter, &weights));
    const OutputBlocks blocks(c);
    ForUnits(context, blocks.down * blocks.across, Nanoseconds(blocks.rows, c.patch(), blocks.columns), [&](int64 i) {
      const int64 begin = i / blocks.across * blocks.rows, end = std::min(begin + blocks.rows, c.windows());
      const int64 column = i % blocks.across * blocks.columns, width = std::min(blocks.columns, c.filters - column);
      const auto memory = c.NewPatches();
      const auto patches = c.Patches(static_cast<const T*>(in), begin, end, memory.get());
      T* const to = static_cast<T*>(out) + begin * c.filters + column;
      if constexpr (kIsReal<T>) {
        Real<T>* const same = reinterpret_cast<Real<T>*>(to);
        c.multiply({end - begin, c.patch(), width, patches, weights[0].At(0, column), same, c.filters});
      } else {
        const auto wide = NewArray<Real<T>>((end - begin) * width);
        c.multiply({end - begin, c.patch(), width, patches, weights[0].At(0, column), wide.get(), width});
        for (int64 row = 0; row < end - begin; ++row) RoundAll(wide.get() + row * width, width, to + row * c.filters);
      }
    });
    return Status::OK();
  }
};

Status CheckImages(const TensorShape& shape, const char* name) {
  if (shape.dims() == 4) return Status::OK();
  return errors::InvalidArgument(name, " must have 4 dimensions, but it is ", shape.DebugString());
}

}  // namespace

bool AreGroups(int64 of_images, int64 of_filter) {
  return of_filter > 0 && of_images > of_filter && of_images % of_filter == 0;
}

Status WrongChannels(int64 of_images, int64 of_filter) {
  return errors::InvalidArgument(
      "the images have ", of_images, " channels (dimension 3), but the filter is for ", of_filter, " (dimension 2)",
      AreGroups(of_images, of_filter)
          ? "; there are no convolutions of groups of channels: split images and filters, convolve the parts, "
            "and join them with ConcatV2"
          : "");
}

Status MakeConvolution(const ImageAttrs& attrs, const TensorShape& images, const TensorShape& filter,
                       Convolution* convolution) {
  TF_RETURN_IF_ERROR(CheckImages(images, "the shape of images"));
  TF_RETURN_IF_ERROR(CheckImages(filter, "the shape of a filter"));
  if (images.dim_size(3) != filter.dim_size(2)) {
    return WrongChannels(images.dim_size(3), filter.dim_size(2));
  }
  ImageWindows& windows = convolution->images;
  windows.batch = images.dim_size(0);
  windows.channels = images.dim_size(3);
  convolution->filters = filter.dim_size(3);
  TF_RETURN_IF_ERROR(MakeWindowAxis(attrs, 0, images.dim_size(1), filter.dim_size(0), &windows.y));
  return MakeWindowAxis(attrs, 1, images.dim_size(2), filter.dim_size(1), &windows.x);
}

// The gradients of convolutions.

namespace {

// Writes the gradient of one part of the images to `out`.
template <typename T>
void ConvolveBackToPart(const Conv<T>& c, const MatrixView<Real<T>>& weights, const MatrixView<Real<T>>& gradient,
                        const ImagePart& part, Real<T>* out) {
  std::fill_n(out, part.Values(c.images), Real<T>{0});
  const MatrixView<Real<T>> transposed = {weights.data, weights.stride, true};
  const auto patches = NewArray<Real<T>>(c.WindowsAtOnce() * c.patch());
  const int64 last = part.EndWindow(c.images);
  for (int64 begin = part.FirstWindow(c.images); begin < last; begin += c.WindowsAtOnce()) {
    const int64 end = std::min(begin + c.WindowsAtOnce(), last);
    c.multiply({end - begin, c.filters, c.patch(), gradient.At(begin, 0), transposed, patches.get(), c.patch()});
    AddPatches(c.images, patches.get(), begin, end, part, out);
  }
}

struct ConvolveBackToImagesLoops {
  template <typename T>
  static Status Run(OpKernelContext* context, const Convolution& convolution, const void* filter, const void* gradient,
                    void* out) {
    Conv<T> c;
    TF_RETURN_IF_ERROR(c.Init(convolution));
    Workspace workspace(context);
    RealMatrices<T> weights, rows;
    TF_RETURN_IF_ERROR(ReadMatrix(context, workspace, c.patch(), c.filters, filter, &weights));
    TF_RETURN_IF_ERROR(ReadMatrix(context, workspace, c.windows(), c.filters, gradient, &rows));
    const ImageParts parts(c.images);
    const int64 windows_of_part = c.windows() / parts.count + 1;
    ForUnits(context, parts.count, Nanoseconds(windows_of_part, c.patch(), c.filters), [&](int64 i) {
      const ImagePart part(c.images, parts, i);
      T* const to = static_cast<T*>(out) + part.FirstValue(c.images);
      if constexpr (kIsReal<T>) {
        ConvolveBackToPart(c, weights[0], rows[0], part, reinterpret_cast<Real<T>*>(to));
      } else {
        const auto wide = NewArray<Real<T>>(part.Values(c.images));
        ConvolveBackToPart(c, weights[0], rows[0], part, wide.get());
        RoundAll(wide.get(), part.Values(c.images), to);
      }
    });
    return Status::OK();
  }
};

// Chunks of windows; each contributes a sum of the filter's size.
struct Chunks {
  int64 windows, count;

  template <typename T>
  explicit Chunks(const Conv<T>& c) {
    constexpr int64 kMost = 16, kValues = 1 << 24, kFewestWindows = 512;
    const int64 most = std::clamp<int64>(kValues / (c.patch() * c.filters), 1, kMost);
    count = std::clamp<int64>(c.windows() / kFewestWindows, 1, most);
    windows = (c.windows() + count - 1) / count;
  }
};

// sum = the contribution of the windows [begin, last) to the gradient of the filter.
template <typename T>
void SumChunk(const Conv<T>& c, const T* in, const MatrixView<Real<T>>& gradient, int64 begin, int64 last,
              Real<T>* sum) {
  const auto memory = c.NewPatches();
  std::fill_n(sum, c.patch() * c.filters, Real<T>{0});
  for (; begin < last; begin += c.WindowsAtOnce()) {
    const int64 end = std::min(begin + c.WindowsAtOnce(), last);
    MatrixView<Real<T>> patches = c.Patches(in, begin, end, memory.get());
    patches.transposed = true;
    c.multiply({c.patch(), end - begin, c.filters, patches, gradient.At(begin, 0), sum, c.filters, true});
  }
}

struct ConvolveBackToFilterLoops {
  template <typename T>
  static Status Run(OpKernelContext* context, const Convolution& convolution, const void* in, const void* gradient,
                    void* out) {
    Conv<T> c;
    TF_RETURN_IF_ERROR(c.Init(convolution));
    Workspace workspace(context);
    RealMatrices<T> rows;
    TF_RETURN_IF_ERROR(ReadMatrix(context, workspace, c.windows(), c.filters, gradient, &rows));
    const Chunks chunks(c);
    const int64 size = c.patch() * c.filters;
    const auto sums = NewArray<Real<T>>(chunks.count * size);
    ForUnits(context, chunks.count, Nanoseconds(chunks.windows, c.patch(), c.filters), [&](int64 i) {
      const int64 begin = std::min(i * chunks.windows, c.windows());
      SumChunk(c, static_cast<const T*>(in), rows[0], begin, std::min(begin + chunks.windows, c.windows()),
               sums.get() + i * size);
    });
    ForElements(context, size, 200 * chunks.count, [&](int64 begin, int64 end) {
      for (int64 i = 1; i < chunks.count; ++i) {
        for (int64 j = begin; j < end; ++j) sums[static_cast<size_t>(j)] += sums[static_cast<size_t>(i * size + j)];
      }
      RoundAll(sums.get() + begin, end - begin, static_cast<T*>(out) + begin);
    });
    return Status::OK();
  }
};

}  // namespace

ConvLoop CpuConvLoop(ConvTask task, DataType type) {
  return task == ConvTask::kConvolve       ? LoopFor<ConvolveLoops>(type, ConvTypes())
         : task == ConvTask::kBackToImages ? LoopFor<ConvolveBackToImagesLoops>(type, ConvTypes())
                                           : LoopFor<ConvolveBackToFilterLoops>(type, ConvTypes());
}

}  // namespace math_ops

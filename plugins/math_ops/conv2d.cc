// plugins/math_ops/conv2d.cc
// SPDX-License-Identifier: Apache-2.0
#include "conv_patches.h"

namespace math_ops {

namespace {

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
    return WhetherComplete(context);
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
    return WhetherComplete(context);
  }
};

}  // namespace

ConvLoop CpuConvLoop(ConvTask task, DataType type) {
  return task == ConvTask::kConvolve       ? CpuConvolveLoop(type)
         : task == ConvTask::kBackToImages ? LoopFor<ConvolveBackToImagesLoops>(type, ConvTypes())
                                           : LoopFor<ConvolveBackToFilterLoops>(type, ConvTypes());
}

}  // namespace math_ops

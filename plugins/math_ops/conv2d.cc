// plugins/math_ops/conv2d.cc: see conv2d.h.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d.h"

#include "conv2d_blocks.h"

namespace math_ops {

using namespace opsrun;

namespace {

// Blocks of the convolved images: of all their filters, unless that makes too few blocks for many threads.
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

template <typename T>
Status Convolve(OpKernelContext* context, const Convolution& convolution, const void* in, const void* filter,
                void* out) {
  Conv<T> c;
  TF_RETURN_IF_ERROR(c.Init(convolution));
  RealMatrices<T> weights;
  TF_RETURN_IF_ERROR(ReadMatrix(context, c.patch(), c.filters, filter, &weights));
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

struct ConvolveLoops {
  template <typename T>
  static ConvLoop For() {
    return &Convolve<T>;
  }
};

Status CheckImages(const TensorShape& shape, const char* name) {
  if (shape.dims() == 4) return Status::OK();
  return errors::InvalidArgument(name, " must have 4 dimensions, but it is ", shape.DebugString());
}

}  // namespace

ConvLoop ConvolveLoop(DataType type) {
  return LoopFor<ConvolveLoops>(type, ConvTypes());
}

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

}  // namespace math_ops

// plugins/math_ops/prod_ops.cu.cc: the gradients of products on a GPU.
//
// One thread computes all derivatives of a product, in the CPU's order: a product of a part of the factors could
// overflow although the whole one does not.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "prod_ops.h"

#include "gpu_elementwise.cu.h"
#include "gpu_segments.cu.h"
#include "reduce.h"

namespace math_ops {
namespace {

// Element i of product p is at kept(p) + reduced(i).
template <typename State, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    DeriveProducts(int64 n, int64 count, GpuPlaces<1> kept, GpuPlaces<1> reduced, Products<T> products, State* states) {
  for (int64 p : GpuGridRangeX(n)) {
    int64 base[1];
    kept.Find(p, base);
    const auto at = [&](int64 i) {
      int64 offset[1];
      reduced.Find(i, offset);
      return base[0] + offset[0];
    };
    DeriveProduct<State>(products, count, at, [&](int64 i) -> State& { return states[i * n + p]; });
  }
}

// The thread of a segment's first row, and of a column, computes the derivatives of the segment in this column.
template <typename State, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    DeriveSegments(int64 n, int64 width, const GpuKeyedRow* sorted, Products<T> products, State* states) {
  for (int64 i : GpuGridRangeX(n * width)) {
    const int64 first = i / width, column = i % width, id = sorted[first].key;
    const auto at = [&](int64 k) { return sorted[first + k].row * width + column; };
    if (id < 0) products.out[at(0)] = static_cast<T>(Wide<T>(0));
    if (id < 0 || (first > 0 && sorted[first - 1].key == id)) continue;
    const int64 count = GpuFirstNotBelow</*kAbove=*/true>(sorted, first, n, id) - first;
    DeriveProduct<State>(products, count, at, [&](int64 k) -> State& { return states[i + k * width]; });
  }
}

struct ProdGradientLaunch {
  GpuPlaces<1> kept, reduced;

  // Requires: there are elements.
  ProdGradientLaunch(const TensorShape& shape, const bool* axes) {
    const Layout layout(shape, axes);
    const int64 one = 1;
    for (int d = 0; d < layout.kept.rank; ++d) kept.AddInside(layout.kept.sizes[d], &layout.kept.strides[d]);
    kept.AddInside(layout.width, &one);
    for (int d = 0; d < layout.reduced.rank; ++d)
      reduced.AddInside(layout.reduced.sizes[d], &layout.reduced.strides[d]);
    reduced.AddInside(layout.line, &layout.line_stride);
  }

  template <typename State, typename T>
  Status operator()(OpKernelContext* context, const Products<T>& products, State* states) const {
    return GpuLaunchKernel(DeriveProducts<State, T>, GpuBlocks(kept.count()), kGpuThreads, 0, GetGpuStream(context),
                           kept.count(), reduced.count(), kept, reduced, products, states);
  }
};

struct SegmentProdGradientLaunch {
  int64 rows, width;
  const GpuKeyedRow* sorted;

  template <typename State, typename T>
  Status operator()(OpKernelContext* context, const Products<T>& products, State* states) const {
    return GpuLaunchKernel(DeriveSegments<State, T>, GpuBlocks(rows * width), kGpuThreads, 0, GetGpuStream(context),
                           rows, width, sorted, products, states);
  }
};

// Calls a launch for the type, with memory for a state of each element.
template <typename Launch>
struct GpuProductLoops {
  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const Launch& launch, Tensor* output) {
    typedef GpuType<OnCpu> T;
    const Products<T> products(context, output);
    return products.weights == nullptr ? Derive<Multiplied<Wide<T>>>(context, launch, products, output->NumElements())
                                       : Derive<Weighted<Wide<T>>>(context, launch, products, output->NumElements());
  }

 private:
  template <typename State, typename T>
  static Status Derive(OpKernelContext* context, const Launch& launch, const Products<T>& products, int64 n) {
    Tensor memory;
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({n * int64{sizeof(State)}}), &memory));
    return launch(context, products, static_cast<State*>(memory.data()));
  }
};

template <typename Kernel, typename Launch>
class WithGpuLoop : public Kernel {
 public:
  explicit WithGpuLoop(OpKernelConstruction* context)
      : Kernel(context), loop_(LoopFor<GpuProductLoops<Launch>>(context->input_type(0), FloatsAndComplexes())) {}

 protected:
  Status (*const loop_)(OpKernelContext*, const Launch&, Tensor*);
};

class ProdGradientOp : public WithGpuLoop<ProdGradientKernel, ProdGradientLaunch> {
 public:
  using WithGpuLoop::WithGpuLoop;

 protected:
  Status Run(OpKernelContext* context, const bool* reduced, Tensor* output) const override {
    return loop_(context, {output->shape(), reduced}, output);
  }
};

class SegmentProdGradientOp : public WithGpuLoop<SegmentProdGradientKernel, SegmentProdGradientLaunch> {
 public:
  using WithGpuLoop::WithGpuLoop;

 protected:
  Status Run(OpKernelContext* context, const Tensor& ids, Tensor* output) const override {
    Tensor one, other;
    const GpuKeyedRow* sorted = nullptr;
    TF_RETURN_IF_ERROR(SortRows(context, ids, /*sorted=*/false, &one, &other, &sorted));
    return loop_(context, {ids.NumElements(), output->NumElements() / ids.NumElements(), sorted}, output);
  }
};

#define REGISTER_PROD_GRADIENT(name) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).HostMemory("reduction_indices").Capturable(), ProdGradientOp)
REGISTER_PROD_GRADIENT("ProdOfOthers")
REGISTER_PROD_GRADIENT("ProdOfOthersGrad")
REGISTER_KERNEL_BUILDER(Name("SegmentProdOfOthers").Device(DEVICE_GPU).Capturable(), SegmentProdGradientOp)
REGISTER_KERNEL_BUILDER(Name("SegmentProdOfOthersGrad").Device(DEVICE_GPU).Capturable(), SegmentProdGradientOp)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA

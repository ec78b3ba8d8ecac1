// plugins/median_pool/median_pool_op.cc: MedianPool, the median of each window of an image.
// SPDX-License-Identifier: Apache-2.0
#include "medians.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/shard.h"
#include "opsrun/trace.h"
#include "windows.h"

OPSRUN_PLUGIN("median_pool", "0.1.0");

namespace median_pool {
namespace {

using namespace opsrun;

// [op]
REGISTER_OP("MedianPool")
    .Attr("T: {float, uint8}")
    .Attr("ksize: list(int) >= 2")
    .Attr("strides: list(int) >= 2 = [1, 1]")
    .Attr("padding: {'SAME', 'VALID'} = 'SAME'")
    .Input("input: T")
    .Output("output: T")
    .SetShapeFn(MedianPoolShape)
    .Gradient(R"yaml(
nodes:
  dinput:
    op: MedianPoolGrad
    in: [input, grad.output]
    attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}}
outputs: {input: dinput}
)yaml")
    .Doc(R"doc(
Slides a window over an image and gives the median of each.

With strides of 1 it takes specks out of a picture and keeps its edges. A median is always one of the values of its
window, the lower one of the two in the middle if their number is even. A window with a NaN has the median NaN. Each
channel of each image is filtered by itself.

input: One image, [height, width] or [height, width, channels], or several, [batch, height, width, channels].
output: The medians, in the same layout.
ksize: The window's size, [height, width].
strides: How far apart windows begin, [height, width].
padding: SAME: as many windows as strides fit into the image; those at the border are cut, and what lies outside does
  not count. VALID: only windows that lie inside.
)doc");
// [/op]

template <typename T>
constexpr int64_t kLargestNetwork = sizeof(T) == 1 ? Medians::kLargestByteNetwork : Medians::kLargestFloatNetwork;

template <typename T>
class MedianPoolOp : public OpKernel {
 public:
  explicit MedianPoolOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetWindowAttrs(context, &attrs_));
    medians_ = Medians(attrs_.size[0], attrs_.size[1], attrs_.same, kLargestNetwork<T>);
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Images images;
    OP_REQUIRES_OK(context, WindowsOn(input.shape(), attrs_, &images));
    TensorShape shape = input.shape();
    const int height = shape.dims() == 4 ? 1 : 0;
    shape.set_dim(height, images.y.windows);
    shape.set_dim(height + 1, images.x.windows);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) Run(context, images, input.flat<T>().data(), output->flat<T>().data());
  }

 private:
  void Run(OpKernelContext* context, const Images& images, const T* in, T* out) const {
    const int64 rows = images.output_rows(), at_once = medians_.rows_at_once();
    const int64 nanoseconds_a_median = attrs_.size[0] * attrs_.size[1] / 2 + 1;
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    Shard(workers.num_threads, workers.workers, (rows - 1) / at_once + 1,
          at_once * images.output_row_values() * nanoseconds_a_median, [&](int64 begin, int64 end) {
            const TraceSpan span(context, "rows");
            medians_.Compute(images, in, out, begin * at_once, std::min(end * at_once, rows));
          });
  }

  WindowAttrs attrs_;
  Medians medians_;
};

REGISTER_KERNEL_BUILDER(Name("MedianPool").Device(DEVICE_CPU).TypeConstraint<float>("T"), MedianPoolOp<float>);
REGISTER_KERNEL_BUILDER(Name("MedianPool").Device(DEVICE_CPU).TypeConstraint<uint8>("T"), MedianPoolOp<uint8>);

}  // namespace
}  // namespace median_pool

// plugins/median_pool/median_pool_op.cc: MedianPool, the median of each window of an image.
// SPDX-License-Identifier: Apache-2.0
#include "median_pool_kernel.h"
#include "medians.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/shard.h"
#include "opsrun/trace.h"

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
class CpuFinder {
 public:
  CpuFinder() = default;
  explicit CpuFinder(const WindowAttrs& attrs)
      : medians_(attrs.size[0], attrs.size[1], attrs.same, kLargestNetwork<T>),
        nanoseconds_a_median_(attrs.size[0] * attrs.size[1] / 2 + 1) {}

  Status Run(OpKernelContext* context, const Images& images, const T* in, T* out) const {
    const int64 rows = images.output_rows(), at_once = medians_.rows_at_once();
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    Shard(workers.num_threads, workers.workers, (rows - 1) / at_once + 1,
          at_once * images.output_row_values() * nanoseconds_a_median_, [&](int64 begin, int64 end) {
            const TraceSpan span(context, "rows");
            medians_.Compute(images, in, out, begin * at_once, std::min(end * at_once, rows));
          });
    return Status::OK();
  }

 private:
  Medians medians_;
  int64 nanoseconds_a_median_ = 1;
};

typedef MedianPoolOp<float, CpuFinder<float>> MedianPoolOfFloats;
typedef MedianPoolOp<uint8, CpuFinder<uint8>> MedianPoolOfBytes;
REGISTER_KERNEL_BUILDER(Name("MedianPool").Device(DEVICE_CPU).TypeConstraint<float>("T"), MedianPoolOfFloats);
REGISTER_KERNEL_BUILDER(Name("MedianPool").Device(DEVICE_CPU).TypeConstraint<uint8>("T"), MedianPoolOfBytes);

}  // namespace
}  // namespace median_pool

// plugins/median_pool/median_pool_op.cc: MedianPool, MedianPoolGrad and MedianPoolGradGrad.
// SPDX-License-Identifier: Apache-2.0
#include "medians.h"
#include "opsrun/check_shapes.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/shard.h"
#include "opsrun/trace.h"
#include "windows.h"

OPSRUN_PLUGIN("median_pool", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Medians of windows");

namespace median_pool {
namespace {

using namespace shape_inference;

constexpr const char* kSideNames[2] = {"height", "width"};
// More than the rows of any image; products of two such numbers fit int64.
constexpr int64 kLargest = int64{1} << 30;

Status ReadPair(const char* name, const std::vector<int64>& given, int64* pair) {
  const std::string subject = std::string("attr:") + name;
  if (given.size() != 2) {
    return errors::InvalidArgument(name, " must be two numbers, [height, width], but there are ", given.size())
        .Blame(subject);
  }
  for (int i = 0; i < 2; ++i) {
    pair[i] = given[static_cast<size_t>(i)];
    if (pair[i] >= 1 && pair[i] <= kLargest) continue;
    return errors::InvalidArgument("the ", kSideNames[i], " of ", name, " must be between 1 and ", kLargest,
                                   ", but is ", pair[i])
        .Blame(subject);
  }
  return Status::OK();
}

// The dimension of the height; the width's is the next one.
int HeightDim(int rank) {
  return rank == 4 ? 1 : 0;
}

Status CheckRank(int rank, const std::string& shape) {
  if (rank >= 2 && rank <= 4) return Status::OK();
  return errors::InvalidArgument(
             "input must have 2 dimensions (height, width), 3 (with channels) or 4 (with a batch before), but its "
             "shape is ",
             shape)
      .Blame("input:input");
}

Status CheckSide(int64 size, const WindowAttrs& attrs, int side) {
  if (attrs.same || size >= attrs.size[side]) return Status::OK();
  return errors::InvalidArgument("a window of ", kSideNames[side], " ", attrs.size[side],
                                 " does not fit into an input of ", kSideNames[side], " ", size,
                                 "; padding SAME cuts windows at the border")
      .Blame("attr:ksize");
}

Status PooledDim(InferenceContext* c, DimensionHandle size, const WindowAttrs& attrs, int side, DimensionHandle* out) {
  if (attrs.same && attrs.stride[side] == 1) {
    *out = size;
    return Status::OK();
  }
  if (!c->ValueKnown(size)) {
    *out = c->UnknownDim();
    return Status::OK();
  }
  TF_RETURN_IF_ERROR(CheckSide(c->Value(size), attrs, side));
  *out = c->MakeDim(MakeAxis(c->Value(size), attrs.size[side], attrs.stride[side], attrs.same).windows);
  return Status::OK();
}

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

template <typename T>
constexpr int64_t kLargestNetwork = sizeof(T) == 1 ? Medians::kLargestByteNetwork : Medians::kLargestFloatNetwork;

template <typename T>
class CpuFinder {
 public:
  explicit CpuFinder(const WindowAttrs& attrs)
      : medians_(attrs.size[0], attrs.size[1], attrs.same, kLargestNetwork<T>),
        nanoseconds_a_median_(NumbersToRead(attrs) / 2 + 1) {}

  Status Run(OpKernelContext* context, const Images& images, const T* in, T* out) const {
    const int64 rows = images.output_rows(), at_once = medians_.rows_at_once();
    Shard(context, (rows - 1) / at_once + 1, at_once * images.output_row_values() * nanoseconds_a_median_,
          [&](int64 begin, int64 end) {
            const TraceSpan span(context, "rows");
            medians_.Compute(images, in, out, begin * at_once, std::min(end * at_once, rows));
          });
    return Status::OK();
  }

 private:
  Medians medians_;
  int64 nanoseconds_a_median_;
};

#define CPU_KERNEL(T) Name("MedianPool").Device(DEVICE_CPU).TypeConstraint<T>("T")
REGISTER_KERNEL_BUILDER(CPU_KERNEL(float), MedianPoolOp<float, CpuFinder<float>>);
REGISTER_KERNEL_BUILDER(CPU_KERNEL(uint8), MedianPoolOp<uint8, CpuFinder<uint8>>);

struct CpuGrads {
  // On one thread: the medians of overlapping windows may be the same element.
  static Status Add(OpKernelContext*, const Images& images, const WindowAttrs&, const float* in, const float* grad,
                    Tensor* output) {
    float* const to = output->flat<float>().data();
    std::fill(to, to + output->NumElements(), 0.0F);
    ForMedians(images, in, 0, images.output_rows(), [&](int64 place, int64 window) { to[place] += grad[window]; });
    return Status::OK();
  }

  static Status Take(OpKernelContext* context, const Images& images, const WindowAttrs& attrs, const float* in,
                     const float* grad, Tensor* output) {
    float* const to = output->flat<float>().data();
    const int64 nanoseconds = images.output_row_values() * NumbersToRead(attrs) * 4;
    Shard(context, images.output_rows(), nanoseconds, [&](int64 begin, int64 end) {
      ForMedians(images, in, begin, end, [&](int64 place, int64 window) { to[window] = grad[place]; });
    });
    return Status::OK();
  }
};

Status GradShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(MedianPoolShape(c));
  TF_RETURN_IF_ERROR(CheckShape(c, 1, "grad", c->output(0)));
  c->set_output(0, c->input(0));
  return Status::OK();
}

Status GradGradShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckShape(c, 1, "grad", c->input(0), "input"));
  return MedianPoolShape(c);
}

#define MEDIAN_GRAD_ARGUMENTS                      \
  Attr("ksize: list(int) >= 2")                    \
      .Attr("strides: list(int) >= 2 = [1, 1]")    \
      .Attr("padding: {'SAME', 'VALID'} = 'SAME'") \
      .Input("input: float")                       \
      .Input("grad: float")                        \
      .Output("output: float")

REGISTER_OP("MedianPoolGrad")
    .MEDIAN_GRAD_ARGUMENTS.SetShapeFn(GradShape)
    .Gradient(R"yaml(
nodes:
  dgrad:
    op: MedianPoolGradGrad
    in: [input, grad.output]
    attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}}
  dinput: {op: ZerosLike, in: input}
outputs: {input: dinput, grad: dgrad}
)yaml")
    .Doc(R"doc(
Adds the gradient of each median to the value that is the median: the gradient of MedianPool.

Of several equal values, the first in row-major order of the window gets it. If a window has a NaN, its first NaN does.

input: The input of MedianPool.
grad: The gradient of the medians.
output: The gradient of the input.
ksize: As for MedianPool.
strides: As for MedianPool.
padding: As for MedianPool.
)doc");

REGISTER_OP("MedianPoolGradGrad")
    .MEDIAN_GRAD_ARGUMENTS.SetShapeFn(GradGradShape)
    .Gradient(R"yaml(
nodes:
  dgrad:
    op: MedianPoolGrad
    in: [input, grad.output]
    attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}}
  dinput: {op: ZerosLike, in: input}
outputs: {input: dinput, grad: dgrad}
)yaml")
    .Doc(R"doc(
Takes the element of grad at the place of each median: the gradient of MedianPoolGrad.

input: The input of MedianPool.
grad: A tensor of the shape of the input.
output: For each window, the element of grad where the median of the window stands in the input.
ksize: As for MedianPool.
strides: As for MedianPool.
padding: As for MedianPool.
)doc");

REGISTER_KERNEL_BUILDER(Name("MedianPoolGrad").Device(DEVICE_CPU), MedianGradOp<CpuGrads::Add, false>);
REGISTER_KERNEL_BUILDER(Name("MedianPoolGradGrad").Device(DEVICE_CPU), MedianGradOp<CpuGrads::Take, true>);

}  // namespace

Status MakeWindowAttrs(const std::vector<int64>& ksize, const std::vector<int64>& strides, const std::string& padding,
                       WindowAttrs* attrs) {
  WindowAttrs read;
  read.same = padding == "SAME";
  TF_RETURN_IF_ERROR(ReadPair("ksize", ksize, read.size));
  TF_RETURN_IF_ERROR(ReadPair("strides", strides, read.stride));
  *attrs = read;
  return Status::OK();
}

Status WindowsOn(const TensorShape& shape, const WindowAttrs& attrs, Images* images) {
  TF_RETURN_IF_ERROR(CheckRank(shape.dims(), shape.DebugString()));
  Axis axes[2];
  for (int side = 0; side < 2; ++side) {
    const int64 size = shape.dim_size(HeightDim(shape.dims()) + side);
    TF_RETURN_IF_ERROR(CheckSide(size, attrs, side));
    axes[side] = MakeAxis(size, attrs.size[side], attrs.stride[side], attrs.same);
  }
  *images = {shape.dims() == 4 ? shape.dim_size(0) : 1, shape.dims() > 2 ? shape.dim_size(shape.dims() - 1) : 1,
             axes[0], axes[1]};
  return Status::OK();
}

TensorShape PooledShape(const TensorShape& input, const Images& images) {
  TensorShape shape = input;
  const int height = HeightDim(shape.dims());
  shape.set_dim(height, images.y.windows);
  shape.set_dim(height + 1, images.x.windows);
  return shape;
}

Status MedianPoolShape(InferenceContext* c) {
  WindowAttrs attrs;
  TF_RETURN_IF_ERROR(GetWindowAttrs(c, &attrs));
  ShapeHandle shape = c->input(0);
  if (c->RankKnown(shape)) {
    TF_RETURN_IF_ERROR(CheckRank(c->Rank(shape), c->DebugString(shape)));
    for (int side = 0; side < 2; ++side) {
      const int dim = HeightDim(c->Rank(shape)) + side;
      DimensionHandle pooled;
      TF_RETURN_IF_ERROR(PooledDim(c, c->Dim(shape, dim), attrs, side, &pooled));
      TF_RETURN_IF_ERROR(c->ReplaceDim(shape, dim, pooled, &shape));
    }
  }
  c->set_output(0, c->RankKnown(shape) ? shape : c->UnknownShape());
  return Status::OK();
}

}  // namespace median_pool

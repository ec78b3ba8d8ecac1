// plugins/math_ops/reduce.cc
// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include <memory>
#include <string>

#include "opsrun/check_shapes.h"

namespace math_ops {

namespace {

// Divides the work into units of similar size: some of the results, from all or a part of their elements.
class Reducer {
 public:
  Reducer(const Layout& layout, const FoldLoops& loops, const Tensor& input, Tensor* output)
      : layout_(layout),
        loops_(loops),
        in_(static_cast<const char*>(input.data())),
        out_(static_cast<char*>(output->data())),
        in_size_(DataTypeSize(input.dtype())),
        out_size_(DataTypeSize(output->dtype())),
        depth_(layout.reduced.Count() * layout.line),
        row_(layout.width > 1 ? layout.width : layout.kept.Count()),
        chunk_(std::min(
            {kAccBytes / loops.acc_bytes, row_, layout.width > 1 ? row_ : std::max<int64>(kPiece / (depth_ + 1), 1)})),
        chunks_((row_ + chunk_ - 1) / chunk_),
        piece_(std::max<int64>(kPiece / chunk_, 1)),
        pieces_(std::max<int64>((depth_ + piece_ - 1) / piece_, 1)),
        groups_((layout.width > 1 ? layout.kept.Count() : 1) * chunks_) {}

  void Run(OpKernelContext* context) {
    if (pieces_ > 1) partial_.reset(new char[static_cast<size_t>(groups_ * pieces_ * ChunkBytes())]);
    const int64 unit = std::min(depth_, piece_) * chunk_;
    Shard(context, groups_ * pieces_, unit / 4 + 10, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) pieces_ == 1 ? Whole(i) : Part(i);
    });
    if (pieces_ == 1) return;
    Shard(context, groups_, pieces_ * chunk_ / 4 + 10, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) MergeParts(i);
    });
  }

 private:
  // The accumulators of a unit fit the L1 cache; its elements take long enough to be worth a thread. Lines of at most
  // kPiece elements are not split: reading the ends of many lines is slow.
  static constexpr int64 kAccBytes = 16 << 10, kPiece = 256 << 10;

  int64 ChunkBytes() const { return chunk_ * loops_.acc_bytes; }
  // A group is a chunk of a row of results.
  int64 FirstOf(int64 group) const { return group % chunks_ * chunk_; }
  int64 WidthOf(int64 group) const { return std::min(chunk_, row_ - FirstOf(group)); }

  void Whole(int64 group) const {
    alignas(64) char acc[kAccBytes];
    Fold(group, 0, depth_, acc);
    Finish(group, acc);
  }
  void Part(int64 unit) const {
    const int64 begin = unit % pieces_ * piece_;
    Fold(unit / pieces_, begin, std::min(begin + piece_, depth_), &partial_[unit * ChunkBytes()]);
  }
  // Merges pairwise, so that rounding errors grow with the logarithm of the number of parts.
  void MergeParts(int64 group) const {
    char* const parts = &partial_[group * pieces_ * ChunkBytes()];
    for (int64 step = 1; step < pieces_; step *= 2) {
      for (int64 i = 0; i + step < pieces_; i += 2 * step) {
        loops_.merge(parts + i * ChunkBytes(), parts + (i + step) * ChunkBytes(), WidthOf(group));
      }
    }
    Finish(group, parts);
  }
  void Finish(int64 group, const char* acc) const {
    const int64 at = group / chunks_ * row_ + FirstOf(group);
    loops_.finish(acc, out_ + at * out_size_, depth_, WidthOf(group));
  }

  // Folds the elements [begin, end) of each result of the group into acc.
  void Fold(int64 group, int64 begin, int64 end, char* acc) const {
    loops_.start(acc, WidthOf(group));
    while (begin < end) {
      const int64 at = begin % layout_.line, n = std::min(layout_.line - at, end - begin);
      const int64 offset = layout_.reduced.OffsetOf(begin / layout_.line) + at * layout_.line_stride;
      layout_.width > 1 ? FoldRows(group, offset, n, acc) : FoldLines(group, offset, n, acc);
      begin += n;
    }
  }
  void FoldRows(int64 group, int64 offset, int64 rows, char* acc) const {
    offset += layout_.kept.OffsetOf(group / chunks_) + FirstOf(group);
    loops_.fold_rows(acc, in_ + offset * in_size_, rows, layout_.line_stride, WidthOf(group));
  }
  void FoldLines(int64 group, int64 offset, int64 n, char* acc) const {
    const int64 first = FirstOf(group), width = WidthOf(group);
    for (int64 i = 0; i < width; ++i) {
      loops_.fold(acc + i * loops_.acc_bytes, in_ + (offset + layout_.kept.OffsetOf(first + i)) * in_size_, n);
    }
  }

  const Layout& layout_;
  const FoldLoops& loops_;
  const char* const in_;
  char* const out_;
  const int64 in_size_, out_size_;
  const int64 depth_, row_, chunk_, chunks_, piece_, pieces_, groups_;
  std::unique_ptr<char[]> partial_;
};

}  // namespace

void Reduce(OpKernelContext* context, const Tensor& input, const bool* reduced, const FoldLoops& loops,
            Tensor* output) {
  if (output->NumElements() == 0) return;
  const Layout layout(input.shape(), reduced);
  Reducer(layout, loops, input, output).Run(context);
}

template <typename Fold, typename Types>
const FoldLoops* FastestFold(DataType type) {
  return FastestLoop<FoldLoopsFor, Fold>(type, Types());
}
template const FoldLoops* FastestFold<SumFold, Numbers>(DataType type);
template const FoldLoops* FastestFold<MeanFold, Numbers>(DataType type);
template const FoldLoops* FastestFold<ProdFold, Numbers>(DataType type);
template const FoldLoops* FastestFold<NormFold, Numbers>(DataType type);
template const FoldLoops* FastestFold<HalfSquaresFold, Floats>(DataType type);
template const FoldLoops* FastestFold<MaxFold, RealNumbers>(DataType type);
template const FoldLoops* FastestFold<MinFold, RealNumbers>(DataType type);
template const FoldLoops* FastestFold<AllFold, TypeList<uint8_t>>(DataType type);
template const FoldLoops* FastestFold<AnyFold, TypeList<uint8_t>>(DataType type);

ReduceKernel::ReduceKernel(OpKernelConstruction* context, bool one_gives_itself)
    : OpKernel(context), one_gives_itself_(one_gives_itself) {
  OP_REQUIRES_OK(context, context->GetAttr("keep_dims", &keep_dims_));
}

void ReduceKernel::Compute(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  bool reduced[OPSRUN_MAX_RANK];
  OP_REQUIRES_OK(context, ReadAxes(context->input(1), input.dims(), reduced));
  const bool reduces = std::count(reduced, reduced + input.dims(), true) > 0;
  if (!reduces && one_gives_itself_) return context->set_output(0, input);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, ReducedShape(input.shape(), reduced, keep_dims_), &output));
  OP_REQUIRES_OK(context, Run(context, input, reduced, output));
}

Status ReadAxes(const Tensor& axes, int rank, bool* reduced) {
  std::fill(reduced, reduced + rank, false);
  if (axes.dims() > 1) {
    return errors::InvalidArgument("axes must be a scalar or a vector, but their shape is ", axes.shape().DebugString())
        .Blame("input:reduction_indices");
  }
  for (int64 i = 0; i < axes.NumElements(); ++i) {
    const int64 axis = axes.dtype() == DT_INT32 ? axes.flat<int32>()(i) : axes.flat<int64>()(i);
    if (axis < -rank || axis >= rank) {
      return errors::InvalidArgument("there is no axis ", axis, " in a tensor of rank ", rank)
          .Blame("input:reduction_indices");
    }
    bool* const found = &reduced[axis < 0 ? axis + rank : axis];
    if (*found) {
      return errors::InvalidArgument("axis ", axis, " is named twice; name each axis once")
          .Blame("input:reduction_indices");
    }
    *found = true;
  }
  return Status::OK();
}

Status ReadAxis(const Tensor& given, const char* input, int rank, int* axis) {
  TF_RETURN_IF_ERROR(CheckScalar(given.shape(), input));
  const int64 value = given.dtype() == DT_INT32 ? given.scalar<int32>()() : given.scalar<int64>()();
  if (value < -rank || value >= rank) {
    return errors::InvalidArgument("there is no ", input, " ", value, " in a tensor of rank ", rank)
        .Blame(std::string("input:") + input);
  }
  *axis = static_cast<int>(value < 0 ? value + rank : value);
  return Status::OK();
}

Status AxesShapeFn(shape_inference::InferenceContext* c) {
  const Tensor* axes = c->input_tensor(1);
  bool reduced[OPSRUN_MAX_RANK];
  if (axes != nullptr && c->RankKnown(c->input(0))) TF_RETURN_IF_ERROR(ReadAxes(*axes, c->Rank(c->input(0)), reduced));
  return shape_inference::ReductionShape(c);
}

TensorShape ReducedShape(const TensorShape& shape, const bool* reduced, bool keep_dims) {
  TensorShape kept;
  for (int i = 0; i < shape.dims(); ++i) {
    if (!reduced[i]) kept.AddDim(shape.dim_size(i));
    if (reduced[i] && keep_dims) kept.AddDim(1);
  }
  return kept;
}

// ReducedShape, which gradients of reductions use.

namespace {

using namespace shape_inference;

// A size of the output is known if the size in `shape` is.
Status ReducedShapeShape(InferenceContext* c) {
  ShapeHandle sizes, shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &sizes));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
  c->set_output(0, sizes);
  const Tensor* axes = c->input_tensor(1);
  if (!c->RankKnown(shape)) return Status::OK();
  std::vector<DimensionHandle> dims;
  bool reduced[OPSRUN_MAX_RANK];
  if (axes != nullptr) TF_RETURN_IF_ERROR(ReadAxes(*axes, c->Rank(shape), reduced));
  for (int i = 0; i < c->Rank(shape); ++i) {
    const DimensionHandle kept = axes == nullptr ? c->UnknownDim() : c->Dim(shape, i);
    dims.push_back(axes != nullptr && reduced[i] ? c->MakeDim(1) : kept);
  }
  c->set_output_tensor_as_shape(0, c->MakeShape(dims));
  return Status::OK();
}

template <typename T>
class ReducedShapeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& shape = context->input(0);
    OP_REQUIRES(context, shape.dims() == 1 && shape.NumElements() <= OPSRUN_MAX_RANK,
                errors::InvalidArgument("a shape is a vector of at most ", OPSRUN_MAX_RANK,
                                        " sizes, but this is a tensor of shape ", shape.shape().DebugString())
                    .Blame("input:shape"));
    bool reduced[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, ReadAxes(context->input(1), static_cast<int>(shape.NumElements()), reduced));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape.shape(), &output));
    auto sizes = output->vec<T>();
    for (int64 i = 0; i < shape.NumElements(); ++i) sizes(i) = reduced[i] ? 1 : shape.vec<T>()(i);
  }
};

REGISTER_OP("ReducedShape")
    .Input("shape: Tshape")
    .Input("reduction_indices: Tidx")
    .Output("output: Tshape")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(ReducedShapeShape)
    .NotDifferentiable()
    .Doc(R"doc(
Gives the shape that a reduction with keep_dims has: the sizes of its input, with 1 at the reduced axes.

shape: The sizes of a tensor.
reduction_indices: Axes of that tensor, a scalar or a vector. Negative ones count from the end.
output: The sizes, with ones at the axes.
)doc");

REGISTER_KERNEL_BUILDER(Name("ReducedShape").Device(DEVICE_CPU).TypeConstraint<int32>("Tshape"), ReducedShapeOp<int32>)
REGISTER_KERNEL_BUILDER(Name("ReducedShape").Device(DEVICE_CPU).TypeConstraint<int64>("Tshape"), ReducedShapeOp<int64>)

}  // namespace

}  // namespace math_ops

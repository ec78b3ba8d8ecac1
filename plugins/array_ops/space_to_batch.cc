// SPDX-License-Identifier: Apache-2.0
#include "space_to_batch.h"

#include "opsrun/op.h"

namespace array_ops {

using namespace shape_inference;

Status SpaceBlocks::Read(const Tensor& block_shape, const Tensor& borders, const char* name) {
  TF_RETURN_IF_ERROR(ReadVector(block_shape, "block_shape", &sizes));
  if (borders.dims() != 2 || borders.dim_size(1) != 2) return NotTwoColumns(name, borders.shape().DebugString());
  if (borders.dim_size(0) != block_shape.dim_size(0)) {
    return NotARowForEach(name, std::to_string(sizes.size()), std::to_string(borders.dim_size(0)));
  }
  const std::vector<int64> values = Integers(borders);
  for (size_t i = 0; i < sizes.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckBlock(i, sizes[i]));
    TF_RETURN_IF_ERROR(CheckBorder(name, i, values[2 * i], values[2 * i + 1]));
    before.push_back(values[2 * i]);
    after.push_back(values[2 * i + 1]);
    if (__builtin_mul_overflow(product, sizes[i], &product)) return TooManyBlocks();
  }
  return Status::OK();
}

Status FindSpaceToBatch(const TensorShape& input, const SpaceBlocks& blocks, TensorShape* space, TensorShape* output) {
  TF_RETURN_IF_ERROR(CheckRank(input.dims(), static_cast<int64>(blocks.sizes.size())));
  std::vector<int64> whole = input.dim_sizes(), batch = whole;
  if (__builtin_mul_overflow(batch[0], blocks.product, &batch[0])) return TooManyBlocks();
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    int64* const size = &whole[i + 1];
    if (__builtin_add_overflow(*size, blocks.before[i], size) || __builtin_add_overflow(*size, blocks.after[i], size)) {
      return TooLargePaddings(i);
    }
    TF_RETURN_IF_ERROR(CheckDivides(i, *size, blocks.sizes[i]));
    batch[i + 1] = *size / blocks.sizes[i];
  }
  TF_RETURN_IF_ERROR(TensorShapeUtils::MakeShape(whole, space).Blame("input:paddings"));
  return TensorShapeUtils::MakeShape(batch, output).Blame("input:paddings");
}

Status FindBatchToSpace(const TensorShape& input, const SpaceBlocks& blocks, TensorShape* space, TensorShape* output) {
  TF_RETURN_IF_ERROR(CheckRank(input.dims(), static_cast<int64>(blocks.sizes.size())));
  TF_RETURN_IF_ERROR(CheckBatch(input.dim_size(0), blocks.product));
  std::vector<int64> whole = input.dim_sizes();
  whole[0] /= blocks.product;
  std::vector<int64> cropped = whole;
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    if (__builtin_mul_overflow(whole[i + 1], blocks.sizes[i], &whole[i + 1])) return TooManyBlocks();
    TF_RETURN_IF_ERROR(CheckCrops(i, whole[i + 1], blocks.before[i], blocks.after[i]));
    cropped[i + 1] = whole[i + 1] - blocks.before[i] - blocks.after[i];
  }
  TF_RETURN_IF_ERROR(TensorShapeUtils::MakeShape(whole, space).Blame("input:block_shape"));
  return TensorShapeUtils::MakeShape(cropped, output).Blame("input:block_shape");
}

View InBatchOrder(const TensorShape& space, const SpaceBlocks& blocks) {
  const View whole = WholeView(space);
  View view, sizes;
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    const ViewDim& dim = whole.dims[i + 1];
    view.dims.push_back({blocks.sizes[i], dim.stride});
    sizes.dims.push_back({dim.size / blocks.sizes[i], dim.stride * blocks.sizes[i]});
  }
  view.dims.push_back(whole.dims[0]);
  view.dims.insert(view.dims.end(), sizes.dims.begin(), sizes.dims.end());
  view.dims.insert(view.dims.end(), whole.dims.begin() + 1 + static_cast<ptrdiff_t>(blocks.sizes.size()),
                   whole.dims.end());
  return view;
}

View InsideOfBorder(const TensorShape& space, const SpaceBlocks& blocks, const TensorShape& inside) {
  View view = WholeView(space);
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    ViewDim& dim = view.dims[i + 1];
    dim.size = inside.dim_size(static_cast<int>(i) + 1);
    view.offset += blocks.before[i] * dim.stride;
  }
  return view;
}

// SpaceToBatchND and BatchToSpaceND.

namespace {

constexpr int kInput = 0, kBlockShape = 1, kBorders = 2;

// What is known before the run, provided that the number of blocks is known.
struct KnownBlocks {
  std::vector<DimensionHandle> sizes;
  std::vector<KnownElement> borders;  // two for each block

  // Sets *is_known to whether the number of blocks and the rank of the input are known.
  Status Read(InferenceContext* c, const char* name, bool* is_known) {
    TF_RETURN_IF_ERROR(CheckShapes(c, name));
    const auto blocks = c->input_elements(kBlockShape), rows = c->input_elements(kBorders);
    const size_t count = blocks ? blocks->size() : rows ? rows->size() / 2 : 0;
    *is_known = (blocks || rows) && c->RankKnown(c->input(kInput));
    if (*is_known) TF_RETURN_IF_ERROR(CheckRank(c->Rank(c->input(kInput)), static_cast<int64>(count)));
    borders = rows && rows->size() == 2 * count ? *rows : std::vector<KnownElement>(2 * count);
    for (size_t i = 0; i < count; ++i) {
      if (blocks && (*blocks)[i].known()) TF_RETURN_IF_ERROR(CheckBlock(i, (*blocks)[i].value()));
      if (IsNegative(before(i)) || IsNegative(after(i)))
        return NegativeBorder(name, i, Text(before(i)), Text(after(i)));
      sizes.push_back(blocks ? c->SizeOf((*blocks)[i]) : c->UnknownDim());
    }
    return Status::OK();
  }
  const KnownElement& before(size_t i) const { return borders[2 * i]; }
  const KnownElement& after(size_t i) const { return borders[2 * i + 1]; }
  bool HasBorder(size_t i) const { return before(i).known() && after(i).known(); }

 private:
  static bool IsNegative(const KnownElement& border) { return border.known() && border.value() < 0; }
  static std::string Text(const KnownElement& border) { return border.known() ? std::to_string(border.value()) : "?"; }
  static Status CheckShapes(InferenceContext* c, const char* name) {
    const ShapeHandle blocks = c->input(kBlockShape), borders = c->input(kBorders);
    DimensionHandle merged;
    TF_RETURN_IF_ERROR(CheckVector(c, kBlockShape, "block_shape"));
    const bool is_matrix = !c->RankKnown(borders) || c->Rank(borders) == 2;
    if (!is_matrix || (c->RankKnown(borders) && !c->WithValue(c->Dim(borders, 1), 2, &merged).ok())) {
      return NotTwoColumns(name, c->DebugString(borders));
    }
    if (c->Merge(c->Dim(blocks, 0), c->Dim(borders, 0), &merged).ok()) return Status::OK();
    return NotARowForEach(name, c->DebugString(c->Dim(blocks, 0)), c->DebugString(c->Dim(borders, 0)));
  }
};

// The dimensions after the blocks are those of the input.
Status SetShape(InferenceContext* c, std::vector<DimensionHandle> dims) {
  const ShapeHandle input = c->input(kInput);
  for (int i = static_cast<int>(dims.size()); i < c->Rank(input); ++i) dims.push_back(c->Dim(input, i));
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status PadAndDivide(InferenceContext* c, const KnownBlocks& blocks, size_t i, DimensionHandle* dim) {
  const bool fits =
      c->Add(*dim, c->SizeOf(blocks.before(i)), dim).ok() && c->Add(*dim, c->SizeOf(blocks.after(i)), dim).ok();
  if (!fits) return TooLargePaddings(i);
  const int64 size = c->Value(*dim), block = c->Value(blocks.sizes[i]);
  if (size >= 0 && block > 0) TF_RETURN_IF_ERROR(CheckDivides(i, size, block));
  return c->Divide(*dim, blocks.sizes[i], true, dim);
}

Status SpaceToBatchShape(InferenceContext* c) {
  KnownBlocks blocks;
  bool is_known;
  TF_RETURN_IF_ERROR(blocks.Read(c, "paddings", &is_known));
  if (!is_known) return SetUnknownOfRank(c, c->Rank(c->input(kInput)));
  std::vector<DimensionHandle> dims = {c->Dim(c->input(kInput), 0)};
  for (const DimensionHandle block : blocks.sizes) {
    if (!c->Multiply(dims[0], block, &dims[0]).ok()) return TooManyBlocks();
  }
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    dims.push_back(c->Dim(c->input(kInput), static_cast<int>(i) + 1));
    TF_RETURN_IF_ERROR(PadAndDivide(c, blocks, i, &dims.back()));
  }
  return SetShape(c, std::move(dims));
}

// The batch of the output: the input's batch divided by the product of the blocks.
Status DivideBatch(InferenceContext* c, const KnownBlocks& blocks, DimensionHandle* batch) {
  DimensionHandle product = c->MakeDim(1);
  for (const DimensionHandle block : blocks.sizes) {
    if (!c->Multiply(product, block, &product).ok()) return TooManyBlocks();
  }
  const int64 size = c->Value(*batch), blocks_of_batch = c->Value(product);
  if (size >= 0 && blocks_of_batch > 0) TF_RETURN_IF_ERROR(CheckBatch(size, blocks_of_batch));
  return c->Divide(*batch, product, true, batch);
}

Status MultiplyAndCrop(InferenceContext* c, const KnownBlocks& blocks, size_t i, DimensionHandle* dim) {
  if (!c->Multiply(*dim, blocks.sizes[i], dim).ok()) return TooManyBlocks();
  if (c->ValueKnown(*dim) && blocks.HasBorder(i)) {
    TF_RETURN_IF_ERROR(CheckCrops(i, c->Value(*dim), blocks.before(i).value(), blocks.after(i).value()));
  }
  TF_RETURN_IF_ERROR(c->Subtract(*dim, c->SizeOf(blocks.before(i)), dim));
  return c->Subtract(*dim, c->SizeOf(blocks.after(i)), dim);
}

Status BatchToSpaceShape(InferenceContext* c) {
  KnownBlocks blocks;
  bool is_known;
  TF_RETURN_IF_ERROR(blocks.Read(c, "crops", &is_known));
  if (!is_known) return SetUnknownOfRank(c, c->Rank(c->input(kInput)));
  std::vector<DimensionHandle> dims = {c->Dim(c->input(kInput), 0)};
  TF_RETURN_IF_ERROR(DivideBatch(c, blocks, &dims[0]));
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    dims.push_back(c->Dim(c->input(kInput), static_cast<int>(i) + 1));
    TF_RETURN_IF_ERROR(MultiplyAndCrop(c, blocks, i, &dims.back()));
  }
  return SetShape(c, std::move(dims));
}

REGISTER_OP("SpaceToBatchND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .SetShapeFn(SpaceToBatchShape)
    .Gradient(R"yaml(
nodes:
  dinput: {op: BatchToSpaceND, in: [grad.output, block_shape, paddings]}
outputs: {input: dinput, block_shape: null, paddings: null}
)yaml")
    .Doc(R"doc(
Cuts the dimensions after the first into blocks, and moves the places inside of a block to the first dimension, the batch.

Element [n, s1, s2, ..., rest] of the input with its paddings becomes element [(b1 * block_shape[1] + b2) * batch + n,
s1 / block_shape[0], s2 / block_shape[1], ..., rest], where b1 is s1 modulo block_shape[0] and so on.

input: Any tensor, of one dimension more than block_shape has elements, or of a higher rank.
block_shape: A vector with the size of a block for each dimension from 1 on. Sizes are 1 or more.
paddings: One row for each element of block_shape: how many zeros, or empty strings, are put before and after that
    dimension. With them, its size must be a multiple of the block's.
output: The batch. Dimension 0 has size input.shape[0] times the product of block_shape, dimension i + 1 has size
    (paddings[i, 0] + input.shape[i + 1] + paddings[i, 1]) / block_shape[i], and the others have those of the input.
)doc");

REGISTER_OP("BatchToSpaceND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("crops: Tcrops")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tcrops: {int32, int64} = DT_INT32")
    .SetShapeFn(BatchToSpaceShape)
    .Gradient(R"yaml(
nodes:
  dinput: {op: SpaceToBatchND, in: [grad.output, block_shape, crops]}
outputs: {input: dinput, block_shape: null, crops: null}
)yaml")
    .Doc(R"doc(
Moves places inside of blocks from the first dimension, the batch, to the dimensions after it: the way back from
SpaceToBatchND.

input: Any tensor, of one dimension more than block_shape has elements, or of a higher rank. Its first size must be a
    multiple of the product of block_shape.
block_shape: A vector with the size of a block for each dimension from 1 on. Sizes are 1 or more.
crops: One row for each element of block_shape: how many elements are left out at the beginning and at the end of that
    dimension of the result.
output: The space. Dimension 0 has size input.shape[0] divided by the product of block_shape, dimension i + 1 has size
    input.shape[i + 1] * block_shape[i] - crops[i, 0] - crops[i, 1], and the others have those of the input.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("SpaceToBatchND"), FunctionOp<MoveBlocks<CpuMoves, true>>);
REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("BatchToSpaceND"), FunctionOp<MoveBlocks<CpuMoves, false>>);

}  // namespace

}  // namespace array_ops

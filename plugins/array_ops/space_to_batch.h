// plugins/array_ops/space_to_batch.h: the kernels of SpaceToBatchND and BatchToSpaceND, for any device.
//
// Space is [batch, size 1, size 2, ..., rest], where each size is a multiple of the block's. The batch has the same
// elements as [block 1, block 2, ..., batch, size 1 / block 1, size 2 / block 2, ..., rest], where the blocks and the
// batch are one dimension. The border of the space, the paddings or crops, is only in the space.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "indices.h"
#include "view.h"

namespace array_ops {

using namespace opsrun;

// The inputs 1 and 2. Element i is that of dimension i + 1.
struct SpaceBlocks {
  std::vector<int64> sizes, before, after;
  int64 product = 1;  // product of the sizes

  // `name`: the input of the borders, paddings or crops. INVALID_ARGUMENT: a wrong size, border or number of borders.
  Status Read(const Tensor& block_shape, const Tensor& borders, const char* name);
};

// The shapes of the space with its border, and of the output. INVALID_ARGUMENT: the blocks or borders do not match.
Status FindSpaceToBatch(const TensorShape& input, const SpaceBlocks& blocks, TensorShape* space, TensorShape* output);
Status FindBatchToSpace(const TensorShape& input, const SpaceBlocks& blocks, TensorShape* space, TensorShape* output);

// The elements of the space in the order of the batch; and those inside the border, of the shape `inside`.
View InBatchOrder(const TensorShape& space, const SpaceBlocks& blocks);
View InsideOfBorder(const TensorShape& space, const SpaceBlocks& blocks, const TensorShape& inside);

// Moves: how a device moves elements, such as CpuMoves of view.h. kToBatch: SpaceToBatchND, else BatchToSpaceND.
template <typename Moves, bool kToBatch>
Status MoveBlocks(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  SpaceBlocks blocks;
  TensorShape space, shape;
  TF_RETURN_IF_ERROR(blocks.Read(context->input(1), context->input(2), kToBatch ? "paddings" : "crops"));
  TF_RETURN_IF_ERROR((kToBatch ? FindSpaceToBatch : FindBatchToSpace)(input.shape(), blocks, &space, &shape));
  const TensorShape inside = kToBatch ? input.shape() : shape;
  const bool has_border = space != inside;
  Tensor whole, *output = nullptr;  // whole: the space with its border
  if (blocks.product == 1 && !has_border) {
    context->set_output(0, input);
    return Status::OK();
  }
  TF_RETURN_IF_ERROR(context->allocate_output(0, shape, &output));
  if (output->NumElements() == 0) return Status::OK();
  if (has_border) TF_RETURN_IF_ERROR(context->allocate_temp(input.dtype(), space, &whole));
  const View in_order = InBatchOrder(space, blocks), inner = InsideOfBorder(space, blocks, inside);
  if (kToBatch) {
    if (has_border) TF_RETURN_IF_ERROR(Moves::FillWithZeros(context, &whole));
    if (has_border) TF_RETURN_IF_ERROR(Moves::CopyToView(context, inner, input, &whole));
    return Moves::CopyFromView(context, in_order, has_border ? whole : input, output);
  }
  TF_RETURN_IF_ERROR(Moves::CopyToView(context, in_order, input, has_border ? &whole : output));
  return has_border ? Moves::CopyFromView(context, inner, whole, output) : Status::OK();
}

// Errors in blocks and borders, before or during a run. Block i is that of dimension i + 1. Sizes are numbers, or text
// if they may be unknown.

inline Status NotTwoColumns(const char* name, const std::string& shape) {
  return Wrong(name, name, " must be a matrix of 2 columns, but its shape is ", shape);
}
inline Status NotARowForEach(const char* name, const std::string& blocks, const std::string& rows) {
  return Wrong(name, name, " must have a row for each element of block_shape, but has ", rows, " for ", blocks);
}
inline Status CheckRank(int64 rank, int64 blocks) {
  if (rank > blocks) return Status::OK();
  return Wrong("input", "input must have a dimension for the batch and one for each of the ", blocks,
               " elements of block_shape, but has rank ", rank);
}
inline Status CheckBlock(size_t i, int64 size) {
  if (size > 0) return Status::OK();
  return Wrong("block_shape", "block_shape[", i, "] is ", size, ", but must be 1 or more");
}
inline Status NegativeBorder(const char* name, size_t i, const std::string& before, const std::string& after) {
  return Wrong(name, name, " must not be negative, but row ", i, " is [", before, ", ", after, "]");
}
inline Status CheckBorder(const char* name, size_t i, int64 before, int64 after) {
  if (before >= 0 && after >= 0) return Status::OK();
  return NegativeBorder(name, i, std::to_string(before), std::to_string(after));
}
inline Status TooManyBlocks() {
  return Wrong("block_shape", "block_shape makes a dimension of more elements than int64 can hold");
}
inline Status TooLargePaddings(size_t i) {
  return Wrong("paddings", "row ", i, " of paddings makes dimension ", i + 1, " larger than int64 can hold");
}
inline Status CheckDivides(size_t i, int64 size, int64 block) {
  if (size % block == 0) return Status::OK();
  return Wrong("paddings", "dimension ", i + 1, " has ", size,
               " elements with its paddings, which is not a multiple of ", "block_shape[", i, "], ", block);
}
inline Status CheckBatch(int64 batch, int64 product) {
  if (batch % product == 0) return Status::OK();
  return Wrong("block_shape", "the batch of input, dimension 0, has ", batch,
               " elements, which is not a multiple of the product of block_shape, ", product);
}
inline Status CheckCrops(size_t i, int64 size, int64 before, int64 after) {
  int64 crops;
  if (!__builtin_add_overflow(before, after, &crops) && crops <= size) return Status::OK();
  return Wrong("crops", "row ", i, " of crops is [", before, ", ", after, "], but dimension ", i + 1, " has only ",
               size, " elements");
}

}  // namespace array_ops

// plugins/array_ops/space_to_batch.cc: see space_to_batch.h.
// SPDX-License-Identifier: Apache-2.0
#include "space_to_batch.h"

#include "space_to_batch_checks.h"

namespace array_ops {

using namespace opsrun;

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

}  // namespace array_ops

// plugins/array_ops/space_to_batch_checks.h: what can be wrong with blocks and borders, before a run and in one.
//
// Block i is that of dimension i + 1. Sizes are numbers, or texts where a shape may be known in part.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integers.h"

namespace array_ops {

inline opsrun::Status NotTwoColumns(const char* name, const std::string& shape) {
  return Wrong(name, name, " must be a matrix of 2 columns, but its shape is ", shape);
}
inline opsrun::Status NotARowForEach(const char* name, const std::string& blocks, const std::string& rows) {
  return Wrong(name, name, " must have a row for each element of block_shape, but has ", rows, " for ", blocks);
}
inline opsrun::Status CheckRank(int64 rank, int64 blocks) {
  if (rank > blocks) return opsrun::Status::OK();
  return Wrong("input", "input must have a dimension for the batch and one for each of the ", blocks,
               " elements of block_shape, but has rank ", rank);
}
inline opsrun::Status CheckBlock(size_t i, int64 size) {
  if (size > 0) return opsrun::Status::OK();
  return Wrong("block_shape", "block_shape[", i, "] is ", size, ", but must be 1 or more");
}
inline opsrun::Status NegativeBorder(const char* name, size_t i, const std::string& before, const std::string& after) {
  return Wrong(name, name, " must not be negative, but row ", i, " is [", before, ", ", after, "]");
}
inline opsrun::Status CheckBorder(const char* name, size_t i, int64 before, int64 after) {
  if (before >= 0 && after >= 0) return opsrun::Status::OK();
  return NegativeBorder(name, i, std::to_string(before), std::to_string(after));
}
inline opsrun::Status TooManyBlocks() {
  return Wrong("block_shape", "block_shape makes a dimension of more elements than int64 can hold");
}
inline opsrun::Status TooLargePaddings(size_t i) {
  return Wrong("paddings", "row ", i, " of paddings makes dimension ", i + 1, " larger than int64 can hold");
}
inline opsrun::Status CheckDivides(size_t i, int64 size, int64 block) {
  if (size % block == 0) return opsrun::Status::OK();
  return Wrong("paddings", "dimension ", i + 1, " has ", size,
               " elements with its paddings, which is not a multiple of ", "block_shape[", i, "], ", block);
}
inline opsrun::Status CheckBatch(int64 batch, int64 product) {
  if (batch % product == 0) return opsrun::Status::OK();
  return Wrong("block_shape", "the batch of input, dimension 0, has ", batch,
               " elements, which is not a multiple of the product of block_shape, ", product);
}
inline opsrun::Status CheckCrops(size_t i, int64 size, int64 before, int64 after) {
  int64 crops;
  if (!__builtin_add_overflow(before, after, &crops) && crops <= size) return opsrun::Status::OK();
  return Wrong("crops", "row ", i, " of crops is [", before, ", ", after, "], but dimension ", i + 1, " has only ",
               size, " elements");
}

}  // namespace array_ops

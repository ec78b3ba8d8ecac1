// SPDX-License-Identifier: Apache-2.0
#include "paddings.h"

namespace pad {

using namespace opsrun;

namespace {

template <typename Int>
void ReadRows(const Tensor& paddings, int rank, Axis* axes) {
  const auto rows = paddings.matrix<Int>();
  for (int i = 0; i < rank; ++i) {
    axes[i].before = rows(i, 0);
    axes[i].after = rows(i, 1);
  }
}

}  // namespace

Status NotTwoColumns(const std::string& shape) {
  return BadPaddings("paddings must be a matrix of 2 columns, but its shape is ", shape);
}

Status NotARowForEach(int rank, const std::string& shape) {
  return BadPaddings("paddings must have a row for each of the input's ", rank, " dimensions, but its shape is ",
                     shape);
}

Status CheckPaddingsShape(const TensorShape& paddings, int rank) {
  if (paddings.dims() != 2 || paddings.dim_size(1) != 2) return NotTwoColumns(paddings.DebugString());
  if (paddings.dim_size(0) != rank) return NotARowForEach(rank, paddings.DebugString());
  return Status::OK();
}

void ReadPaddings(const Tensor& paddings, int rank, Axis* axes) {
  paddings.dtype() == DT_INT32 ? ReadRows<int32>(paddings, rank, axes) : ReadRows<int64>(paddings, rank, axes);
}

Status CheckBorder(const Axis& axis, int i) {
  if (axis.before >= 0 && axis.after >= 0) return Status::OK();
  return NegativeBorder(std::to_string(axis.before), std::to_string(axis.after), i);
}

Status NegativeBorder(const std::string& before, const std::string& after, int i) {
  return BadPaddings("paddings must not be negative, but row ", i, " is [", before, ", ", after, "]");
}

Status CheckMirror(const Axis& axis, int i, Edge edge) {
  TF_RETURN_IF_ERROR(CheckBorder(axis, i));
  const int64 largest = axis.size - static_cast<int64>(edge);
  if (largest < 0)
    return BadPaddings("REFLECT needs an element to turn around at, but dimension ", i, " of input has none");
  if (axis.before <= largest && axis.after <= largest) return Status::OK();
  return BadPaddings(edge == Edge::kOnce ? "REFLECT" : "SYMMETRIC", " allows borders of at most ", largest,
                     " for dimension ", i, " of input, which has size ", axis.size, ", but row ", i,
                     " of paddings is [", axis.before, ", ", axis.after, "]");
}

Status PaddedShape(const Axis* axes, int rank, int64_t element_size, TensorShape* shape) {
  int64_t bytes = element_size;
  for (int i = 0; i < rank; ++i) {
    int64_t padded;
    if (__builtin_add_overflow(axes[i].before, axes[i].size, &padded) ||
        __builtin_add_overflow(padded, axes[i].after, &padded) || __builtin_mul_overflow(bytes, padded, &bytes)) {
      return BadPaddings("paddings make an output of 2^63 bytes or more: row ", i, " is [", axes[i].before, ", ",
                         axes[i].after, "]");
    }
    shape->AddDim(padded);
  }
  return Status::OK();
}

}  // namespace pad

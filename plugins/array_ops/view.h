// plugins/array_ops/view.h: the elements of an array in another order: the one loop behind Slice, StridedSlice,
// Reverse, Transpose, Tile and BroadcastTo.
//
// A view is a list of dimensions, the outermost first. Its element at an index is the array's element at
// offset + sum of index[i] * stride[i]. A stride of 0 repeats elements, a negative one reverses them. The other side of
// a copy is dense: it holds the elements of the view in row-major order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "elements.h"

namespace array_ops {

using opsrun::int64;

struct ViewDim {
  int64 size = 0, stride = 0;
};

struct View {
  std::vector<ViewDim> dims;
  int64 offset = 0;

  int64 NumElements() const;
  // The same elements in the same order with as few dimensions as possible, but at least one.
  View Simplified() const;
  // Whether these are the `n` elements of a dense array in their order.
  bool IsWhole(int64 n) const;
};

// The view of all elements of a dense array as they are.
View WholeView(const opsrun::TensorShape& shape);

// Copies the view of `array` to `dense`, or `dense` to the view of `array`, on the host's threads. Both tensors have
// the same type. Requires: `dense` has as many elements as the view, all of which are in the array; for CopyToView, no
// two of them are the same.
struct CpuMoves {
  static opsrun::Status CopyFromView(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& array,
                                     opsrun::Tensor* dense);
  static opsrun::Status CopyToView(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& dense,
                                   opsrun::Tensor* array);
  // Every element gets the first bytes of `value`, as many as it has; the tensor holds no strings.
  static opsrun::Status FillWithBytes(opsrun::OpKernelContext* context, const Bytes16& value, opsrun::Tensor* tensor);
  // Zeros, false or empty strings.
  static opsrun::Status FillWithZeros(opsrun::OpKernelContext* context, opsrun::Tensor* tensor);
};

}  // namespace array_ops

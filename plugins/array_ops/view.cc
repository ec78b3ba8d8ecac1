// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <cstring>

namespace array_ops {

int64 View::NumElements() const {
  int64 n = 1;
  for (const ViewDim& dim : dims) n *= dim.size;
  return n;
}

View View::Simplified() const {
  View simple;
  simple.offset = offset;
  for (const ViewDim& dim : dims) {
    ViewDim* const last = simple.dims.empty() ? nullptr : &simple.dims.back();
    if (dim.size == 1) continue;
    if (last != nullptr && last->stride == dim.size * dim.stride) {
      *last = {last->size * dim.size, dim.stride};
    } else {
      simple.dims.push_back(dim);
    }
  }
  if (simple.dims.empty()) simple.dims.push_back({1, 1});
  return simple;
}

bool View::IsWhole(int64 n) const {
  int64 inside = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].size == 1) continue;
    if (dims[i].stride != inside) return false;
    inside *= dims[i].size;
  }
  return offset == 0 && inside == n;
}

View WholeView(const TensorShape& shape) {
  View view;
  view.dims.resize(static_cast<size_t>(shape.dims()));
  int64 stride = 1;
  for (int i = shape.dims() - 1; i >= 0; --i) {
    view.dims[static_cast<size_t>(i)] = {shape.dim_size(i), stride};
    stride *= shape.dim_size(i);
  }
  return view;
}

namespace {

// Iterates over the rows of a view and gives the offset of each. A row is the view's last dimension.
class RowWalk {
 public:
  RowWalk(const View& view, int64 row) : view_(view), index_(view.dims.size() - 1), offset_(view.offset) {
    for (size_t i = index_.size(); i-- > 0;) {
      index_[i] = row % view.dims[i].size;
      offset_ += index_[i] * view.dims[i].stride;
      row /= view.dims[i].size;
    }
  }

  int64 offset() const { return offset_; }
  void Next() {
    for (size_t i = index_.size(); i-- > 0;) {
      const ViewDim& dim = view_.dims[i];
      offset_ += dim.stride;
      if (++index_[i] < dim.size) return;
      offset_ -= dim.size * dim.stride;
      index_[i] = 0;
    }
  }

 private:
  const View& view_;
  std::vector<int64> index_;
  int64 offset_;
};

// The elements from[0], from[stride], ...; n is not 0.
template <typename E>
void CopyRow(const E* from, int64 stride, int64 n, E* dense) {
  if (stride == 1) {
    std::copy_n(from, n, dense);
  } else if (stride == 0) {
    std::fill_n(dense, n, *from);
  } else if (stride == -1) {
    for (int64 i = 0; i < n; ++i) dense[i] = from[-i];
  } else {
    for (int64 i = 0; i < n; ++i) dense[i] = from[i * stride];
  }
}

template <typename E>
void SpreadRow(const E* dense, int64 stride, int64 n, E* to) {
  if (stride == 1) {
    std::copy_n(dense, n, to);
  } else {
    for (int64 i = 0; i < n; ++i) to[i * stride] = dense[i];
  }
}

// Calls move(offset in the array, index in the dense elements, count) for each row, or part of one, in [begin, end).
template <typename Move>
void ForRows(const View& view, int64 begin, int64 end, const Move& move) {
  const ViewDim inner = view.dims.back();
  RowWalk walk(view, begin / inner.size);
  for (int64 at = begin % inner.size; begin < end; at = 0) {
    const int64 n = std::min(inner.size - at, end - begin);
    move(walk.offset() + at * inner.stride, begin, n);
    begin += n;
    walk.Next();
  }
}

// From the view of an array to dense elements (kToDense), or back. Requires: the view is simplified and has elements.
template <bool kToDense>
void MoveRows(OpKernelContext* context, const View& view, const Tensor& source, Tensor* target) {
  VisitElement(source.dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    const E* from = ElementsOf<E>(source);
    E* to = ElementsOf<E>(target);
    const int64 stride = view.dims.back().stride;
    ForIndices(context, view.NumElements(), kMovedBytes<E>, [&](int64 begin, int64 end) {
      ForRows(view, begin, end, [&](int64 offset, int64 at, int64 count) {
        kToDense ? CopyRow(from + offset, stride, count, to + at) : SpreadRow(from + at, stride, count, to + offset);
      });
    });
  });
}

}  // namespace

Status CpuMoves::CopyFromView(OpKernelContext* context, const View& view, const Tensor& array, Tensor* dense) {
  if (view.NumElements() == 0) return Status::OK();
  const View simple = view.Simplified();
  if (!CopyTransposed(context, simple, array, dense)) MoveRows<true>(context, simple, array, dense);
  return Status::OK();
}

Status CpuMoves::CopyToView(OpKernelContext* context, const View& view, const Tensor& dense, Tensor* array) {
  if (view.NumElements() > 0) MoveRows<false>(context, view.Simplified(), dense, array);
  return Status::OK();
}

Status CpuMoves::FillWithBytes(OpKernelContext* context, const Bytes16& value, Tensor* tensor) {
  VisitElement(tensor->dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    if constexpr (!std::is_same_v<E, tstring>) {
      E bytes;
      std::memcpy(&bytes, &value, sizeof bytes);
      FillWith(context, bytes, tensor);
    }
  });
  return Status::OK();
}

Status CpuMoves::FillWithZeros(OpKernelContext* context, Tensor* tensor) {
  array_ops::FillWithZeros(context, tensor);
  return Status::OK();
}

}  // namespace array_ops

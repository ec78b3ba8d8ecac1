// opsrun_compat/sparse_tensor.h: sparse::SparseTensor: indices, values and shape as one object, and groups of entries.
//
// Entry n has the value values(n) at index indices(n, ...). An order lists the dimensions, starting with the one that
// changes most slowly; -1 means that the order is unknown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun_compat/gtl.h"
#include "opsrun_compat/sparse_groups.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace sparse {

typedef gtl::ArraySlice<int64_t> VarDimArray;

class SparseTensor {
 public:
  // An argument with sizes, dimensions or indices: any container of integers, or a TensorShape.
  class Dims : public std::vector<int64_t> {
   public:
    Dims() = default;
    Dims(std::initializer_list<int64_t> dims) : vector(dims) {}
    Dims(const TensorShape& shape) {
      for (int i = 0; i < shape.dims(); ++i) push_back(shape.dim_size(i));
    }
    template <typename Container, typename = decltype(std::declval<const Container&>().data())>
    Dims(const Container& dims) : vector(dims.data(), dims.data() + dims.size()) {}
  };

  // Rank 0, without entries.
  SparseTensor() = default;
  // Arguments that Create would reject fail the running call.
  SparseTensor(Tensor indices, Tensor values, const Dims& shape)
      : SparseTensor(indices, values, shape, Unknown(shape)) {}
  SparseTensor(Tensor indices, Tensor values, const Dims& shape, const Dims& order) {
    const Status status = Create(std::move(indices), std::move(values), shape, order, this);
    CHECK(status.ok()) << status.message();
  }

  // INVALID_ARGUMENT unless the indices are an int64 matrix with one row for each of the values, which are a vector,
  // and one column for each dimension of the shape. IndicesValid checks whether the indices are within the shape.
  static ReturnedStatus Create(Tensor indices, Tensor values, const Dims& shape, SparseTensor* result) {
    return Create(std::move(indices), std::move(values), shape, Unknown(shape), result);
  }
  static ReturnedStatus Create(Tensor indices, Tensor values, const Dims& shape, const Dims& order,
                               SparseTensor* result) {
    if (indices.dtype() != DT_INT64 || indices.dims() != 2) {
      return errors::InvalidArgument("the indices of a sparse tensor are an int64 matrix, not ",
                                     DataTypeString(indices.dtype()), " of shape ", indices.shape());
    }
    if (values.dims() != 1 || values.dim_size(0) != indices.dim_size(0)) {
      return errors::InvalidArgument(
          "the values of a sparse tensor are a vector with one value for each row of the "
          "indices, whose shape is ",
          indices.shape(), ", not of shape ", values.shape());
    }
    const size_t rank = static_cast<size_t>(indices.dim_size(1));
    if (shape.size() != rank || order.size() != rank) {
      return errors::InvalidArgument("the indices of a sparse tensor have ", rank, " columns, its shape has ",
                                     shape.size(), " dimensions, and its order ", order.size());
    }
    for (const int64_t axis : order) {
      if (axis < -1 || axis >= static_cast<int64_t>(rank)) {
        return errors::InvalidArgument("the order of a sparse tensor of rank ", rank, " names dimension ", axis);
      }
    }
    result->indices_ = std::move(indices);
    result->values_ = std::move(values);
    result->shape_ = shape;
    result->order_ = order;
    return Status();
  }

  size_t num_entries() const { return static_cast<size_t>(indices_.dim_size(0)); }
  int dims() const { return static_cast<int>(shape_.size()); }
  const Tensor& indices() const { return indices_; }
  const Tensor& values() const { return values_; }
  DataType dtype() const { return values_.dtype(); }
  VarDimArray shape() const { return shape_; }
  VarDimArray order() const { return order_; }
  // The sizes of these dimensions.
  std::vector<int64_t> PickDims(const Dims& dims) const {
    std::vector<int64_t> sizes;
    for (const int64_t axis : dims) sizes.push_back(shape_[static_cast<size_t>(axis)]);
    return sizes;
  }

  // INVALID_ARGUMENT: an index is out of range, out of order, or duplicated; FAILED_PRECONDITION: the order is unknown.
  ReturnedStatus IndicesValid() const {
    if (std::count(order_.begin(), order_.end(), -1) != 0) {
      return errors::FailedPrecondition(
          "the order of a sparse tensor is not known; give it to Create, or call Reorder");
    }
    const auto ix = indices_.matrix<int64_t>();
    for (int64_t n = 0; n < static_cast<int64_t>(num_entries()); ++n) {
      for (int axis = 0; axis < dims(); ++axis) {
        const int64_t size = shape_[static_cast<size_t>(axis)];
        if (ix(n, axis) < 0 || ix(n, axis) >= size) return Invalid(n, " is out of bounds: need 0 <= index < ", shape_);
      }
      if (n == 0) continue;
      const int compared = Compare(ix.data(), n - 1, n);
      if (compared > 0) return Invalid(n, " is out of order; sort the entries, with tf.sparse.reorder or Reorder", {});
      if (compared == 0) return Invalid(n, " is repeated", {});
    }
    return Status();
  }

  // Sorts the entries, in the tensors that it was made of. Requires: `order` is a permutation of the dimensions.
  template <typename T>
  void Reorder(const Dims& order) {
    const std::vector<int64_t> axes = Ascending(shape_.size());
    CHECK(std::is_permutation(order.begin(), order.end(), axes.begin(), axes.end()))
        << "the order of a sparse tensor of rank " << dims() << " is a permutation of its dimensions";
    order_ = order;
    auto ix = indices_.matrix<int64_t>();
    std::vector<int64_t> from = Ascending(num_entries());
    std::stable_sort(from.begin(), from.end(), [&](int64_t a, int64_t b) { return Compare(ix.data(), a, b) < 0; });
    auto values = values_.vec<T>();
    const std::vector<int64_t> old_ix(ix.data(), ix.data() + ix.size());
    const std::vector<T> old_values(values.data(), values.data() + values.size());
    for (size_t n = 0; n < from.size(); ++n) {
      const int64_t* const row = old_ix.data() + from[n] * dims();
      std::copy(row, row + dims(), ix.data() + static_cast<int64_t>(n) * dims());
      values(static_cast<ptrdiff_t>(n)) = old_values[static_cast<size_t>(from[n])];
    }
  }

  // Groups entries by these dimensions, by which they must be sorted. The result keeps references to the tensors.
  GroupIterable group(const Dims& dims) const {
    CHECK_LE(dims.size(), order_.size());
    for (size_t i = 0; i < dims.size(); ++i) CHECK_EQ(dims[i], order_[i]) << "the entries are sorted in another order";
    return GroupIterable(indices_, values_, this->dims(), dims);
  }

  // Writes the values to their positions in *out, and zeros elsewhere if initialize is set; of equal indices the last
  // counts. Logs an error and returns false if *out has another type or rank, is too small, or an index is out of
  // range.
  template <typename T>
  bool ToDense(Tensor* out, bool initialize = true) {
    bool fits = out->dtype() == DataTypeToEnum<T>::v() && dtype() == out->dtype() && out->dims() == dims();
    for (int axis = 0; fits && axis < dims(); ++axis) fits = out->dim_size(axis) >= shape_[static_cast<size_t>(axis)];
    if (!fits) {
      LOG(ERROR) << "a sparse tensor of " << DataTypeString(dtype()) << " and shape " << TextOf(shape_)
                 << " does not fit a tensor of " << DataTypeString(out->dtype()) << " and shape " << out->shape();
      return false;
    }
    auto flat = out->flat<T>();
    if (initialize) flat.setConstant(T());
    const auto ix = indices_.matrix<int64_t>();
    const auto values = values_.vec<T>();
    for (int64_t n = 0; n < static_cast<int64_t>(num_entries()); ++n) {
      int64_t at = 0;
      for (int axis = 0; axis < dims(); ++axis) {
        const int64_t index = ix(n, axis);
        if (index < 0 || index >= out->dim_size(axis)) {
          LOG(ERROR) << "entry " << n << " of a sparse tensor is out of the shape " << out->shape();
          return false;
        }
        at = at * out->dim_size(axis) + index;
      }
      flat(at) = values(n);
    }
    return true;
  }

  // Joins along the first dimension of the order, the only size that may differ. Different orders make it unknown.
  template <typename T>
  static SparseTensor Concat(const gtl::ArraySlice<SparseTensor>& tensors) {
    CHECK(!tensors.empty() && tensors[0].dims() > 0) << "no sparse tensors to join, or of rank 0";
    const Dims& order = tensors[0].order_;
    const int64_t axis = order[0];
    CHECK_GE(axis, 0) << "the order of a sparse tensor that is joined is not known";
    Dims shape = tensors[0].shape_;
    bool is_ordered = true;
    int64_t entries = 0, size = 0;
    for (const SparseTensor& tensor : tensors) {
      shape[static_cast<size_t>(axis)] = 0;
      Dims others = tensor.shape_;
      if (others.size() == shape.size()) others[static_cast<size_t>(axis)] = 0;
      CHECK(others == shape && tensor.order_[0] == axis)
          << "sparse tensors that are joined differ in more than one size";
      is_ordered &= tensor.order_ == order;
      entries += static_cast<int64_t>(tensor.num_entries());
      size += tensor.shape_[static_cast<size_t>(axis)];
    }
    shape[static_cast<size_t>(axis)] = size;
    Builder<T> joined(entries, tensors[0]);
    int64_t offset = 0;
    for (const SparseTensor& tensor : tensors) {
      for (size_t n = 0; n < tensor.num_entries(); ++n) joined.Add(tensor, static_cast<int64_t>(n), axis, offset);
      offset += tensor.shape_[static_cast<size_t>(axis)];
    }
    return SparseTensor(joined.indices, joined.values, shape, is_ordered ? order : Unknown(shape));
  }

  // Splits a sparse tensor into `pieces` along `axis`; if the size is not divisible, the first ones are longer by one.
  template <typename T>
  static ReturnedStatus Split(const SparseTensor& tensor, int axis, int pieces, std::vector<SparseTensor>* result) {
    if (axis < 0 || axis >= tensor.dims()) {
      return errors::InvalidArgument("a sparse tensor of rank ", tensor.dims(), " has no dimension ", axis);
    }
    const int64_t size = tensor.shape_[static_cast<size_t>(axis)];
    if (pieces < 1 || pieces > size) {
      return errors::InvalidArgument("a dimension of ", size, " is divided into 1 to ", size, " pieces, not ", pieces);
    }
    const auto ix = tensor.indices_.matrix<int64_t>();
    int64_t first = 0;
    for (int i = 0; i < pieces; ++i) {
      Dims shape = tensor.shape_;
      const int64_t length = shape[static_cast<size_t>(axis)] = size / pieces + (i < size % pieces);
      std::vector<int64_t> entries;
      for (int64_t n = 0; n < static_cast<int64_t>(tensor.num_entries()); ++n) {
        const int64_t index = ix(n, axis);
        if (index < 0 || index >= size)
          return tensor.Invalid(n, " is out of bounds: need 0 <= index < ", tensor.shape_);
        if (index >= first && index < first + length) entries.push_back(n);
      }
      Builder<T> piece(static_cast<int64_t>(entries.size()), tensor);
      for (const int64_t n : entries) piece.Add(tensor, n, axis, -first);
      result->emplace_back(piece.indices, piece.values, shape);
      first += length;
    }
    return Status();
  }

 private:
  // Collects entries that are added one by one.
  template <typename T>
  struct Builder {
    Builder(int64_t entries, const SparseTensor& like)
        : indices(DT_INT64, TensorShape({entries, like.dims()})), values(like.dtype(), TensorShape({entries})) {}
    void Add(const SparseTensor& from, int64_t n, int64_t axis, int64_t offset) {
      auto to = indices.matrix<int64_t>();
      const auto ix = from.indices_.template matrix<int64_t>();
      for (int i = 0; i < from.dims(); ++i) to(count, i) = ix(n, i) + (i == axis ? offset : 0);
      values.vec<T>()(count++) = from.values_.template vec<T>()(n);
    }
    Tensor indices, values;
    int64_t count = 0;
  };

  static Dims Unknown(const Dims& shape) {
    Dims order = shape;
    std::fill(order.begin(), order.end(), -1);
    return order;
  }
  static std::vector<int64_t> Ascending(size_t n) {
    std::vector<int64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  static std::string TextOf(const std::vector<int64_t>& numbers) { return "[" + absl::StrJoin(numbers, ",") + "]"; }
  // Negative if entry a comes before entry b, 0 if they have the same indices.
  int Compare(const int64_t* ix, int64_t a, int64_t b) const {
    for (const int64_t axis : order_) {
      const int64_t in_a = ix[a * dims() + axis], in_b = ix[b * dims() + axis];
      if (in_a != in_b) return in_a < in_b ? -1 : 1;
    }
    return 0;
  }
  ReturnedStatus Invalid(int64_t n, const char* text, const std::vector<int64_t>& bounds) const {
    const auto ix = indices_.matrix<int64_t>();
    std::vector<int64_t> index;
    for (int i = 0; i < dims(); ++i) index.push_back(ix(n, i));
    return errors::InvalidArgument("indices[", n, "] = ", TextOf(index), text, bounds.empty() ? "" : TextOf(bounds));
  }

  Tensor indices_{DT_INT64, TensorShape({0, 0})}, values_{DT_FLOAT, TensorShape({0})};
  Dims shape_, order_;
};

}  // namespace sparse
}  // namespace OPSRUN_HIDDEN

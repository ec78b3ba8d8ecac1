// plugins/math_ops/broadcast.cc
// SPDX-License-Identifier: Apache-2.0
#include "broadcast.h"

namespace math_ops {

namespace {

// The size of dimension `from_end`, counted from the end; 1 for missing leading dimensions.
int64 SizeFromEnd(const TensorShape& shape, int from_end) {
  return from_end < shape.dims() ? shape.dim_size(shape.dims() - 1 - from_end) : 1;
}

Status DoNotFit(const TensorShape& x, const TensorShape& y, int from_end) {
  return errors::InvalidArgument("Shapes ", x.DebugString(), " and ", y.DebugString(),
                                 " cannot be broadcast together: dimension ", -1 - from_end, " is ",
                                 SizeFromEnd(x, from_end), " and ", SizeFromEnd(y, from_end));
}

// Makes *shape that of it and another operand.
Status Widen(const TensorShape& y, TensorShape* shape) {
  const TensorShape& x = *shape;
  for (int i = 0; i < std::min(x.dims(), y.dims()); ++i) {
    const int64 a = SizeFromEnd(x, i), b = SizeFromEnd(y, i);
    if (a != b && a != 1 && b != 1) return DoNotFit(x, y, i);
  }
  TensorShape wide = y;
  if (y.dims() > x.dims()) std::swap(wide, *shape);
  for (int i = 0; i < wide.dims(); ++i) {
    const int64 size = SizeFromEnd(wide, i);
    if (size != 1 && SizeFromEnd(*shape, i) == 1) shape->set_dim(shape->dims() - 1 - i, size);
  }
  return Status::OK();
}

}  // namespace

bool Broadcast::Fits(const TensorShape& x, const TensorShape& y) {
  TensorShape shape = x;
  return Widen(y, &shape).ok();
}

Status Broadcast::Make(std::initializer_list<TensorShape> operands) {
  shape_ = *operands.begin();
  const bool are_equal = std::all_of(operands.begin(), operands.end(), [&](const auto& s) { return s == shape_; });
  if (are_equal) {
    operands_ = static_cast<int>(operands.size());
    AddDim({shape_.num_elements(), {1, 1, 1}});
    return Status::OK();
  }
  for (const TensorShape* each = operands.begin() + 1; each != operands.end(); ++each)
    TF_RETURN_IF_ERROR(Widen(*each, &shape_));
  operands_ = static_cast<int>(operands.size());
  int64 steps[kMaxOperands] = {1, 1, 1};
  for (int i = 0; i < shape_.dims(); ++i) {
    Dim dim = {SizeFromEnd(shape_, i), {}};
    int k = 0;
    for (const TensorShape& operand : operands) {
      const int64 size = SizeFromEnd(operand, i);
      dim.steps[k] = size == 1 ? 0 : steps[k];
      steps[k++] *= size;
    }
    if (dim.size != 1) AddDim(dim);
  }
  if (rank_ == 0) AddDim({1, {}});
  std::reverse(dims_, dims_ + rank_);
  return Status::OK();
}

// Joins the dimension with the last one that was added, which is inside of it, if every operand's steps allow that.
// Otherwise adds it.
void Broadcast::AddDim(const Dim& dim) {
  if (rank_ > 0) {
    Dim& inner = dims_[rank_ - 1];
    bool joins = true;
    for (int k = 0; k < operands_; ++k) joins = joins && dim.steps[k] == inner.steps[k] * inner.size;
    if (joins) return void(inner.size *= dim.size);
  }
  dims_[rank_++] = dim;
}

// Returns the number of elements of the run that are before `element`.
int64 Broadcast::Seek(int64 element, Place* place, Run* run) const {
  for (int k = 0; k < operands_; ++k) run->at[k] = 0;
  for (int d = rank_ - 1; d >= 0; --d) {
    place->index[d] = element % dims_[d].size;
    element /= dims_[d].size;
    for (int k = 0; k < operands_; ++k) run->at[k] += place->index[d] * dims_[d].steps[k];
  }
  for (int k = 0; k < operands_; ++k) run->walks[k] = dims_[rank_ - 1].steps[k] != 0;
  return place->index[rank_ - 1];
}

// Moves to the next run.
void Broadcast::NextRun(Place* place, Run* run) const {
  const Dim& inner = dims_[rank_ - 1];
  for (int k = 0; k < operands_; ++k) run->at[k] -= place->index[rank_ - 1] * inner.steps[k];
  place->index[rank_ - 1] = 0;
  for (int d = rank_ - 2; d >= 0; --d) {
    const bool wraps = ++place->index[d] == dims_[d].size;
    const int64 moved = wraps ? 1 - dims_[d].size : 1;
    for (int k = 0; k < operands_; ++k) run->at[k] += moved * dims_[d].steps[k];
    if (!wraps) return;
    place->index[d] = 0;
  }
}

template <typename E>
void Broadcast::Copy(int operand, int64 begin, int64 n, const void* from, void* block) const {
  const Dim &inner = dims_[rank_ - 1], &outer = dims_[rank_ - 2];
  const int64 step = inner.steps[operand];
  E* to = static_cast<E*>(block);
  int64 row = begin / inner.size, first = begin % inner.size;
  while (n > 0) {
    const E* at = static_cast<const E*>(from);
    int64 index = row;
    for (int d = rank_ - 2; d >= 0; index /= dims_[d--].size) at += index % dims_[d].size * dims_[d].steps[operand];
    // To the end of the outer dimension.
    for (int64 rows = outer.size - row % outer.size; rows > 0 && n > 0; --rows, ++row, at += outer.steps[operand]) {
      const int64 end = std::min(inner.size, first + n);
      n -= end - first;
      for (; first < end; ++first) *to++ = at[first * step];
      first = 0;
    }
  }
}

const void* Broadcast::Read(int operand, int64 begin, int64 n, int64 element_bytes, const void* from,
                            void* block) const {
  int64 step = 1;
  bool is_whole = true;
  for (int d = rank_ - 1; d >= 0; step *= dims_[d--].size) is_whole = is_whole && dims_[d].steps[operand] == step;
  if (is_whole) return static_cast<const char*>(from) + begin * element_bytes;
  const auto copy = element_bytes == 1   ? &Broadcast::Copy<uint8_t>
                    : element_bytes == 2 ? &Broadcast::Copy<uint16_t>
                    : element_bytes == 4 ? &Broadcast::Copy<uint32_t>
                    : element_bytes == 8 ? &Broadcast::Copy<uint64_t>
                                         : &Broadcast::Copy<complex128>;
  (this->*copy)(operand, begin, n, from, block);
  return block;
}

std::string IndexText(int64 element, const TensorShape& shape) {
  std::string index;
  for (int i = shape.dims() - 1; i >= 0; --i) {
    index = std::to_string(element % shape.dim_size(i)) + (index.empty() ? "" : ",") + index;
    element /= shape.dim_size(i);
  }
  return "[" + index + "]";
}

Status FirstProblem::ToStatus(const char* problem, const TensorShape& shape) const {
  return errors::InvalidArgument(problem, " at ", IndexText(element_, shape)).Blame("input:y");
}

}  // namespace math_ops

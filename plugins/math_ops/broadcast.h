// plugins/math_ops/broadcast.h: reads operands of different shapes together, by NumPy's broadcasting rules.
//
// Dimensions in which all operands have matching steps are joined, so most broadcasts need one or two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

#include "types.h"

namespace math_ops {

constexpr int kMaxOperands = 3;

// A run: consecutive elements of the output, and the address of each operand's elements for them. In a run, an operand
// either advances or provides one element for all.
struct Run {
  int64 out, n;
  int64 at[kMaxOperands];
  bool walks[kMaxOperands];
};

class Broadcast {
 public:
  // INVALID_ARGUMENT: the shapes cannot be broadcast together.
  Status Make(std::initializer_list<TensorShape> operands);

  // Whether two shapes can be broadcast together.
  static bool Fits(const TensorShape& x, const TensorShape& y);

  const TensorShape& shape() const { return shape_; }

  // A dimension of the output after joining; there is at least one. steps[k] is the distance between adjacent elements
  // of operand k; 0 if it is broadcast.
  struct Dim {
    int64 size;
    int64 steps[kMaxOperands];
  };
  int rank() const { return rank_; }
  const Dim& dim(int d) const { return dims_[d]; }

  // Calls run(Run) for consecutive runs that cover the elements [begin, end) of the output.
  template <typename Fn>
  void ForRuns(int64 begin, int64 end, const Fn& run) const;

  // Whether there are many runs of a few elements. In that case it is faster to Read() operands in blocks.
  bool has_short_runs() const {
    const int64 run = dims_[rank_ - 1].size;
    return rank_ > 1 && run < 32 && dims_[rank_ - 2].size * run >= 128;
  }
  // The elements of operand number `operand` for the elements [begin, begin + n) of the output: a pointer into `from`,
  // the operand, if they are contiguous; otherwise they are copied to `block`. Requires: elements have 1, 2, 4, 8 or 16
  // bytes.
  const void* Read(int operand, int64 begin, int64 n, int64 element_bytes, const void* from, void* block) const;

 private:
  // The index of an element in the dimensions outside of the run.
  struct Place {
    int64 index[OPSRUN_MAX_RANK];
  };

  void AddDim(const Dim& dim);
  template <typename E>
  void Copy(int operand, int64 begin, int64 n, const void* from, void* to) const;
  __attribute__((noinline)) int64 Seek(int64 element, Place* place, Run* run) const;
  __attribute__((noinline)) void NextRun(Place* place, Run* run) const;

  TensorShape shape_;
  int operands_ = 0;
  int rank_ = 0;  // at least 1 after Make()
  Dim dims_[OPSRUN_MAX_RANK + 1];
};

template <typename Fn>
void Broadcast::ForRuns(int64 begin, int64 end, const Fn& run) const {
  if (begin >= end) return;
  Place place;
  Run next;
  const int64 skipped = Seek(begin, &place, &next);
  next.n = dims_[rank_ - 1].size - skipped;
  for (next.out = begin; next.out < end; next.n = dims_[rank_ - 1].size) {
    if (next.n > end - next.out) next.n = end - next.out;
    run(static_cast<const Run&>(next));
    next.out += next.n;
    NextRun(&place, &next);
  }
}

// "[1,2]": the index of an element in a tensor of that shape.
std::string IndexText(int64 element, const TensorShape& shape);

// The first element at which a function is undefined, even if several threads search.
class FirstProblem {
 public:
  // Thread-safe.
  void Found(int64 element) {
    int64 first = element_;
    while (element < first && !element_.compare_exchange_weak(first, element)) {
    }
  }
  bool none() const { return element_ == kint64max; }

  // "problem at [1,2]", with the index of the element in a tensor of that shape; blames input y. Requires: not none().
  Status ToStatus(const char* problem, const TensorShape& shape) const;

 private:
  std::atomic<int64> element_{kint64max};
};

}  // namespace math_ops

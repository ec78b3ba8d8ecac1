// plugins/math_ops/gpu_places.cu.h: where the elements of operands are that do not walk along with the output, for
// kernels on a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "broadcast.h"

namespace math_ops {

// Division by a number that many threads divide by, as a multiplication and a shift. Source: Granlund and Montgomery,
// Division by Invariant Integers using Multiplication, 1994, figure 4.1. Numbers are below 2^31.
class FastDivisor {
 public:
  FastDivisor() = default;
  explicit FastDivisor(uint32_t divisor) {
    while ((uint64_t{1} << shift_) < divisor) ++shift_;
    multiplier_ = static_cast<uint32_t>((((uint64_t{1} << shift_) - divisor) << 32) / divisor + 1);
  }
  __device__ uint32_t Quotient(uint32_t n) const {
    const auto high = static_cast<uint32_t>(uint64_t{n} * multiplier_ >> 32);
    return (high + n) >> shift_;
  }

 private:
  uint32_t multiplier_ = 0, shift_ = 0;
};

// Nested dimensions, and how far apart the elements of each operand are along them.
template <int kOperands>
class GpuPlaces {
 public:
  // The next dimension inside of those before; all sizes are positive.
  void AddInside(int64 size, const int64* steps) {
    sizes_[rank_] = size;
    count_ *= size;
    if (size <= INT32_MAX) divisors_[rank_] = FastDivisor(static_cast<uint32_t>(size));
    for (int k = 0; k < kOperands; ++k) steps_[k][rank_] = steps[k];
    ++rank_;
  }

  __host__ __device__ int64 count() const { return count_; }

  // Sets at[k] to the index of operand k's element i. Requires: i is in [0, count()).
  __device__ void Find(int64 i, int64 (&at)[kOperands]) const {
    for (int64& each : at) each = 0;
    for (int d = rank_ - 1; d > 0; --d) {
      const int64 rest =
          count_ <= INT32_MAX ? static_cast<int64>(divisors_[d].Quotient(static_cast<uint32_t>(i))) : i / sizes_[d];
      const int64 index = i - rest * sizes_[d];
      for (int k = 0; k < kOperands; ++k) at[k] += index * steps_[k][d];
      i = rest;
    }
    for (int k = 0; k < kOperands && rank_ > 0; ++k) at[k] += i * steps_[k][0];
  }

 private:
  int rank_ = 0;
  int64 count_ = 1;
  int64 sizes_[OPSRUN_MAX_RANK + 1];
  int64 steps_[kOperands][OPSRUN_MAX_RANK + 1];
  FastDivisor divisors_[OPSRUN_MAX_RANK + 1];
};

// Requires: the output has elements.
template <int kOperands>
GpuPlaces<kOperands> PlacesOf(const Broadcast& broadcast) {
  GpuPlaces<kOperands> places;
  for (int d = 0; d < broadcast.rank(); ++d) places.AddInside(broadcast.dim(d).size, broadcast.dim(d).steps);
  return places;
}

}  // namespace math_ops

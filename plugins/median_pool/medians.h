// plugins/median_pool/medians.h: the medians of all windows of some images, in the way that is fastest for their size.
// It knows no tensor and no opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "network.h"
#include "window.h"

namespace median_pool {

class Medians {
 public:
  Medians() = default;
  // For windows of these sizes; cut: some may have fewer rows.
  Medians(int64_t rows, int64_t columns, bool cut, int64_t largest_network);

  // Rows of windows are best computed in runs of a multiple of this: so many share some work.
  int64_t rows_at_once() const { return rows_at_once_; }

  // Writes the rows [begin, end) of the output, where rows are counted through all images. Calls for disjoint ranges
  // may run at once.
  void Compute(const Images& images, const float* in, float* out, int64_t begin, int64_t end) const;
  void Compute(const Images& images, const uint8_t* in, uint8_t* out, int64_t begin, int64_t end) const;

  // How many values a window may have for which a network is faster than sliding: measured by bench/median_bench.cc.
  static constexpr int64_t kLargestFloatNetwork = 21 * 21;
  static constexpr int64_t kLargestByteNetwork = 13 * 13;

 private:
  template <typename T>
  void ComputeRows(const Images& images, const T* in, T* out, int64_t begin, int64_t end) const;

  int64_t rows_at_once_ = 1;
  std::vector<Network> networks_;  // for windows of 1, 2, ... rows, some left empty; none where networks are too large
};

}  // namespace median_pool

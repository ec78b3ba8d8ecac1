// host/measure/statistics.h: statistics of many measurements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace opsrun::host {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Summary {
  size_t samples = 0;
  double min = 0, median = 0, p90 = 0, p99 = 0, max = 0;
  Interval noise;  // contains the median with 95 % confidence
};

// Interpolates between the two nearest samples. Requires: sorted, not empty, 0 <= q <= 1.
double Quantile(const std::vector<double>& sorted, double q);

// Uses only the ranks of the samples, so that outliers have no effect. With fewer than six samples, which cannot give
// 95 % confidence, the interval covers all of them. Requires: sorted, not empty.
Interval MedianInterval(const std::vector<double>& sorted);

// All zero for no samples.
Summary Summarize(std::vector<double> samples);

// True if measuring may stop: there are at least 20 samples, the interval of the median is within 1 % of it, and so is
// the difference between the medians of the earlier and the later half. `samples` in the order in which they were
// taken.
bool IsStable(const std::vector<double>& samples);

}  // namespace opsrun::host

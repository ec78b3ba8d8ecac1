// host/measure/statistics.h: what many measurements of one thing say together.
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
  Interval noise;  // the median lies in it with 95 % confidence
};

// Between the two nearest samples where q falls between them. Requires: sorted, not empty, 0 <= q <= 1.
double Quantile(const std::vector<double>& sorted, double q);

// From the ranks of the samples alone, so that neighbors on the machine may disturb as they like. All of them for fewer
// than six, of which no two ranks are 95 % sure. Requires: sorted, not empty.
Interval MedianInterval(const std::vector<double>& sorted);

// All zero for no samples.
Summary Summarize(std::vector<double> samples);

// Whether measuring may end: at least 20 samples, the median's interval within 1 % of it, and the medians of the
// earlier and the later half no further apart. `samples` in the order in which they were taken.
bool IsStable(const std::vector<double>& samples);

}  // namespace opsrun::host

// host/measure/statistics.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace opsrun::host {
namespace {

constexpr double kNear = 0.01;
constexpr size_t kLeastSamples = 20;

double MedianOf(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

double Quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// How many samples are below the true median is a binomial number; 1.96 of its deviations hold 95 % of it.
Interval MedianInterval(const std::vector<double>& sorted) {
  if (sorted.size() < 6) return {sorted.front(), sorted.back()};
  const auto n = static_cast<double>(sorted.size());
  const double half = 1.96 * std::sqrt(n) / 2;
  const auto low = static_cast<size_t>(std::max(0.0, std::floor(n / 2 - half) - 1));
  const auto high = static_cast<size_t>(std::min(n - 1, std::ceil(n / 2 + half)));
  return {sorted[low], sorted[high]};
}

Summary Summarize(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {samples.size(),          samples.front(), Quantile(samples, 0.5), Quantile(samples, 0.9),
          Quantile(samples, 0.99), samples.back(),  MedianInterval(samples)};
}

bool IsStable(const std::vector<double>& samples) {
  if (samples.size() < kLeastSamples) return false;
  const Summary all = Summarize(samples);
  const double most = kNear * all.median;
  if (all.noise.high - all.median > most || all.median - all.noise.low > most) return false;
  const auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  return std::abs(MedianOf({samples.begin(), middle}) - MedianOf({middle, samples.end()})) <= most;
}

}  // namespace opsrun::host

// host/cli/measure/sampling.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/sampling.h"

#include <cmath>

namespace opsrun::host {
namespace {

constexpr int64_t kLongestWarmUp = 100'000'000;
// Two readings of the clock are then less than 1% of a batch.
constexpr double kShortestBatch = 10'000;
// Limits the memory for samples, however long the measurement.
constexpr double kMostSamples = 200'000;

uint32_t BatchFor(double run_ns, int64_t max_ns) {
  const double wanted = std::max(kShortestBatch, static_cast<double>(max_ns) / kMostSamples);
  return static_cast<uint32_t>(std::clamp(std::ceil(wanted / std::max(run_ns, 1.0)), 1.0, 1e6));
}

constexpr double kNear = 0.01;
constexpr size_t kLeastSamples = 20;

double MedianOf(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

std::optional<double> WarmUp(const RunBatch& run, int64_t max_ns, const ReadClock& now) {
  const int64_t end = now() + std::min(max_ns / 10, kLongestWarmUp);
  constexpr uint32_t kMostAtOnce = 1 << 16;
  for (uint32_t runs = 1;; runs = std::min(runs * 2, kMostAtOnce)) {
    const int64_t begin = now();
    if (!run(runs)) return std::nullopt;
    const int64_t then = now();
    if (then >= end) return static_cast<double>(then - begin) / runs;
  }
}

// Checks for stability only after each 25% more samples, since that sorts them.
std::optional<Sampling> TakeSamples(const RunBatch& run, double run_ns, int64_t max_ns, const ReadClock& now) {
  Sampling taken;
  taken.batch = BatchFor(run_ns, max_ns);
  const int64_t first = now();
  size_t look_at = 20;
  for (int64_t begin = first; begin - first < max_ns && !taken.stable;) {
    if (!run(taken.batch)) return std::nullopt;
    const int64_t end = now();
    taken.samples.push_back(static_cast<double>(end - begin) / taken.batch);
    taken.ns = end - first;
    begin = end;
    if (taken.samples.size() < look_at || taken.ns < max_ns / 10) continue;
    taken.stable = IsStable(taken.samples);
    look_at = taken.samples.size() * 5 / 4;
    begin = now();
  }
  return taken;
}

double Quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// The number of samples below the true median is binomial; 1.96 standard deviations cover 95%.
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

// host/cli/measure/sampling.h: runs something repeatedly until its time is known: clock, samples, statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "host/run/lane.h"

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

// Uses only the ranks of the samples, so outliers have no effect. Fewer than six samples cannot give 95% confidence;
// the interval then covers all of them. Requires: sorted, not empty.
Interval MedianInterval(const std::vector<double>& sorted);

// All zero if there are no samples.
Summary Summarize(std::vector<double> samples);

// True if measuring may stop: there are at least 20 samples, the interval of the median is within 1% of it, and so is
// the difference between the medians of the first and second halves. samples: in the order of measurement.
bool IsStable(const std::vector<double>& samples);

// Performs that many runs. False: one failed, or sampling must stop.
using RunBatch = std::function<bool(uint32_t runs)>;
// Nanoseconds, monotonic.
using ReadClock = std::function<int64_t()>;

struct Sampling {
  std::vector<double> samples;  // nanoseconds per run, each the mean of a batch, in order
  uint32_t batch = 1;           // runs; more than one if reading the clock around each run would distort the result
  bool stable = false;          // see IsStable; false if the time ran out
  int64_t ns = 0;               // total time of sampling
};

// Times of steps, from runs with the clock read around each kernel.
class StepSamples {
 public:
  explicit StepSamples(size_t steps) : samples_(steps) {}

  // The number of runs to reserve memory for: 4 million step times, 5 to 1000 runs.
  size_t most_runs() const { return std::clamp<size_t>(4'000'000 / (samples_.size() + 1), 5, 1000); }
  size_t runs() const { return runs_; }

  // Requires: every step ran.
  void Add(const std::vector<StepTime>& times) {
    ++runs_;
    for (size_t s = 0; s < times.size(); ++s) samples_[s].push_back(static_cast<double>(times[s].end - times[s].begin));
  }

  Summary Of(size_t step) const { return Summarize(samples_[step]); }

 private:
  size_t runs_ = 0;
  std::vector<std::vector<double>> samples_;
};

// Runs for a tenth of max_ns, at most 100 ms, at least once. Returns nanoseconds per run, measured near the end;
// nothing if `run` returned false.
std::optional<double> WarmUp(const RunBatch& run, int64_t max_ns, const ReadClock& now);

// Samples until the result is stable, at least for a tenth of max_ns, at most for max_ns plus one batch. run_ns: the
// approximate time of a run. Nothing if `run` returned false.
std::optional<Sampling> TakeSamples(const RunBatch& run, double run_ns, int64_t max_ns, const ReadClock& now);

// The clock of all measurements, and the cost of reading it.

// Nanoseconds of the steady clock, as in StepTime.
inline int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Nanoseconds from one reading to the next; the minimum of several tries.
inline double ClockCost() {
  constexpr int kReadings = 100, kTries = 50;
  double least = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const int64_t begin = NowNs();
    for (int k = 1; k < kReadings; ++k) NowNs();
    least = std::min(least, static_cast<double>(NowNs() - begin) / kReadings);
  }
  return least;
}

}  // namespace opsrun::host

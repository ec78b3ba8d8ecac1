// host/measure/sampling.h: runs something repeatedly until its time is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "host/measure/statistics.h"
#include "host/run/lane.h"

namespace opsrun::host {

// Performs that many runs. False: it failed, or sampling must stop.
using RunBatch = std::function<bool(uint32_t runs)>;
// Nanoseconds; never goes back.
using ReadClock = std::function<int64_t()>;

struct Sampling {
  std::vector<double> samples;  // nanoseconds per run, each the mean of a batch, in order
  uint32_t batch = 1;           // runs; more than one if reading the clock around each run would distort the result
  bool stable = false;          // see IsStable; otherwise the time ran out
  int64_t ns = 0;               // the time that sampling took
};

// Of runs with the clock read around each kernel.
class StepSamples {
 public:
  explicit StepSamples(size_t steps) : samples_(steps) {}

  // The number of runs that memory is reserved for: 4 million times of steps, 5 to 1000 runs.
  size_t most_runs() const { return std::clamp<size_t>(4'000'000 / (samples_.size() + 1), 5, 1000); }
  size_t runs() const { return runs_; }

  // Requires: each step ran.
  void Add(const std::vector<StepTime>& times) {
    ++runs_;
    for (size_t s = 0; s < times.size(); ++s) samples_[s].push_back(static_cast<double>(times[s].end - times[s].begin));
  }

  Summary Of(size_t step) const { return Summarize(samples_[step]); }

 private:
  size_t runs_ = 0;
  std::vector<std::vector<double>> samples_;
};

// Runs for a tenth of max_ns, at most 100 ms, at least once. Returns nanoseconds per run, measured near the end, or
// nothing if `run` returned false.
std::optional<double> WarmUp(const RunBatch& run, int64_t max_ns, const ReadClock& now);

// Samples until they are stable, at least for a tenth of max_ns, at most for max_ns and one batch. run_ns: the
// approximate time of a run. Nothing if `run` returned false.
std::optional<Sampling> TakeSamples(const RunBatch& run, double run_ns, int64_t max_ns, const ReadClock& now);

}  // namespace opsrun::host

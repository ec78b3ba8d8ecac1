// host/measure/step_samples.h: how long each step took, run after run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/measure/statistics.h"
#include "host/run/lane.h"

namespace opsrun::host {

class StepSamples {
 public:
  explicit StepSamples(size_t steps) : samples_(steps) {}

  // As many runs as there is memory for: 4 million times of steps, 5 to 1000 runs.
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

}  // namespace opsrun::host

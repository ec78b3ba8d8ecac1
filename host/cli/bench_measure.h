// host/cli/bench_measure.h: the runs that "bench" measures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/measure/sampling.h"
#include "host/measure/step_samples.h"
#include "host/run/lane.h"

namespace opsrun::host {

class BenchMeasure {
 public:
  BenchMeasure(Lane& lane, size_t steps, int64_t max_ns) : lane_(lane), max_ns_(max_ns), steps_(steps) {}

  // Runs to warm up, runs that are sampled for at most max_ns, then runs with the clock read around each kernel, for at
  // most a third as long. The first failure ends it.
  std::optional<RunFailure> Run();

  // After Run answered nothing.
  const Sampling& sampling() const { return sampling_; }
  const StepSamples& steps() const { return steps_; }

 private:
  std::optional<RunFailure> TimeSteps();

  Lane& lane_;
  const int64_t max_ns_;
  Sampling sampling_;
  StepSamples steps_;
};

}  // namespace opsrun::host

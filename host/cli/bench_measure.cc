// host/cli/bench_measure.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/bench_measure.h"

#include "host/measure/clock.h"

namespace opsrun::host {

std::optional<RunFailure> BenchMeasure::Run() {
  std::optional<RunFailure> failure;
  const RunBatch run = [&](uint32_t runs) {
    for (uint32_t i = 0; i < runs && !failure; ++i) failure = lane_.Run();
    return !failure;
  };
  const std::optional<double> run_ns = WarmUp(run, max_ns_, NowNs);
  if (!run_ns) return failure;
  const std::optional<Sampling> taken = TakeSamples(run, *run_ns, max_ns_, NowNs);
  if (!taken) return failure;
  sampling_ = *taken;
  return TimeSteps();
}

// The first run with the clock pays for what it never touched before, and does not count.
std::optional<RunFailure> BenchMeasure::TimeSteps() {
  std::vector<StepTime> times;
  if (std::optional<RunFailure> failure = lane_.RunTimed(times)) return failure;
  const int64_t end = NowNs() + max_ns_ / 3;
  do {
    if (std::optional<RunFailure> failure = lane_.RunTimed(times)) return failure;
    steps_.Add(times);
  } while (steps_.runs() < steps_.most_runs() && NowNs() < end);
  return std::nullopt;
}

}  // namespace opsrun::host

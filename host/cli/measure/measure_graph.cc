// host/cli/measure/measure_graph.cc:
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/measure_graph.h"

#include <fmt/format.h>

#include "host/base/file.h"

namespace opsrun::host {
namespace {

struct Measured {
  Sampling sampling;
  StepSamples steps;
  uint64_t temporary_bytes = 0;
};

// Reads the clock around each kernel. The first run is a warm-up and is not counted.
std::optional<RunFailure> TimeSteps(Lane& lane, int64_t max_ns, Measured& measured) {
  StepSamples& steps = measured.steps;
  RunTimes times;
  if (std::optional<RunFailure> failure = lane.RunTimed(times)) return failure;
  const int64_t end = NowNs() + max_ns;
  do {
    if (std::optional<RunFailure> failure = lane.RunTimed(times)) return failure;
    steps.Add(times.steps);
  } while (steps.runs() < steps.most_runs() && NowNs() < end);
  measured.temporary_bytes = times.temporary_bytes;
  return std::nullopt;
}

// Warms up, samples runs for at most max_ns, then times single kernels for at most a third of that. Stops at the first
// failure.
std::optional<RunFailure> Measure(Lane& lane, int64_t max_ns, Measured& measured) {
  std::optional<RunFailure> failure;
  const RunBatch run = [&](uint32_t runs) {
    for (uint32_t i = 0; i < runs && !failure; ++i) failure = lane.Run();
    return !failure;
  };
  const std::optional<double> run_ns = WarmUp(run, max_ns, NowNs);
  if (!run_ns) return failure;
  std::optional<Sampling> taken = TakeSamples(run, *run_ns, max_ns, NowNs);
  if (!taken) return failure;
  measured.sampling = *std::move(taken);
  return TimeSteps(lane, max_ns / 3, measured);
}

int ReportNoNodes(GraphSession& session) {
  Diagnostic& d = session.diagnostics().Error("R404", "the graph has no nodes, so there is nothing to measure");
  d.file = session.plan().graph().source->path;
  return session.Report();
}

std::string ThisCpu() {
  constexpr size_t kEnough = 16 << 20;
  const Result<std::string> text = ReadFile("/proc/cpuinfo", kEnough);
  return CpuModel(text.ok() ? *text : "");
}

BenchReport ReportOn(GraphSession& session, const Measured& measured) {
  BenchReport report;
  report.graph = session.options().graph;
  report.version = OPSRUN_VERSION;
  report.cpu = ThisCpu();
  report.threads = static_cast<uint32_t>(session.engine().threads());
  report.memory_bytes = session.lanes().lanes()[0]->MemoryBytes();
  report.temporary_bytes = measured.temporary_bytes;
  const Sampling& sampling = measured.sampling;
  report.run = Summarize(sampling.samples);
  report.batch = sampling.batch;
  report.stable = sampling.stable;
  report.measured_ns = static_cast<double>(sampling.ns);
  report.clock_ns = ClockCost();
  AddRows(measured.steps, FactsOf(session.plan()), report);
  return report;
}

int64_t Nanoseconds(uint64_t ms) {
  constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // milliseconds; effectively forever
  return static_cast<int64_t>(std::min(ms, kYear)) * 1'000'000;
}

// Runs until `warm`, then counts requests until `end`; at least one of each.
std::optional<RunFailure> TakeRequests(Lane& lane, int64_t warm, int64_t end, Requests& requests) {
  do {
    if (std::optional<RunFailure> failure = lane.Run()) return failure;
  } while (NowNs() < warm);
  int64_t begin = NowNs();
  do {
    if (std::optional<RunFailure> failure = lane.Run()) return failure;
    const int64_t now = NowNs();
    requests.Add(begin, now);
    begin = now;
  } while (begin < end);
  return std::nullopt;
}

// What has failed in a part is no measurement, even if runs go on, as those of isolated plugins do.
int RunAll(GraphSession& session, std::function<std::optional<RunFailure>()> runs) {
  const int exit_code = RunWatched(session, {std::move(runs), {}, {}});
  return exit_code == kExitOk && session.diagnostics().has_errors() ? session.Report() : exit_code;
}

// Each lane of the session takes requests for max_ns, all at the same time.
int MeasureLanes(GraphSession& session, int64_t max_ns, BenchReport& report) {
  const auto callers = static_cast<uint32_t>(session.lanes().lanes().size());
  // Less is over before all threads have had a processor.
  constexpr int64_t kLeastPerCaller = 1'000'000;
  const int64_t least_ns = callers * kLeastPerCaller;
  std::vector<Requests> requests(callers);
  const int64_t warm = NowNs() + std::max(max_ns / 10, least_ns), end = warm + std::max(max_ns, least_ns);
  std::atomic<uint32_t> done{0};
  ManyRuns ran;
  const OneRun take = [&](Lane& lane, uint32_t caller, uint32_t) {
    return TakeRequests(lane, warm, end, requests[caller]);
  };
  const auto take_all = [&] {
    ran = RunMany(session.lanes(), callers, session.stop(), take, done);
    return ran.failure;
  };
  const int exit_code = RunAll(session, take_all);
  if (exit_code != kExitOk) return exit_code;
  if (ran.callers < callers) {
    session.Note(
        fmt::format("only {} of {} requests at a time: no more threads could be started", ran.callers, callers));
  }
  report.load.push_back(Requests::Merge(requests));
  return exit_code;
}

}  // namespace

void AddSeconds(Options& options, uint64_t& measure_ms) {
  options.Quantity("--seconds S", measure_ms, ParseMilliseconds, "a time such as 10, 500ms or 2m",
                   "measure for at most S (10, 500ms, 2m); the default is 3");
}

int MeasureRuns(GraphSession& session, uint64_t measure_ms, BenchReport& report) {
  const size_t steps = TimedSteps(session.plan());
  if (steps == 0) return ReportNoNodes(session);
  Measured measured{{}, StepSamples(steps)};
  Lane& lane = *session.lanes().lanes()[0];
  const auto measure = [&] { return Measure(lane, Nanoseconds(measure_ms), measured); };
  const int exit_code = RunAll(session, measure);
  if (exit_code == kExitOk) report = ReportOn(session, measured);
  return exit_code;
}

int MeasureLoad(GraphSession& session, uint32_t concurrency, uint64_t measure_ms, BenchReport& report) {
  const int alone = MeasureLanes(session, Nanoseconds(measure_ms), report);
  if (alone != kExitOk || concurrency == 1) return alone;
  if (!session.MakeLanes(concurrency)) return session.Report();
  return MeasureLanes(session, Nanoseconds(measure_ms), report);
}

}  // namespace opsrun::host

// host/cli/commands/bench.cc: opsrun bench. Reads and plans a graph, runs it repeatedly and reports the times.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/measure/measure.h"
#include "host/cli/session.h"

namespace opsrun::host {
namespace {

// A document of a graph with 100,000 nodes takes 30 MB.
constexpr size_t kLargestDocument = size_t{256} << 20;

std::optional<BenchReport> ReadOld(const std::string& path, Console& console) {
  const Result<std::string> text = ReadFile(path, kLargestDocument);
  Result<BenchReport> old = text.ok() ? ReadBenchJson(*text) : Result<BenchReport>(text.status());
  if (old.ok()) return *std::move(old);
  console.Report(MakeError("U006",
                           text.ok() ? fmt::format("cannot compare with '{}': {}", path, old.status().message())
                                     : "--compare: " + text.status().message(),
                           "pass a file that 'opsrun bench GRAPH --json' wrote to --compare"));
  return std::nullopt;
}

struct Measured {
  Sampling sampling;
  StepSamples steps;
};

// Reads the clock around each kernel. The first run is a warm-up and is not counted.
std::optional<RunFailure> TimeSteps(Lane& lane, int64_t max_ns, StepSamples& steps) {
  RunTimes times;
  if (std::optional<RunFailure> failure = lane.RunTimed(times)) return failure;
  const int64_t end = NowNs() + max_ns;
  do {
    if (std::optional<RunFailure> failure = lane.RunTimed(times)) return failure;
    steps.Add(times.steps);
  } while (steps.runs() < steps.most_runs() && NowNs() < end);
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
  return TimeSteps(lane, max_ns / 3, measured.steps);
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
  const Sampling& sampling = measured.sampling;
  report.run = Summarize(sampling.samples);
  report.batch = sampling.batch;
  report.stable = sampling.stable;
  report.measured_ns = static_cast<double>(sampling.ns);
  report.clock_ns = ClockCost();
  AddRows(measured.steps, FactsOf(session.plan()), report);
  return report;
}

// Prints the comparison after the figures; with JSON, it goes to standard error.
void Print(const BenchReport& report, const std::optional<BenchReport>& old, bool json, Console& console) {
  console.Print(json ? BenchJson(report) : Printable(BenchText(report)));
  if (!old) return;
  for (const std::string& doubt : Doubts(*old, report)) console.Note(Printable(doubt));
  if (json) {
    console.Show("comparison", ChangesText(*old, report));
  } else {
    console.Print("\n" + ChangesText(*old, report));
  }
}

class BenchCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    AddFeeds(options, graph_.feeds);
    AddThreads(options, graph_.threads);
    AddPlacement(options, graph_);
    AddCudaGraphs(options, graph_);
    options.Quantity("--seconds S", measure_ms_, ParseMilliseconds, "a time such as 10, 500ms or 2m",
                     "measure for at most S (10, 500ms, 2m); the default is 3");
    options.Flag("--json", json_, "print all results as one JSON document");
    options.Text("--compare OLD.json", compare_, "compare with the document of an earlier run");
    AddLimits(options, graph_);
    AddStrict(options, graph_.strict);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    std::optional<BenchReport> old;
    if (!compare_.empty() && !(old = ReadOld(compare_, console))) return kExitUsage;
    GraphSession session(graph_, common, 1, console);
    if (!session.MakePlan() || !session.MakeLanes()) return session.Report();
    const size_t steps = session.plan().steps.size();
    if (steps == 0) return ReportNoNodes(session);
    Measured measured{{}, StepSamples(steps)};
    Lane& lane = *session.lanes().lanes()[0];
    const int exit_code = RunWatched(session, {[&] { return Measure(lane, MostNs(), measured); }, {}, {}});
    if (exit_code != kExitOk) return exit_code;
    Print(ReportOn(session, measured), old, json_, console);
    return session.Report();
  }

 private:
  int64_t MostNs() const {
    constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // milliseconds; effectively forever
    return static_cast<int64_t>(std::min(measure_ms_, kYear)) * 1'000'000;
  }

  GraphOptions graph_;
  uint64_t measure_ms_ = 3000;  // upper limit
  bool json_ = false;
  std::string compare_;  // a file; may be empty
};

}  // namespace

const CommandType kBenchCommand = {
    .name = "bench",
    .arguments = "GRAPH",
    .summary = "measure the run time of a graph, by node and by op",
    .about = "Runs a graph repeatedly and reports the time per run, node and op.\n",
    .details = "Measures until the median is known to within 1% or the time is up. Writes no outputs.\n",
    .notes = "A difference in speed is not an error: the exit code is 0.\n",
    .examples = R"(opsrun bench graph.yaml
opsrun bench graph.yaml --json > old.json
opsrun bench graph.yaml --compare old.json --seconds 10
)",
    .make = Make<BenchCommand>,
};

}  // namespace opsrun::host

// host/cli/commands/bench.cc: opsrun bench. Reads and plans a graph, runs it repeatedly and reports the times.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/measure/measure_graph.h"
#include "host/cli/replay.h"

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
    AddSeconds(options, measure_ms_);
    options.Count("--concurrency K", concurrency_, kMostCallers,
                  "then measure requests, for as long again: one at a time, and K at a time, each with\n"
                  "its own memory; --threads counts their threads, too");
    options.Flag("--json", json_, "print all results as one JSON document");
    options.Text("--compare OLD.json", compare_, "compare with the document of an earlier run");
    AddLimits(options, graph_);
    AddReproDir(options, graph_);
    AddLoading(options, graph_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    std::optional<BenchReport> old;
    if (!compare_.empty() && !(old = ReadOld(compare_, console))) return kExitUsage;
    if (!OpenReproDir(graph_, console)) return kExitUsage;
    GraphSession session(graph_, common, 1, console);
    if (!session.MakePlan() || !session.MakeLanes()) return session.Report();
    BenchReport report;
    int exit_code = MeasureRuns(session, measure_ms_, report);
    if (exit_code == kExitOk && concurrency_ > 0) {
      exit_code = MeasureLoad(session, concurrency_, measure_ms_, report);
    }
    if (exit_code != kExitOk) return exit_code;
    NoteNoRepro(graph_, console);
    Print(report, old, json_, console);
    return session.Report();
  }

 private:
  static constexpr uint32_t kMostCallers = 1024;

  GraphOptions graph_;
  uint64_t measure_ms_ = kMeasureMs;
  uint32_t concurrency_ = 0;  // 0: not given
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
    .notes =
        "A difference in speed is not an error: the exit code is 0. With --concurrency, latencies are those of single "
        "requests; p99 is the time that 99 of 100 requests do not exceed.\n",
    .examples = R"(opsrun bench graph.yaml
opsrun bench graph.yaml --json > old.json
opsrun bench graph.yaml --compare old.json --seconds 10
opsrun bench graph.yaml --concurrency 8 --threads 8
)",
    .make = Make<BenchCommand>,
};

}  // namespace opsrun::host

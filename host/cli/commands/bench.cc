// host/cli/commands/bench.cc: opsrun bench. Reads and plans a graph, or makes one for an op of a plugin, runs it
// repeatedly and reports the times.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/measure/bench_op.h"
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
    options.Argument(graph_.graph, "GRAPH or PLUGIN.so", true);
    AddFeeds(options, graph_.feeds);
    AddThreads(options, graph_.threads);
    AddPlacement(options, graph_);
    AddCudaGraphs(options, graph_);
    AddSeconds(options, measure_ms_);
    options.Count("--concurrency K", concurrency_, kMostCallers,
                  "then measure requests, for as long again: one at a time, and K at a time, each with\n"
                  "its own memory; --threads counts their threads, too");
    options.Flag("--json", json_, "print all results as one JSON document");
    options.Text("--compare OLD", compare_,
                 "compare with the document of an earlier run, OLD.json; or an op with that of another plugin file,\n"
                 "OLD.so, both measured in turns");
    AddLimits(options, graph_);
    AddReproDir(options, graph_);
    AddLoading(options, graph_);
    AddBenchedOp(options, request_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (const std::optional<Diagnostic> wrong = CheckRequest()) return console.Report(*wrong);
    if (IsLibraryName(graph_.graph)) return MeasureOneOp(common, console);
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

  std::optional<Diagnostic> CheckRequest() const {
    const bool of_plugin = IsLibraryName(graph_.graph);
    const char* const example = "for example: opsrun bench my_op.so --op MyOp --shape 1024,1024";
    if (!of_plugin && !request_.empty())
      return MakeError("U003", "--op, --shape, --dtype, --attr and --flops need a plugin file instead of a graph",
                       example);
    if (of_plugin && request_.flops != 0 && request_.shapes.empty())
      return MakeError("U003", "--flops needs --shape: the number belongs to one size", example);
    if (of_plugin && (concurrency_ > 0 || !graph_.feeds.empty() || graph_.frozen || !graph_.repro_dir.empty())) {
      return MakeError("U004", "--concurrency, --feed, --frozen and --repro-dir need a graph instead of a plugin file",
                       "remove them, or measure a graph that uses the op");
    }
    if (!compare_.empty() && of_plugin != IsLibraryName(compare_)) {
      return MakeError("U005",
                       of_plugin ? "--compare needs another plugin file, since an op is measured"
                                 : "--compare needs a document of an earlier run, since a graph is measured",
                       of_plugin ? "for example: opsrun bench my_op.so --op MyOp --compare old/my_op.so"
                                 : "for example: opsrun bench graph.yaml --compare old.json");
    }
    return std::nullopt;
  }

  int MeasureOneOp(const CommonOptions& common, Console& console) {
    OpReport report;
    const int exit_code = MeasureOp(graph_.graph, compare_, request_, graph_, common, measure_ms_, console, report);
    if (exit_code == kExitOk) console.Print(json_ ? OpReportJson(report) : Printable(OpReportText(report)));
    return exit_code;
  }

  GraphOptions graph_;
  BenchedOp request_;
  uint64_t measure_ms_ = kMeasureMs;
  uint32_t concurrency_ = 0;  // 0: not given
  bool json_ = false;
  std::string compare_;  // a document or a plugin file; may be empty
};

}  // namespace

const CommandType kBenchCommand = {
    .name = "bench",
    .arguments = "GRAPH | PLUGIN.so",
    .summary = "measure the run time of a graph, by node and by op, or of one op",
    .about =
        "Runs a graph repeatedly and reports the time per run, node and op. For an op of a plugin file, makes a graph, "
        "and\n"
        "compares the op with what this machine can do.\n",
    .details = "Measures until the median is known to within 1% or the time is up. Writes no outputs.\n",
    .notes =
        "A difference in speed is not an error: the exit code is 0. With --concurrency, latencies are those of single "
        "requests; p99 is the time that 99 of 100 requests do not exceed.\n",
    .examples = R"(opsrun bench graph.yaml
opsrun bench graph.yaml --json > old.json
opsrun bench graph.yaml --compare old.json --seconds 10
opsrun bench graph.yaml --concurrency 8 --threads 8
opsrun bench my_op.so --op MyOp --shape 1024,1024
opsrun bench my_op.so --op MyOp --dtype float64 --compare old/my_op.so
)",
    .make = Make<BenchCommand>,
};

}  // namespace opsrun::host

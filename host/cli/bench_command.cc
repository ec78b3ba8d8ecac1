// host/cli/bench_command.cc: opsrun bench. Read, plan, run again and again, tell how long that takes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>

#include "host/base/file.h"
#include "host/cli/bench_measure.h"
#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/prepared_run.h"
#include "host/cli/watched.h"
#include "host/measure/bench_changes.h"
#include "host/measure/bench_json.h"
#include "host/measure/bench_text.h"
#include "host/measure/clock.h"
#include "host/measure/cpu_model.h"
#include "host/show/display_text.h"

namespace opsrun::host {
namespace {

// A document of a graph with 100,000 nodes takes 30 MB.
constexpr size_t kLargestDocument = size_t{256} << 20;

std::optional<BenchReport> ReadOld(const std::string& path, Console& console) {
  const Result<std::string> text = ReadFile(path, kLargestDocument);
  Result<BenchReport> old = text.ok() ? ReadBenchJson(*text) : Result<BenchReport>(text.status());
  if (old.ok()) return *std::move(old);
  Diagnostic d;
  d.code = "U006";
  d.message = text.ok() ? fmt::format("cannot compare with '{}': {}", path, old.status().message())
                        : "--compare: " + text.status().message();
  d.help = {"give --compare a file that 'opsrun bench GRAPH --json' wrote"};
  console.Report(d);
  return std::nullopt;
}

int ReportNoNodes(PreparedRun& prepared) {
  Diagnostic& d = prepared.diagnostics().Error("R404", "the graph has no nodes, so there is nothing to measure");
  d.file = prepared.plan().graph().source->path;
  return prepared.Report();
}

std::string ThisCpu() {
  constexpr size_t kEnough = 16 << 20;
  const Result<std::string> text = ReadFile("/proc/cpuinfo", kEnough);
  return CpuModel(text.ok() ? *text : "");
}

BenchReport ReportOn(PreparedRun& prepared, const BenchMeasure& measure) {
  BenchReport report;
  report.graph = prepared.options().graph;
  report.version = OPSRUN_VERSION;
  report.cpu = ThisCpu();
  report.threads = static_cast<uint32_t>(prepared.engine().threads());
  report.memory_bytes = prepared.lanes().lanes()[0]->MemoryBytes();
  const Sampling& sampling = measure.sampling();
  report.run = Summarize(sampling.samples);
  report.batch = sampling.batch;
  report.stable = sampling.stable;
  report.measured_ns = static_cast<double>(sampling.ns);
  report.clock_ns = ClockCost();
  AddRows(measure.steps(), FactsOf(prepared.plan()), report);
  return report;
}

// The comparison follows the figures; beside a JSON document it is talk.
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

}  // namespace

int Execute(const BenchCommand& command, const CommonOptions& common, Console& console) {
  std::optional<BenchReport> old;
  if (!command.compare.empty() && !(old = ReadOld(command.compare, console))) return kExitUsage;
  PreparedRun prepared(command.options, common, 1, console);
  if (!prepared.MakePlan() || !prepared.MakeLanes()) return prepared.Report();
  const size_t steps = prepared.plan().steps.size();
  if (steps == 0) return ReportNoNodes(prepared);
  BenchMeasure measure(*prepared.lanes().lanes()[0], steps, static_cast<int64_t>(command.measure_ms) * 1'000'000);
  const int exit_code = RunWatched(prepared, {[&] { return measure.Run(); }, {}, {}});
  if (exit_code != kExitOk) return exit_code;
  Print(ReportOn(prepared, measure), old, command.json, console);
  return prepared.Report();
}

}  // namespace opsrun::host

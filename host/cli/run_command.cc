// host/cli/run_command.cc: opsrun run. Read, plan, run, show.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/progress.h"
#include "host/cli/results.h"
#include "host/cli/run_checks.h"
#include "host/cli/run_many.h"
#include "host/cli/run_record.h"
#include "host/cli/prepared_run.h"
#include "host/cli/watched.h"

namespace opsrun::host {
namespace {

std::string OkText(const PreparedRun& prepared, const RunCommand& command, double run_ms) {
  const size_t nodes = prepared.plan().steps.size();
  std::string text = fmt::format("{} {}", nodes, nodes == 1 ? "node" : "nodes");
  if (command.repeat > 1) text += fmt::format(", {} runs", command.repeat);
  const StartTimes& times = prepared.times();
  return fmt::format("{} in {:.{}f} ms (plugins {:.1f}, check {:.1f}, load {:.1f})", text, run_ms, run_ms < 0.1 ? 4 : 2,
                     times.plugins, times.check, times.load);
}

// Runs, until all is done, something fails, or somebody wants it to stop. An exit code.
int RunAll(PreparedRun& prepared, const RunCommand& command, RunRecord& record) {
  std::atomic<uint32_t> done{0};
  Progress progress(done, command.repeat);
  Watched watched;
  const OneRun run_once = record.run_once();
  watched.runs = [&] { return RunMany(prepared.lanes(), command.repeat, prepared.stop(), run_once, done).failure; };
  if (progress.IsWanted()) watched.tick = [&] { progress.Show(); };
  watched.clear = [&] { progress.Clear(); };
  return RunWatched(prepared, watched);
}

int ShowResults(PreparedRun& prepared, const RunCommand& command, const RunRecord& record, double run_ms, Console& console) {
  const Plan& plan = prepared.plan();
  const std::vector<Tensor> results = TakeResults(plan, *prepared.lanes().lanes()[0], prepared.diagnostics());
  if (!prepared.diagnostics().has_errors()) {
    PrintResults(plan, results, console);
    WriteResults(plan, results, console, prepared.diagnostics());
    record.WriteTrace(console, prepared.diagnostics());
    RunChecks(plan, *prepared.lanes().lanes()[0], console, prepared.diagnostics());
  }
  if (!prepared.diagnostics().has_errors()) console.Ok(OkText(prepared, command, run_ms));
  return prepared.Report();
}

// What happened before the failure is worth a look.
int ShowFailure(PreparedRun& prepared, const RunRecord& record, int exit_code, Console& console) {
  Diagnostics diagnostics;
  record.WriteTrace(console, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) prepared.Tell(d);
  return exit_code;
}

}  // namespace

int Execute(const RunCommand& command, const CommonOptions& common, Console& console) {
  PreparedRun prepared(command.options, common, static_cast<int>(std::min(command.concurrency, command.repeat)), console);
  if (!prepared.MakePlan() || !prepared.MakeLanes()) return prepared.Report();
  RunRecord record(prepared, command);
  record.CheckTrace(prepared.diagnostics());
  if (prepared.diagnostics().has_errors()) return prepared.Report();
  Stopwatch watch;
  const int ran = RunAll(prepared, command, record);
  if (ran != kExitOk) return ShowFailure(prepared, record, ran, console);
  const int shown = ShowResults(prepared, command, record, watch.Lap(), console);
  record.ShowProfile(console);
  return shown;
}

}  // namespace opsrun::host

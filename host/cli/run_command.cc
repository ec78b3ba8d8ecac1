// host/cli/run_command.cc: opsrun run. Read, plan, run, show.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/progress.h"
#include "host/cli/results.h"
#include "host/cli/run_many.h"
#include "host/cli/session.h"
#include "host/cli/stopped.h"

namespace opsrun::host {
namespace {

std::string OkText(const Session& session, const RunCommand& command, double run_ms) {
  const size_t nodes = session.plan().steps.size();
  std::string text = fmt::format("{} {}", nodes, nodes == 1 ? "node" : "nodes");
  if (command.repeat > 1) text += fmt::format(", {} runs", command.repeat);
  const StartTimes& times = session.times();
  return fmt::format("{} in {:.{}f} ms (plugins {:.1f}, check {:.1f}, load {:.1f})", text, run_ms, run_ms < 0.1 ? 4 : 2,
                     times.plugins, times.check, times.load);
}

// Runs, until all is done, something fails, or somebody wants it to stop. An exit code.
int RunAll(Session& session, const RunCommand& command) {
  std::atomic<uint32_t> done{0};
  Progress progress(done, command.repeat);
  StopWatcher::Hooks hooks;
  hooks.give_up = [&](const StopCause& cause) {
    progress.Clear();
    session.Tell(DescribeStuck(session, cause, command.options));
    _exit(StopExitCode(cause));
  };
  if (progress.IsWanted()) hooks.tick = [&] { progress.Show(); };
  StopWatcher watcher(session.stop(), command.options.timeout_ms, std::move(hooks));

  const RunOnce run_once = [](Lane& lane, uint32_t, uint32_t) { return lane.Run(); };
  const ManyRuns runs = RunMany(session.lanes(), command.repeat, session.stop(), run_once, done);
  progress.Clear();
  if (!runs.failure) return kExitOk;
  if (const std::optional<StopCause> cause = watcher.cause()) {
    session.Tell(DescribeStop(session, *cause, command.options, *runs.failure));
    return StopExitCode(*cause);
  }
  Diagnostic failure = DescribeFailure(session.plan(), *runs.failure);
  if (runs.failure->status.code() == OPSRUN_RESOURCE_EXHAUSTED) session.ExplainLimit(failure);
  session.diagnostics().all().push_back(std::move(failure));
  return session.Report();
}

int ShowResults(Session& session, const RunCommand& command, double run_ms, Console& console) {
  const Plan& plan = session.plan();
  const std::vector<Tensor> results = TakeResults(plan, *session.lanes().lanes()[0], session.diagnostics());
  if (!session.diagnostics().has_errors()) {
    PrintResults(plan, results, console);
    WriteResults(plan, results, console, session.diagnostics());
  }
  if (!session.diagnostics().has_errors()) console.Ok(OkText(session, command, run_ms));
  return session.Report();
}

}  // namespace

int Execute(const RunCommand& command, const CommonOptions& common, Console& console) {
  Session session(command.options, common, console);
  if (!session.Prepare(std::min(command.concurrency, command.repeat))) return session.exit_code();
  Stopwatch watch;
  const int exit_code = RunAll(session, command);
  if (exit_code != kExitOk) return exit_code;
  return ShowResults(session, command, watch.Lap(), console);
}

}  // namespace opsrun::host

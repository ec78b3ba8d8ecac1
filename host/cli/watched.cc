// host/cli/watched.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/watched.h"

#include <fmt/format.h>

#include <csignal>
#include <string>
#include <vector>

#include "host/base/exit_status.h"
#include "host/cli/guard/crash_report.h"
#include "host/cli/guard/stop_watcher.h"

namespace opsrun::host {
namespace {

std::string By(const StopCause& cause, const GraphOptions& options) {
  if (cause.signal == SIGINT) return "by Ctrl-C";
  if (cause.signal != 0) return "by SIGTERM";
  return fmt::format("by --timeout after {:g} s", static_cast<double>(options.timeout_ms) / 1000);
}

Diagnostic Stopped(const Plan& plan, const StopCause& cause, uint32_t step) {
  const Node& node = plan.NodeOf(plan.steps[step]);
  Diagnostic d;
  d.code = cause.signal == 0 ? Code("R403") : Code("R402");
  d.file = plan.graph().source->path;
  d.where = node.name.span;
  return d;
}

// The node that ran when the runs were told to stop, and who told them.
Diagnostic DescribeStop(const PreparedRun& run, const StopCause& cause, const RunFailure& failure) {
  Diagnostic d = Stopped(run.plan(), cause, failure.step);
  d.message = fmt::format("stopped {} while node '{}' ran", By(cause, run.options()),
                          run.plan().NodeOf(run.plan().steps[failure.step]).name.value);
  if (cause.signal == 0) d.help.push_back("give it more time with --timeout, or leave that out");
  return d;
}

// The nodes that still run although they were told to stop. From any thread.
Diagnostic DescribeStuck(PreparedRun& run, const StopCause& cause) {
  std::vector<uint32_t> steps;
  for (const std::unique_ptr<Lane>& lane : run.lanes().lanes()) {
    for (const uint32_t step : lane->Running()) steps.push_back(step);
  }
  std::string names;
  for (const uint32_t step : steps) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", run.plan().NodeOf(run.plan().steps[step]).name.value);
  }
  Diagnostic d = Stopped(run.plan(), cause, steps.empty() ? 0 : steps[0]);
  d.message =
      fmt::format("stopped {} while {} {} ran", By(cause, run.options()), steps.size() == 1 ? "node" : "nodes", names);
  d.notes.push_back("the kernel did not return when it was asked to, so opsrun ended without it");
  if (!steps.empty()) {
    const PluginCodeFacts facts = run.plan().Facts(run.plan().steps[steps[0]], PluginPhase::kCompute);
    d.notes.push_back(fmt::format("plugin '{}' ({})", facts.name, facts.path));
  }
  d.help.push_back("if you write the kernel: call IsCancelled() regularly, and return when it is true");
  return d;
}

// kExitTimeout, or 128 + n for signal n.
int StopExitCode(const StopCause& cause) {
  return cause.signal == 0 ? kExitTimeout : 128 + cause.signal;
}

int ReportFailure(PreparedRun& run, const RunFailure& failure) {
  Diagnostic d = DescribeFailure(run.plan(), failure);
  if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) run.engine().ExplainLimit(d);
  run.diagnostics().all().push_back(std::move(d));
  return run.Report();
}

}  // namespace

int RunWatched(PreparedRun& run, const Watched& watched) {
  const auto clear = [&] {
    if (watched.clear) watched.clear();
  };
  StopWatcher::Hooks hooks;
  hooks.give_up = [&](const StopCause& cause) {
    EndSoon(StopExitCode(cause));
    clear();
    run.Tell(DescribeStuck(run, cause));
    EndProgram(StopExitCode(cause));
  };
  hooks.tick = watched.tick;
  StopWatcher watcher(run.stop(), run.watchdog().deadline(), std::move(hooks));

  if (watcher.watches()) run.watchdog().Suspend();
  const std::optional<RunFailure> failure = watched.runs();
  run.watchdog().Resume();
  clear();
  run.RestoreProcess();
  if (!failure) return kExitOk;
  const std::optional<StopCause> cause = watcher.cause();
  if (!cause) return ReportFailure(run, *failure);
  run.Tell(DescribeStop(run, *cause, *failure));
  return StopExitCode(*cause);
}

}  // namespace opsrun::host

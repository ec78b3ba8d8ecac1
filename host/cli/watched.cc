// host/cli/watched.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/watched.h"

#include <fmt/format.h>

#include <algorithm>
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

Diagnostic Stopped(const Plan& plan, const StopCause& cause) {
  Diagnostic d;
  d.code = cause.signal == 0 ? Code("R403") : Code("R402");
  d.file = plan.graph().source->path;
  return d;
}

// The node that ran when the runs were told to stop, and who told them.
Diagnostic DescribeStop(const PreparedRun& run, const StopCause& cause, const RunFailure& failure) {
  const Node& node = run.plan().NodeOf(run.plan().steps[failure.step]);
  Diagnostic d = Stopped(run.plan(), cause);
  d.where = node.name.span;
  d.message = fmt::format("stopped {} while node '{}' ran", By(cause, run.options()), node.name.value);
  if (cause.signal == 0) d.help.push_back("give it more time with --timeout, or leave that out");
  return d;
}

// Of all lanes. From any thread.
std::vector<RunningStep> Running(PreparedRun& run) {
  std::vector<RunningStep> running;
  for (const std::unique_ptr<Lane>& lane : run.lanes().lanes()) {
    const std::vector<RunningStep> of_lane = lane->Running();
    running.insert(running.end(), of_lane.begin(), of_lane.end());
  }
  return running;
}

// Between kernels, opsrun itself runs, and ends soon.
bool CanBeAsked(const std::vector<RunningStep>& running) {
  return running.empty() || std::any_of(running.begin(), running.end(), [](auto& step) { return !step.on_device; });
}

// " while nodes 'a', 'b' ran"; empty for none.
std::string WhileRan(const Plan& plan, const std::vector<RunningStep>& running) {
  if (running.empty()) return "";
  std::vector<std::string> names;
  for (const RunningStep& each : running)
    names.push_back(fmt::format("'{}'", plan.NodeOf(plan.steps[each.step]).name.value));
  return fmt::format(" while {} {} ran", names.size() == 1 ? "node" : "nodes", fmt::join(names, ", "));
}

// The nodes that still run although they were told to stop. From any thread.
Diagnostic DescribeStuck(PreparedRun& run, const StopCause& cause) {
  const Plan& plan = run.plan();
  const std::vector<RunningStep> running = Running(run);
  Diagnostic d = Stopped(plan, cause);
  d.message = fmt::format("stopped {}{}", By(cause, run.options()), WhileRan(plan, running));
  if (running.empty()) return d;
  const bool on_device = running[0].on_device;
  d.where = plan.NodeOf(plan.steps[running[0].step]).name.span;
  d.notes.push_back(on_device ? "a kernel on a device cannot be interrupted, so opsrun ended while it was running"
                              : "the kernel did not return when it was asked to, so opsrun ended without it");
  const PluginCodeFacts facts = plan.Facts(plan.steps[running[0].step], PluginPhase::kCompute);
  if (!facts.name.empty()) d.notes.push_back(fmt::format("plugin '{}' ({})", facts.name, facts.path));
  d.help.push_back(on_device ? "if more time does not help, report it to the plugin's author"
                             : "if you write the kernel: call IsCancelled() regularly, and return when it is true");
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
  hooks.can_be_asked = [&] { return CanBeAsked(Running(run)); };
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

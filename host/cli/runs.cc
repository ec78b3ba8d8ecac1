// host/cli/runs.cc: runs of a planned graph, one after the other or several at once.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "host/base/display_text.h"
#include "host/cli/replay.h"
#include "host/cli/session.h"
#include "host/threads/thread_pool.h"

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

// Names the node that was running when a stop was requested, and who requested it.
Diagnostic DescribeStop(const GraphSession& run, const StopCause& cause, const RunFailure& failure) {
  const Step& step = run.plan().steps[failure.step];
  const Node& node = run.plan().NodeOf(step);
  Diagnostic d = Stopped(run.plan(), cause);
  d.where = node.name.span;
  d.message = fmt::format("stopped {} while node '{}' was running", By(cause, run.options()), node.name.value);
  if (cause.signal != 0) return d;
  d.help.push_back("raise --timeout, or remove it");
  if (step.more->part != nullptr)
    d.help.push_back("with --node-timeout, too, only isolated nodes that hang fail, and their backtrace is shown");
  return d;
}

// Collects from all lanes. From any thread.
std::vector<RunningStep> Running(GraphSession& run) {
  std::vector<RunningStep> running;
  for (const std::unique_ptr<Lane>& lane : run.lanes().lanes()) {
    const std::vector<RunningStep> of_lane = lane->Running();
    running.insert(running.end(), of_lane.begin(), of_lane.end());
  }
  return running;
}

// If no kernel runs, opsrun itself does, and it ends soon.
bool CanBeAsked(const std::vector<RunningStep>& running) {
  return running.empty() || std::any_of(running.begin(), running.end(), [](auto& step) { return !step.on_device; });
}

// " while nodes 'a', 'b' were running"; empty if none run.
std::string WhileRan(const Plan& plan, const std::vector<RunningStep>& running) {
  if (running.empty()) return "";
  std::vector<std::string> names;
  for (const RunningStep& each : running) names.push_back(fmt::format("'{}'", plan.NodeName(plan.steps[each.step])));
  const bool one = names.size() == 1;
  return fmt::format(" while {} {} {} running", one ? "node" : "nodes", fmt::join(names, ", "), one ? "was" : "were");
}

// Names the nodes that still run although they were asked to stop. From any thread.
Diagnostic DescribeStuck(GraphSession& run, const StopCause& cause) {
  const Plan& plan = run.plan();
  const std::vector<RunningStep> running = Running(run);
  Diagnostic d = Stopped(plan, cause);
  d.message = fmt::format("stopped {}{}", By(cause, run.options()), WhileRan(plan, running));
  if (running.empty()) return d;
  const bool on_device = running[0].on_device;
  d.where = plan.NodeOf(plan.steps[running[0].step]).name.span;
  d.notes.push_back(on_device
                        ? "a kernel on a device cannot be interrupted, so opsrun exited while it was running"
                        : "the kernel did not return when it was asked to stop, so opsrun exited while it was running");
  const PluginCodeFacts facts = plan.Facts(plan.steps[running[0].step], PluginPhase::kCompute);
  if (!facts.name.empty()) d.notes.push_back(fmt::format("plugin '{}' ({})", facts.name, facts.path));
  d.help.push_back(on_device ? "if more time does not help, report it to the plugin's author"
                             : "if you are its author: call IsCancelled() regularly, and return when it is true");
  return d;
}

// kExitTimeout, or 128 + n for signal n.
int StopExitCode(const StopCause& cause) {
  return cause.signal == 0 ? kExitTimeout : 128 + cause.signal;
}

void AddFailure(GraphSession& run, Diagnostic d) {
  if (d.code == Code("D401")) run.engine().ExplainLimit(d);
  run.diagnostics().all().push_back(std::move(d));
}

// With keep_going, those of all nodes, in the order of the graph.
void AddFailures(GraphSession& run, const RunFailure& failure) {
  if (!run.engine().keeps_going()) return AddFailure(run, DescribeFailure(run.plan(), failure));
  for (Diagnostic& d : DescribeFailures(run.plan(), failure)) AddFailure(run, std::move(d));
  run.diagnostics().Sort();
}

}  // namespace

ManyRuns RunMany(LanePool& lanes, uint32_t count, StopSignal& stop, const OneRun& run_once,
                 std::atomic<uint32_t>& done) {
  std::optional<RunFailure> failure;
  std::mutex mutex;  // guards failure
  std::atomic<uint32_t> next{1};
  const auto call = [&](Lane& lane, uint32_t caller) {
    for (uint32_t run = caller == 0 ? 0 : next++; run < count; run = next++) {
      lane.Rest(/*arena=*/false);  // lets all lanes reuse the memory of the last run
      if (std::optional<RunFailure> of_run = run_once(lane, run, caller)) {
        stop.Stop();
        next = count;
        const std::lock_guard<std::mutex> lock(mutex);
        // Others are probably caused by stopping the runs. The one that can be replayed was first.
        if (!failure || of_run->repro.written) failure = std::move(of_run);
        return;
      }
      ++done;
    }
  };
  const LanePool::Lease first = lanes.Borrow();  // lane 0, taken before other callers start
  const auto callers = static_cast<uint32_t>(std::min<size_t>(lanes.lanes().size(), count));
  std::vector<std::thread> threads;
  for (uint32_t caller = 1; caller < callers; ++caller) {
    std::thread thread = StartThread([&, caller] {
      PrepareThread();
      call(*lanes.Borrow(), caller);
    });
    if (!thread.joinable()) break;
    threads.push_back(std::move(thread));
  }
  call(*first, 0);
  for (std::thread& thread : threads) thread.join();
  return {failure, static_cast<uint32_t>(threads.size()) + 1, callers};
}

int RunWatched(GraphSession& run, const Watched& watched) {
  const auto clear = [&] {
    if (watched.clear) watched.clear();
  };
  StopWatcher::Hooks hooks;
  hooks.can_be_asked = [&] { return CanBeAsked(Running(run)); };
  hooks.give_up = [&](const StopCause& cause) {
    EndSoon(StopExitCode(cause), kBacktraceSeconds + kSecondsToReport);
    clear();
    Diagnostic d = DescribeStuck(run, cause);
    d.backtrace = BacktraceOfMainThread();
    if (cause.signal == 0) KeepStuck(run.lanes(), d);
    EndSoon(StopExitCode(cause));
    run.Tell(std::move(d));
    EndProgram(StopExitCode(cause));
  };
  hooks.tick = watched.tick;

  const StopWatcher::Runs runs(run.watcher(), run.stop(), std::move(hooks));
  const std::optional<RunFailure> failure = watched.runs();
  clear();
  run.RestoreProcess();
  if (!failure) return kExitOk;
  const std::optional<StopCause> cause = run.watcher().cause();
  if (!cause) {
    AddFailures(run, *failure);
    return run.engine().keeps_going() ? kExitOk : run.Report();
  }
  for (const RunFailure& earlier : failure->more) run.Tell(DescribeFailure(run.plan(), earlier));
  run.Tell(DescribeStop(run, *cause, *failure));
  return StopExitCode(*cause);
}

}  // namespace opsrun::host

// host/cli/runs.cc: runs of a planned graph, one after the other or several at once, and what becomes of them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/replay.h"
#include "host/cli/session.h"
#include "host/tensor/npy.h"
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
  const Node& node = run.plan().NodeOf(run.plan().steps[failure.step]);
  Diagnostic d = Stopped(run.plan(), cause);
  d.where = node.name.span;
  d.message = fmt::format("stopped {} while node '{}' was running", By(cause, run.options()), node.name.value);
  if (cause.signal == 0) d.help.push_back("raise --timeout, or remove it");
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

int ReportFailure(GraphSession& run, const RunFailure& failure) {
  Diagnostic d = DescribeFailure(run.plan(), failure);
  if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) run.engine().ExplainLimit(d);
  run.diagnostics().all().push_back(std::move(d));
  return run.Report();
}

std::string TypeText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

// A file that is whole but not yet under its name, and the outputs in it: one, or those of an archive.
struct PendingFile {
  std::string path;
  std::vector<size_t> outputs;  // indices into the plan's outputs
  bool npy;
  std::optional<AtomicFile> file;
};

const GraphOutput& OutputOf(const Plan& plan, size_t i) {
  return *plan.outputs[i].output;
}

void ReportUnwritten(const Plan& plan, const PendingFile& pending, const Status& status, std::string help,
                     Diagnostics& diagnostics) {
  const GraphOutput& output = OutputOf(plan, pending.outputs.front());
  const Span& where = output.file() == nullptr ? output.name.span : output.file()->span;
  diagnostics.Error("R501", status.message(), plan.graph().source->path, where).help = {std::move(help)};
}

// The files to write: those of the graph in the order of its outputs, then those of --output.
std::vector<PendingFile> FindFiles(const Plan& plan, size_t outputs, const OutputFiles& more) {
  std::vector<PendingFile> files;
  std::map<std::string, size_t> archives;  // by FileIdentity: index into files
  for (size_t i = 0; i < outputs; ++i) {
    const GraphOutput& output = OutputOf(plan, i);
    if (output.file() == nullptr) continue;
    std::string path = plan.graph().Resolve(output.file()->value);
    const auto [place, is_new] = archives.emplace(FileIdentity(path), files.size());
    if (is_new) files.push_back({std::move(path), {}, output.npy.has_value(), std::nullopt});
    files[place->second].outputs.push_back(i);
  }
  for (const auto& [i, path] : more) files.push_back({path, {i}, true, std::nullopt});
  return files;
}

Result<AtomicFile> WriteOneAside(const Plan& plan, const PendingFile& pending, const std::vector<Tensor>& results) {
  if (pending.npy) return WriteNpyAside(pending.path, results[pending.outputs.front()]);
  std::vector<NpzEntry> entries;
  for (const size_t i : pending.outputs) entries.push_back({OutputOf(plan, i).key.value, results[i]});
  return WriteNpzAside(pending.path, entries);
}

// All files, or errors: then those that could be written go away with the answer.
std::vector<PendingFile> WritePendingFiles(const Plan& plan, const std::vector<Tensor>& results,
                                           const OutputFiles& more, Diagnostics& diagnostics) {
  std::vector<PendingFile> files = FindFiles(plan, results.size(), more);
  for (PendingFile& each : files) {
    Result<AtomicFile> file = WriteOneAside(plan, each, results);
    if (file.ok()) {
      each.file.emplace(*std::move(file));
    } else {
      ReportUnwritten(plan, each, file.status(), "use a writable path; no file was changed", diagnostics);
    }
  }
  return files;
}

void TellWritten(const Plan& plan, const PendingFile& pending, const std::vector<Tensor>& results, Console& console) {
  for (const size_t i : pending.outputs) {
    const GraphOutput& output = OutputOf(plan, i);
    const std::string key = !pending.npy ? ":" + output.key.value : "";
    console.Note(fmt::format("wrote {} to {}{}: {}", output.name.value, pending.path, key, TypeText(results[i])));
  }
}

// Gives each file its name, then writes the streams. A failure stops it.
void CommitFiles(const Plan& plan, std::vector<PendingFile>& files, const std::vector<Tensor>& results,
                 Console& console, Diagnostics& diagnostics) {
  // A reader that goes away early must not keep files from being written.
  std::vector<PendingFile*> ordered;
  for (PendingFile& each : files) ordered.push_back(&each);
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const PendingFile* each) { return !each->file->is_stream(); });
  for (PendingFile* const each : ordered) {
    const Status status = each->file->Commit();
    if (!status.ok()) {
      return ReportUnwritten(plan, *each, status,
                             "run it again; only the outputs that were reported before this are complete", diagnostics);
    }
    TellWritten(plan, *each, results, console);
  }
}

Diagnostic& CheckError(const Plan& plan, const PlanCheck& check, Code code, std::string message,
                       Diagnostics& diagnostics) {
  return diagnostics.Error(code, std::move(message), plan.graph().source->path, check.check->from.span);
}

// "3 of 12 elements differ; here the difference is 0.5, but at most 1e-05 is allowed (rtol 1e-05, atol 1e-08)"
std::string ExtentText(const Tensor& found, const PlanCheck& check, const Comparison& comparison) {
  const auto all = static_cast<size_t>(found.num_elements());
  std::string text =
      fmt::format("{} of {} differ{}", comparison.wrong, Several(all, "element"), comparison.wrong == 1 ? "s" : "");
  if (!std::isfinite(comparison.difference)) return text;
  return text + fmt::format("; here the difference is {:.6g}, but at most {:.6g} is allowed (rtol {:g}, atol {:g})",
                            comparison.difference, comparison.allowed, check.tolerance.rtol, check.tolerance.atol);
}

bool Holds(const Plan& plan, const PlanCheck& check, const Tensor& found, Diagnostics& diagnostics) {
  if (found.shape() != check.expected.shape()) {
    CheckError(plan, check, "R405",
               fmt::format("check of '{}' failed: it has shape {}, expected {}", check.name, ShapeText(found.shape()),
                           ShapeText(check.expected.shape())),
               diagnostics);
    return false;
  }
  const Comparison worst = CompareTensors(found, check.expected, check.tolerance);
  if (worst.wrong == 0) return true;
  const std::string place = found.shape().empty() ? "" : " at " + IndexText(found.shape(), worst.place);
  const std::string is = ElementText(found, worst.place), should_be = ElementText(check.expected, worst.place);
  Diagnostic& error = CheckError(
      plan, check, "R405",
      fmt::format("check of '{}' failed{}: found {}, expected {}", check.name, place, is, should_be), diagnostics);
  error.notes.push_back(ExtentText(found, check, worst));
  if (is == should_be) {
    error.help.push_back("NaN is not equal to NaN unless the check sets equal_nan: true");
  }
  return false;
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
  if (!cause) return ReportFailure(run, *failure);
  run.Tell(DescribeStop(run, *cause, *failure));
  return StopExitCode(*cause);
}

OutputFiles FindOutputFiles(const GraphSession& session, const std::vector<FeedArgument>& arguments,
                            Diagnostics& diagnostics) {
  const Plan& plan = session.plan();
  std::vector<GraphFile> in_use = FilesInUse(&plan.graph(), session.options().feeds);
  std::vector<std::string> names;
  for (const PlanOutput& output : plan.outputs) names.push_back(output.output->name.value);
  OutputFiles files;
  for (const FeedArgument& argument : arguments) {
    const auto at = std::ranges::find(names, argument.name);
    const std::string option = "--output " + argument.name;
    if (at == names.end()) {
      diagnostics.all().push_back(MakeError("U005", fmt::format("{}: the graph has no such output", option),
                                            DidYouMean(argument.name, names, "outputs")));
    } else if (std::optional<Diagnostic> refused = RefuseFileInUse(option, argument.path, in_use)) {
      diagnostics.all().push_back(*std::move(refused));
    }
    in_use.push_back({argument.path, FileIdentity(argument.path), option, {}});
    files[static_cast<size_t>(at - names.begin())] = argument.path;
  }
  return files;
}

void WriteResults(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& more, Console& console,
                  Diagnostics& diagnostics) {
  const OutputAside::Back back(console.aside());
  std::vector<PendingFile> files = WritePendingFiles(plan, results, more, diagnostics);
  if (diagnostics.has_errors()) return;
  CommitFiles(plan, files, results, console, diagnostics);
}

void PrintResults(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& more, Console& console) {
  std::string shortened;
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = OutputOf(plan, i);
    if (!output.print || more.contains(i)) continue;
    const std::string name = Printable(output.name.value);
    console.Print(fmt::format("{}  {}\n{}\n", name, TypeText(results[i]), PrintTensor(results[i])));
    if (results[i].num_elements() > kMostPrinted) shortened += (shortened.empty() ? "" : ", ") + name;
  }
  if (!shortened.empty())
    console.Note(fmt::format("not all elements of {} are printed; --output NAME=FILE.npy writes them", shortened));
}

void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics) {
  size_t passed = 0;
  for (const PlanCheck& check : plan.checks) {
    const Result<Tensor> found = lane.Value(check.value);
    if (found.ok()) {
      passed += Holds(plan, check, *found, diagnostics) ? 1 : 0;
    } else {
      CheckError(plan, check, "D102", fmt::format("check of '{}': {}", check.name, found.status().message()),
                 diagnostics);
    }
  }
  if (plan.checks.empty()) return;
  console.Note(fmt::format("{} of {} checks passed", passed, plan.checks.size()));
}

}  // namespace opsrun::host

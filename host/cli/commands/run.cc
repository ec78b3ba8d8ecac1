// host/cli/commands/run.cc: opsrun run. Reads, plans and runs a graph and prints its outputs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/measure/measure.h"
#include "host/cli/progress.h"
#include "host/cli/replay.h"
#include "host/cli/session.h"
#include "host/show/json_text.h"
#include "host/tensor/number_type.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

struct RunSettings {
  uint32_t repeat = 1;
  uint32_t concurrency = 1;
  uint32_t print_every = 0;           // 0: only after the last run
  std::string trace;                  // a file; may be empty
  std::vector<FeedArgument> outputs;  // --output
  bool profile = false;
  bool json = false;
};

void AddError(const Status& status, Diagnostics& diagnostics) {
  diagnostics.Error("R503", status.message()).help = {"pass a writable path to --trace; an existing file is unchanged"};
}

std::string HowMuch(const TraceLog& log) {
  size_t begun = 0;
  for (const TracedRun& run : log.runs()) begun += run.begin != 0 ? 1 : 0;
  if (log.runs().size() == log.all()) return Several(begun, "run");
  return fmt::format("the first {} of {}; the others are left out", begun, Several(log.all(), "run"));
}

// --trace and --profile: records times during runs and reports them.
class RunRecord {
 public:
  RunRecord(const GraphSession& session, const RunSettings& settings) : session_(session), settings_(settings) {
    if (!settings.trace.empty()) trace_.emplace(TimedSteps(session.plan()), settings.repeat);
  }

  // The function for one run. It measures times only if requested.
  OneRun run_once() {
    if (!trace_ && !settings_.profile) return [](Lane& lane, uint32_t, uint32_t) { return lane.Run(); };
    callers_.resize(std::min(settings_.concurrency, settings_.repeat));
    return [this](Lane& lane, uint32_t run, uint32_t caller) { return RunTimed(lane, run, caller); };
  }

  // Errors (R503) if the trace cannot be written. Call WriteTrace after the runs, even if they failed.
  void OpenTrace(const OutputFiles& files, Diagnostics& diagnostics, const Console& console) {
    if (!trace_) return;
    const OutputAside::Back back(console.aside());
    const GraphOptions& options = session_.options();
    std::vector<GraphFile> in_use = FilesInUse(&session_.plan().graph(), options.feeds);
    for (const auto& [i, file] : files) in_use.push_back({file, FileIdentity(file), "--output", {}});
    if (std::optional<Diagnostic> refused = RefuseFileInUse("--trace", settings_.trace, in_use)) {
      return diagnostics.all().push_back(*std::move(refused));
    }
    Result<AtomicFile> file = AtomicFile::Create(settings_.trace);
    if (!file.ok()) return AddError(file.status(), diagnostics);
    trace_file_.emplace(*std::move(file));
  }

  void WriteTrace(Console& console, Diagnostics& diagnostics) {
    if (!trace_file_) return;
    Status status =
        host::WriteTrace(*trace_, FactsOf(session_.plan()), session_.options().graph,
                         [&](std::string_view text) { return trace_file_->Write(text.data(), text.size()); });
    if (status.ok()) status = trace_file_->Commit();
    if (!status.ok()) return AddError(status, diagnostics);
    console.Note(fmt::format("wrote the trace to {}: {}; view it with ui.perfetto.dev or chrome://tracing",
                             settings_.trace, HowMuch(*trace_)));
  }

  // Prints nothing unless requested.
  void ShowProfile(Console& console) const {
    if (!settings_.profile) return;
    ProfileSums all;
    for (const Caller& caller : callers_) all.Merge(caller.sums);
    console.Show("profile", ProfileText(all, FactsOf(session_.plan()), ClockCost()));
  }

 private:
  // The data of one caller of runs.
  struct Caller {
    RunTimes times;
    ProfileSums sums;
  };

  // Copies the times outside the measured interval.
  std::optional<RunFailure> RunTimed(Lane& lane, uint32_t run, uint32_t caller) {
    auto& [times, sums] = callers_[caller];
    times.wants_parts = trace_ && trace_->Keeps(run);
    const int64_t begin = NowNs();
    std::optional<RunFailure> failure = lane.RunTimed(times);
    const int64_t end = NowNs();
    if (settings_.profile && !failure) sums.Add(times.steps, end - begin);
    if (times.wants_parts) trace_->At(run) = {begin, end, caller, failure.has_value(), times};
    return failure;
  }

  const GraphSession& session_;
  const RunSettings& settings_;
  std::vector<Caller> callers_;
  std::optional<TraceLog> trace_;
  std::optional<AtomicFile> trace_file_;
};

std::string OkText(const GraphSession& session, const RunSettings& settings, int64_t run_ns) {
  std::string text = Several(session.plan().graph().num_nodes(), "node");
  if (settings.repeat > 1) text += ", " + Several(settings.repeat, "run");
  return fmt::format("{} in {} ({})", text, DurationText(static_cast<double>(run_ns)), session.StartTimes());
}

// One tensor per output of the plan, empty if it is missing. Error D102: out of memory.
std::vector<Tensor> TakeResults(const GraphSession& session, const Lane& lane, Diagnostics& diagnostics) {
  const Plan& plan = session.plan();
  std::vector<Tensor> results;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Located<std::string>& name = plan.outputs[i].output->name;
    Result<Tensor> result = lane.HasOutput(i) ? lane.Output(i) : Tensor();
    if (result.ok()) {
      results.push_back(*std::move(result));
    } else {
      session.engine().ExplainLimit(
          diagnostics.Error("D102", fmt::format("output '{}': {}", name.value, result.status().message()),
                            plan.graph().source->path, name.span));
    }
  }
  return results;
}

// What PrintResults prints, but the scalars on one line, "run 50  loss 0.25"; if there are none, all of them under "run
// 50".
void PrintProgress(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& files, uint32_t run,
                   Console& console) {
  std::string scalars;
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = *plan.outputs[i].output;
    const bool is_shown = output.print && results[i].shape().empty() && !files.contains(i);
    if (is_shown) scalars += fmt::format("  {} {}", output.name.value, PrintTensor(results[i]));
  }
  console.Print(fmt::format("run {}{}\n", run, scalars));
  if (scalars.empty()) PrintResults(plan, results, files, console);
}

// Prints the outputs after every N-th run except the last, whose outputs are printed separately.
OneRun PrintingRun(GraphSession& session, const RunSettings& settings, const OutputFiles& files, RunRecord& record,
                   Console& console) {
  return [&, run_once = record.run_once()](Lane& lane, uint32_t run, uint32_t caller) {
    std::optional<RunFailure> failure = run_once(lane, run, caller);
    const uint32_t number = run + 1;
    if (failure || number % settings.print_every != 0 || number == settings.repeat) return failure;
    Diagnostics no_memory;
    const std::vector<Tensor> results = TakeResults(session, lane, no_memory);
    if (!no_memory.has_errors()) PrintProgress(session.plan(), results, files, number, console);
    return failure;
  };
}

// Runs until all runs are done, one fails, or a stop is requested. Returns an exit status.
int RunAll(GraphSession& session, const RunSettings& settings, const OutputFiles& files, RunRecord& record,
           Console& console) {
  std::atomic<uint32_t> done{0};
  Progress progress(session, done, settings.repeat);
  Watched watched;
  const OneRun run_once =
      settings.print_every == 0 ? record.run_once() : PrintingRun(session, settings, files, record, console);
  watched.runs = [&] {
    const ManyRuns ran = RunMany(session.lanes(), settings.repeat, session.stop(), run_once, done);
    if (ran.callers < ran.wanted) {
      progress.Clear();
      console.Note(
          fmt::format("only {} of {} runs at a time: no more threads could be started", ran.callers, ran.wanted));
    }
    return ran.failure;
  };
  if (progress.IsWanted() && settings.print_every == 0) watched.tick = [&] { progress.Show(); };
  watched.clear = [&] { progress.Clear(); };
  return RunWatched(session, watched);
}

// The type is null if the result is missing. Numbers that JSON lacks are texts, as in graph files: ".nan", "1+2j".
Json ResultJson(const GraphOutput& output, const Tensor& tensor, bool is_shown, const std::string& file) {
  if (IsMissing(tensor)) {
    return {{"name", output.name.value}, {"dtype", Json()}, {"shape", Json()}, {"values", Json()}, {"file", Json()}};
  }
  Json values = Json::array();
  for (int64_t i = 0; is_shown && i < tensor.num_elements(); ++i) {
    const bool is_text = tensor.dtype() == DType::kString;
    const std::string text = is_text ? std::string(tensor.string(i)) : ExactText(tensor, i);
    values.push_back(is_text || !Json::accept(text) ? Json(text) : Json::parse(text));
  }
  return {{"name", output.name.value},
          {"dtype", DTypeName(tensor.dtype())},
          {"shape", tensor.shape()},
          {"values", is_shown ? values : Json()},
          {"file", OrNull(file)}};
}

// --json: one document. Requires: the results were written.
std::string ResultsJson(const GraphSession& session, const RunSettings& settings, const std::vector<Tensor>& results,
                        const OutputFiles& files, int64_t run_ns) {
  const Plan& plan = session.plan();
  Json outputs = Json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = *plan.outputs[i].output;
    const auto more = files.find(i);
    const std::string own = output.file() == nullptr ? "" : plan.graph().Resolve(output.file()->value);
    outputs.push_back(
        ResultJson(output, results[i], output.print && more == files.end(), more != files.end() ? more->second : own));
  }
  return JsonDocument({{"graph", session.options().graph},
                       {"nodes", plan.graph().num_nodes()},
                       {"runs", settings.repeat},
                       {"run_seconds", static_cast<double>(run_ns) / 1e9},
                       {"checks", plan.checks.size()},
                       {"outputs", outputs}});
}

int ShowResults(GraphSession& session, const RunSettings& settings, const OutputFiles& files, RunRecord& record,
                int64_t run_ns, Console& console) {
  const Plan& plan = session.plan();
  const Lane& lane = *session.lanes().lanes()[0];
  if (!session.CheckFiles()) return session.Report();
  Diagnostics found;  // besides the failures of nodes
  const std::vector<Tensor> results = TakeResults(session, lane, found);
  if (!found.has_errors()) {
    if (!settings.json) PrintResults(plan, results, files, console);
    WriteResults(plan, results, files, console, found);
    if (settings.json) console.Print(ResultsJson(session, settings, results, files, run_ns));
    record.WriteTrace(console, found);
    RunChecks(plan, lane, console, found);
  }
  std::vector<Diagnostic>& all = session.diagnostics().all();
  all.insert(all.end(), found.all().begin(), found.all().end());
  if (!session.diagnostics().has_errors()) console.Ok(OkText(session, settings, run_ns));
  return session.Report();
}

// Also writes the trace, which may help to find the cause.
int ShowFailure(GraphSession& session, RunRecord& record, int exit_code, Console& console) {
  Diagnostics diagnostics;
  record.WriteTrace(console, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) session.Tell(d);
  return exit_code;
}

class RunCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    AddFeeds(options, graph_.feeds);
    AddOutputs(options, settings_.outputs);
    options.Count("--repeat N", settings_.repeat, 1'000'000'000,
                  "run the plan N times with the same feeds; outputs are written once");
    options.Count("--concurrency K", settings_.concurrency, 1'000'000'000,
                  "run up to K of these at the same time, each with its own memory");
    options.Count("--print-every N", settings_.print_every, 1'000'000'000,
                  "also print the outputs after every N-th run: scalars on one line, or all");
    options.Exclude("--print-every", "--concurrency");
    options.Flag("--json", settings_.json, "print the outputs as one JSON document");
    options.Exclude("--json", "--print-every");
    AddThreads(options, graph_.threads);
    AddPlacement(options, graph_);
    AddCudaGraphs(options, graph_);
    options.Flag("--nan-check", graph_.run.nan_check, "fail at the first node whose output has a NaN");
    options.Flag("--keep-going", graph_.run.keep_going,
                 "after a node has failed, run all others that do not depend on it, write the results that there are,\n"
                 "and exit with an error");
    options.Exclude("--keep-going", "--concurrency");
    options.Flag(
        "--check-memory", graph_.run.check_memory,
        "for authors of ops: fail at a node that writes outside of a tensor, crash at one that reads far outside;\n"
        "show which nodes never release a tensor. Slow, since each tensor has pages of its own");
    options.Flag("--sync-each-node", graph_.run.sync_each_node,
                 "wait for each node on a GPU before the next starts: slower, but an error names its node.\n"
                 "--trace and --profile wait too");
    AddLimits(options, graph_);
    options.Exclude("--check-memory", "--memory-limit");
    AddReproDir(options, graph_);
    options.Flag("--debugger", debugger_,
                 "start gdb, or lldb, with this run, without isolation; for a DIR of --repro-dir");
    AddLoading(options, graph_);
    options.Text("--trace FILE.json", settings_.trace,
                 "record when each node runs, for ui.perfetto.dev or chrome://tracing");
    options.Flag("--profile", settings_.profile, "show the time that each node and op takes");
  }

  int Execute(const CommonOptions& given, Console& console) override {
    if (debugger_) return StartDebugger(console);
    CommonOptions common = given;
    const Replay replay(graph_, common);
    if (!OpenReproDir(graph_, console)) return kExitUsage;
    GraphSession session(graph_, common, static_cast<int>(std::min(settings_.concurrency, settings_.repeat)), console);
    if (!session.MakePlan()) return session.Report();
    replay.Compare(session.registry(), console);
    const OutputFiles files = FindOutputFiles(session, settings_.outputs, session.diagnostics());
    if (session.diagnostics().has_errors() || !session.MakeLanes()) return session.Report();
    RunRecord record(session, settings_);
    record.OpenTrace(files, session.diagnostics(), console);
    if (session.diagnostics().has_errors()) return session.Report();
    const int64_t begin = NowNs();
    const int ran = RunAll(session, settings_, files, record, console);
    if (ran != kExitOk) return ShowFailure(session, record, ran, console);
    if (!session.diagnostics().has_errors()) NoteNoRepro(graph_, console);
    const int shown = ShowResults(session, settings_, files, record, NowNs() - begin, console);
    record.ShowProfile(console);
    return shown;
  }

 private:
  GraphOptions graph_;
  RunSettings settings_;
  bool debugger_ = false;
};

}  // namespace

const CommandType kRunCommand = {
    .name = "run",
    .arguments = "GRAPH",
    .summary = "run a graph; 'opsrun GRAPH' is the same",
    .about = "Checks a graph, runs it, prints its outputs, writes its files and performs its checks.\n",
    .usage = "opsrun GRAPH [OPTIONS]",
    .details =
        "GRAPH is a YAML file, - for standard input, or a folder that --repro-dir wrote. Paths in it are relative to "
        "it.\n",
    .notes = "Ctrl-C stops the run once the running kernels return; a second Ctrl-C stops it immediately.\n",
    .examples = R"(opsrun run graph.yaml
opsrun picture.yaml --feed image=photo.npy --output edges=edges.npy
opsrun run graph.yaml --repeat 1000 --concurrency 4 --quiet
opsrun run graph.yaml --trace trace.json --timeout 30s
)",
    .make = Make<RunCommand>,
};

}  // namespace opsrun::host

// host/cli/session.h: what a command opens and runs: an engine, a plugin file besides the installed ones, or a graph;
// and the outputs of runs: written to files, printed, and compared with the expected values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>

#include "host/cli/console.h"
#include "host/cli/guard/guard.h"
#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/examine/compatibility.h"
#include "host/examine/prober.h"
#include "host/plan/plan.h"
#include "host/show/op_text.h"
#include "host/tensor/npy.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Writes remarks about plugins to the console. Null after an error, which is already reported; the command then ends
// with kExitPlugins. options, callers: for a command that runs graphs; callers is the number of concurrent runs.
std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options = {},
                                   int callers = 1, std::shared_ptr<MappedFiles> mapped = nullptr);

// How to load a graph.
LoadOptions LoadOptionsOf(const GraphOptions& options);

// "2 plugins refused", or empty: a hint for users who cannot find an op.
std::string RefusedText(const Catalog& catalog);

// Judges a plugin file without opening it, except in a separate process. Nothing after an error, if the file cannot be
// read (P102) or is no plugin (P103); a refused one has findings.
std::optional<JudgedPlugin> JudgeFile(const std::string& file, const CommonOptions& common, const Prober& prober,
                                      const LibrarySearch& search, const GpuCards& cards, Console& console);

// Opens a plugin by the name of its file.

// An opened plugin file, besides the installed plugins.
struct PluginOfFile {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;                         // its ops; uses the engine
  const Plugin* plugin = nullptr;            // null if it could not be opened
  std::string reason;                        // the reason, if known
  std::shared_ptr<const FileErrors> errors;  // the reason in full, if it is in the file beside the plugin
};

// Opens the file. Its directory comes before all others, so that no installed plugin with the same name or the same ops
// replaces it. Reports nothing: errors in a file are reported where files are judged.
// how: where its code runs (isolate, sandbox).
PluginOfFile OpenPluginOfFile(const std::string& file, const CommonOptions& common, const GraphOptions& how = {});

// Reports why the plugin of a file could not be opened: P103, or the errors in the file beside it. Returns the exit
// status.
int ReportNotOpened(const std::string& file, const PluginOfFile& opened, Console& console);

// Adds the file to the plugins of the engine, and returns the plugin's name. Nothing after an error: P102 or as above.
std::optional<std::string> AddPluginFile(Engine& engine, const std::string& file, Console& console);
// Reports that the plugin has no op of that name (G201). Returns the exit status.
int ReportNoOp(const Plugin& plugin, const std::string& name, Console& console);

// The directory of the file; "." if its path has none.
std::string DirectoryOf(const std::string& file);

// The GPUs of this machine.

// Returns a function that loads the CUDA driver on its first call and caches the result. Without a driver, no cards.
GpuCards GpuCardsHere();

// Reports errors in the gradient that an op declares. Returns the exit status; kExitOk if there are no errors or the op
// declares no gradient.
int ReportGradient(Engine& engine, const RegisteredOp& op, Console& console);

// The arrays of --feed, read from their files. Reports those that the graph cannot use (F301, F302, F303, U007), and,
// with `all`, declared feeds without an array (F304).
std::map<std::string, Tensor> ReadFeeds(const std::vector<FeedArgument>& arguments, const Graph& graph, bool all,
                                        Diagnostics& diagnostics, MappedFiles* mapped = nullptr);
std::map<std::string, FeedType> FeedTypes(const std::map<std::string, Tensor>& arrays);

class GraphSession {
 public:
  // callers: number of concurrent runs.
  GraphSession(const GraphOptions& options, const CommonOptions& common, int callers, Console& console);
  GraphSession(const GraphSession&) = delete;

  // Loads and plans the graph. With `resolution`, and without `runs`, the plan is only shown, and declared feeds need
  // no arrays. False after errors; the command then ends with Report().
  bool MakePlan(Resolution* resolution = nullptr, bool runs = false);
  // Creates the lanes and sets their feeds. False as above. Also reports the diagnostics so far. Requires: MakePlan.
  bool MakeLanes();
  // Replaces the lanes by `callers` of them, which run at the same time. They and their helpers are as many threads as
  // the engine's, unless there are more callers. Requires: MakeLanes, and no lane is running.
  bool MakeLanes(uint32_t callers);

  const Plan& plan() const { return planned_->plan(); }
  const Registry& registry() const { return graph_->registry(); }
  const Engine& engine() const { return *engine_; }
  const std::shared_ptr<LoadedGraph>& loaded() const { return graph_; }
  const std::map<std::string, Tensor>& feeds() const { return feeds_; }  // the arrays of --feed
  LanePool& lanes() { return *lanes_; }
  StopSignal& stop() { return stop_; }
  StopWatcher& watcher() { return watcher_; }
  // "plugins 1.00 ms, check 300 us, load 2.10 ms": to read all plugin files; to read the graph and its arrays,
  // and to plan; to open the required plugins.
  std::string StartTimes() const;
  const GraphOptions& options() const { return options_; }

  // False after an error F201: an array changed in its file while it was used.
  bool CheckFiles();
  const MappedFiles& mapped_files() const { return *mapped_files_; }

  // The diagnostics of the command. Report prints them and returns the exit status.
  Diagnostics& diagnostics() { return graph_->diagnostics(); }
  int Report();
  // Reports one diagnostic about the graph's file. From any thread, but not concurrently.
  void Tell(const Diagnostic& d) { console_.Report(d, graph_->source()); }
  void Note(std::string_view line) { console_.Note(line); }
  // Restores process state that plugins have changed, and reports that.
  void RestoreProcess();

 private:
  bool SetFeeds();
  bool CheckIsolation();
  void TellWarnings();

  const GraphOptions& options_;
  const CommonOptions& common_;
  const int callers_;
  Console& console_;
  double plugins_ms_ = 0, feeds_ms_ = 0;
  const ProcessState process_;

  // Each member uses those above it, even during destruction.
  StopWatcher watcher_;
  const std::shared_ptr<MappedFiles> mapped_files_ = std::make_shared<MappedFiles>();
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<LoadedGraph> graph_;
  std::map<std::string, Tensor> feeds_;
  std::shared_ptr<const PlannedGraph> planned_;
  StopSignal stop_;
  std::unique_ptr<ThreadPool> helpers_;  // of lanes for more callers than the engine knows of
  std::unique_ptr<LanePool> lanes_;
};

// Performs one run. run: its number, from 0. caller: the number of the calling thread, from 0.
using OneRun = std::function<std::optional<RunFailure>(Lane& lane, uint32_t run, uint32_t caller)>;

struct ManyRuns {
  std::optional<RunFailure> failure;
  uint32_t callers = 1;  // how many ran concurrently
  uint32_t wanted = 1;   // more than `callers` if some threads could not be started
};

// Calls run_once for runs 0 to count - 1, on the calling thread and on one more thread for each further lane; run 0
// uses lane 0. After a failure, stops the running ones and starts no more. done: counts the runs that succeeded.
ManyRuns RunMany(LanePool& lanes, uint32_t count, StopSignal& stop, const OneRun& run_once,
                 std::atomic<uint32_t>& done);

// Runs that Ctrl-C and --timeout can stop, and whose failures are reported.

struct Watched {
  // Performs all runs and returns the first failure.
  std::function<std::optional<RunFailure>()> runs;
  // For progress, on a separate thread: `tick` is called periodically, `clear` before a message is printed. May be
  // empty.
  std::function<void()> tick, clear;
};

// Performs the runs and reports why they ended early. Returns an exit status. If lanes keep going and no stop was
// requested, failures of nodes are only added to the diagnostics, and the exit status is kExitOk.
int RunWatched(GraphSession& run, const Watched& watched);

// The .npy files of --output, by the index of the plan's output.
using OutputFiles = std::map<size_t, std::string>;

// Finds them for --output NAME=FILE.npy. Errors: U005 for an unknown name, U007 for a file that is in use.
OutputFiles FindOutputFiles(const GraphSession& session, const std::vector<FeedArgument>& arguments,
                            Diagnostics& diagnostics);

// A result that a failed run has not made is an empty tensor without a data type.
inline bool IsMissing(const Tensor& result) {
  return result.dtype() == DType::kInvalid;
}

// Writes the files of the outputs, and `more`, without missing results: all of them, or none. Error R501 for each file
// that cannot be written; existing files are then unchanged.
void WriteResults(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& more, Console& console,
                  Diagnostics& diagnostics);

// Prints "name  float32 [2, 3]" and the elements of each output that is not hidden, missing or in `more`.
void PrintResults(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& more, Console& console);

// Error R405 for each failed check, and one line with the number of successful ones, if the graph has checks. Values
// that the last run of the lane has not made are not checked.
void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics);

}  // namespace opsrun::host

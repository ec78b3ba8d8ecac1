// host/engine/engine.h: objects that outlive a graph, and loading of graphs. Read this first.
//
// An engine owns the plugins that it has opened, the memory and threads of its graphs, and the objects that their
// kernels share. Engines in one process are independent of each other. Graphs, plans and lanes keep their engine alive.
// When the last of them is destroyed, it shuts down its threads, then shared objects, then plugins in reverse order of
// opening, then the table that plugins call, then memory.
//
// Any thread may call any method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/device/device.h"
#include "host/examine/prober.h"
#include "host/graph/graph.h"
#include "host/isolate/child.h"
#include "host/plan/build_plan.h"
#include "host/plugin/load.h"
#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "host/tensor/resources.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {

class MappedFiles;

// Of EngineOptions::isolate: every plugin.
inline constexpr char kIsolateAll[] = "all";
// The same: no plugin.
inline constexpr char kIsolateNone[] = "none";

class IdleLanes;
class LoadedGraph;

struct EngineOptions {
  std::vector<std::string> plugins;  // directories to search before the default ones
  bool default_plugins = true;       // search the default directories too: see SearchedDirectories
  int threads = 0;          // number of threads for planning and runs, including their callers; 0: one per processor
  int callers = 1;          // number of threads that run graphs at the same time
  size_t memory_limit = 0;  // in bytes, for all runs together, on the CPU and on each GPU; 0: no limit
  size_t gpu_memory_limit = 0;  // another limit for each GPU; 0: memory_limit
  // Default device for nodes that set none: "cpu", "gpu", "gpu:1"; "auto": the first GPU if there is one, otherwise the
  // CPU.
  std::string device = kCpuName;
  bool strict_placement = false;  // refuse nodes whose op has no kernel for their device
  RunOptions run;
  HostOptions host;  // what plugins see: level, log
  // Receives remarks about plugins, one line each: a plugin hides another one, or is not used. Called on the thread of
  // the current call.
  std::function<void(std::string_view)> note;
  bool probe = true;            // open a plugin first in a separate process, if that program is installed
  bool allow_writable = false;  // accept plugins that others can change or replace (examine/writers.h)
  std::vector<PublicKey> keys;  // one of them must have signed each plugin; empty: as FindTrustedKeys({}) says
  bool owns_process = false;    // restore process state that plugins change while they are loaded, such as the locale
  std::shared_ptr<MappedFiles> mapped_files;  // for arrays in the files of graphs, checked by the owner after runs;
                                              // null: each graph maps large files, and CallablePlan checks them
  // Plugins, and nodes whose plugins, run in a process of their own, by name; "all": every plugin. A graph may ask for
  // more (Node::isolate). "none": no plugin, whatever else is in the list or in a graph.
  std::vector<std::string> isolate;
  IsolateOptions isolation;            // of these processes; program, threads and level are set by the engine
  OpenedFiles::Copied copied;          // called with the table of each plugin that this process opens
  std::function<void()> thread_begin;  // called on each thread of the pool before it works; may be empty
};

// What the file beside a graph does that `opsrun lock` has written.
enum class LockUse {
  kIfThere,  // what has changed incompatibly is an error, what has changed otherwise a remark
  kFrozen,   // whatever has changed is an error, and so is a missing lock
  kIgnored,
};

struct LoadOptions {
  bool strict = false;      // warnings are errors
  std::string device = {};  // default device for nodes that set none; empty: the engine's; may be kDeviceOfFeeds
  bool only_runs = false;   // LoadedGraph::graph() has no nodes once it is planned: see PlanInputs::compiled
  LockUse lock = LockUse::kIfThere;  // of LoadFile; other graphs have none
};

// The GPU of the first feed that is on one, otherwise the engine's default device.
inline constexpr char kDeviceOfFeeds[] = "feeds";

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  // Reads the notes of the plugin files without opening the files. Null after errors: P101, a directory in
  // options.plugins cannot be searched; P110, the trusted keys of the system or the user cannot be used. Warning P108:
  // a name in options.isolate is that of no plugin found; it may be that of a node, or of a plugin that is added later.
  static std::shared_ptr<Engine> Create(EngineOptions options, Diagnostics& diagnostics);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // A snapshot of the plugins. Adding a file creates a new catalog; graphs keep theirs.
  std::shared_ptr<const Catalog> catalog() const;

  // Opens a file and adds it after all others. Its ops can be addressed as plugin.Op, or by their short names if no
  // other plugin has an op of that name. A file that is already known is left unchanged, and refused if it has changed
  // since it was opened. A plugin with the same name that a search found is hidden, unless it is open already. Sets
  // *name to the plugin's name, or returns why the file is refused; one reason is another plugin with the same name
  // that is open or was added.
  std::optional<Refusal> AddFile(const std::string& path, std::string* name);
  // Opens the new file of an open plugin, which has been replaced since: from now on, graphs and ops that are prepared
  // use it. Those that exist keep the code that they have. *changed: false if it is the file that is open. Returns why
  // the file is refused; reasons are also that it is not open, that it was rewritten in place, and another name of the
  // plugin. Sets *name as AddFile does.
  std::optional<Refusal> Reload(const std::string& path, std::string* name, bool* changed);
  // How often Reload has opened a file.
  uint64_t generation() const { return generation_.load(); }
  // Opens the file, which need not be known yet; the ops of its plugin are completed by `ops_file` instead of a file
  // beside it. Returns why it is refused; one reason is that it is open without that file.
  std::optional<Refusal> Attach(const std::string& path, const std::string& ops_file);
  // Adds ops that are compiled into this program, in the same way as AddFile.
  void AddBuiltIn(std::shared_ptr<const Plugin> plugin);

  // Opens the plugins that the ops need (LoadPlugins), or all of them (LoadAllPlugins). The result must not outlive the
  // engine.
  LoadResult Open(const std::vector<std::string>& op_names) { return Open(*catalog(), op_names); }
  LoadResult Open(const Catalog& catalog, const std::vector<std::string>& op_names);
  LoadResult OpenAll();

  // Reads a graph, checks the plugins that it requires, and opens those that it needs. Never null: errors are in the
  // diagnostics of the result. A path "-" means standard input; G000 if there is no such file. For a compiled graph,
  // G015 if it is damaged, and the warning G224 if an op has changed. A lock beside the file is honored: G225 for what
  // has changed since, P301 and P302 for plugins, G226 if there is none or it cannot be read, and the errors in it.
  std::shared_ptr<LoadedGraph> LoadFile(const std::string& path, const LoadOptions& options = {});
  std::shared_ptr<LoadedGraph> LoadText(std::shared_ptr<const SourceFile> source, const LoadOptions& options = {});
  // The same for a graph that was built in memory. For one without places, `write` returns its text as a file, for
  // messages; it may be called later and from any thread.
  std::shared_ptr<LoadedGraph> LoadGraph(std::shared_ptr<const Graph> graph, std::function<std::string()> write = {},
                                         const LoadOptions& options = {});

  int threads() const { return threads_; }
  const EngineOptions& options() const { return options_; }
  // Default device for nodes of a graph that set none. wanted: as in LoadOptions; feeds: those that are known. For
  // "auto", the first call looks for a GPU, which may take a second, and notes if there is none.
  std::string DeviceFor(const Graph& graph, const std::map<std::string, FeedType>& feeds, const std::string& wanted);
  // Adds the memory limit to a message about running out of memory.
  void ExplainLimit(Diagnostic& d) const;

  // Checks files before this engine opens them.
  const Prober& prober() const { return prober_; }

  // Releases memory that is kept for later runs: idle blocks and idle lanes.
  void TrimMemory();

  // Opens the plugins of some nodes in processes of their own from now on: those that the graph or the options say.
  // G227 for a plugin that is open in this one.
  void Isolate(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics);

  // Whether runs compute what does not depend on a failed node: RunOptions::keep_going, or some plugin is isolated.
  bool keeps_going() const;

  // For plans and lanes. device() is the CPU.
  Devices& devices() { return *devices_; }
  Device& device() { return devices_->cpu(); }
  const opsrun_host* host() const { return host_.get(); }
  Resources& resources() { return resources_; }
  const std::shared_ptr<IdleLanes>& idle_lanes() const { return idle_lanes_; }
  ThreadPool& pool();  // created on first use

 private:
  explicit Engine(EngineOptions options);
  std::shared_ptr<LoadedGraph> LoadCompiled(const std::string& path, const LoadOptions& options,
                                            std::string_view bytes = {});
  bool IsNamed(std::string_view plugin) const;
  bool IsolatesNone() const;
  std::string WhyNotIsolated(const std::string& path, const std::string& plugin, bool sandbox);
  std::shared_ptr<Child> ChildFor(const std::string& path, const PluginNote& note);
  LoadResult KeepingProcessState(const std::function<LoadResult()>& load);
  LoadResult NoteMessages(LoadResult loaded, const Catalog& catalog);
  friend class LoadedGraph;
  std::shared_ptr<LoadedGraph> ReadFrom(const std::string& path, const LoadOptions& options);
  void Note(const std::string& line);  // nothing if it is empty, or was noted before
  void Append(CatalogEntry entry);

  // Each member uses those above it, even during destruction.
  const EngineOptions options_;
  const int threads_;
  const std::shared_ptr<IdleLanes> idle_lanes_;
  const std::shared_ptr<Devices> devices_;
  const std::shared_ptr<const opsrun_host> host_;
  struct AfterPlugins {
    const Engine& engine;
    ~AfterPlugins();  // notes the tensors that plugins have not released, where they are listed
  } after_plugins_{*this};
  const Prober prober_;
  OpenedFiles files_;
  Resources resources_;

  std::mutex adding_;         // held while a file is read and added; locked before mutex_
  mutable std::mutex mutex_;  // guards the members below
  std::shared_ptr<const Catalog> catalog_;
  std::atomic<uint64_t> generation_{0};                          // written under adding_
  std::set<std::string> noted_;                                  // remarks already made
  std::map<std::string, bool> isolated_;                         // names of plugins; true: in a sandbox
  std::optional<Result<std::shared_ptr<SharedRegion>>> region_;  // for tensors, once a plugin is isolated
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace opsrun::host

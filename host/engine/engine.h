// host/engine/engine.h: what lives longer than a graph, and the way from a source to a loaded graph. Read this first.
//
// An engine owns the plugins that it opened, the memory and the threads of its graphs, and what their kernels share.
// Two engines in one process know nothing of each other. Graphs, plans and lanes keep their engine alive; the last of
// them to go ends it: first threads, then shared objects, then the plugins' shutdown, last opened first, then the table
// that plugins call, and memory.
//
// Every method may be called from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/device/device.h"
#include "host/graph/graph.h"
#include "host/plugin/load.h"
#include "host/resources/resources.h"
#include "host/run/host_table.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {

class LoadedGraph;

struct EngineOptions {
  std::vector<std::string> plugins;  // directories to search before the default ones
  bool default_plugins = true;       // search those too: see PluginPlaces
  int threads = 0;                   // that plans and runs use, their callers counted in; 0: as many as processors
  int callers = 1;                   // threads that will run graphs at the same time
  size_t memory_limit = 0;           // bytes for all runs together; 0: none
  LogSink log;                       // lines that plugins log; null: standard error
  // Remarks on plugins, a line each: one hides another, one is not used. From the thread of the call that found it out.
  std::function<void(std::string_view)> note;
  std::function<void()> thread_begin;             // called on each thread of the pool before it works; may be empty
  std::function<void(opsrun_host&)> adjust_host;  // changes the table before any plugin sees it; for tests of plugins
};

struct LoadOptions {
  bool strict = false;  // warnings are errors
};

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  // Looks at the plugin files and opens none. Null after errors: P101, a directory of options.plugins that cannot be
  // searched.
  static std::shared_ptr<Engine> Create(EngineOptions options, Diagnostics& diagnostics);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The plugins that there are now. A file that is added later makes a new catalog; graphs keep the one they have.
  std::shared_ptr<const Catalog> catalog() const;

  // Adds a file, behind all that there are: its ops are addressed as plugin.Op, or by their names alone where nobody
  // else has them. It is opened now. A file that is there already is left as it is. Otherwise why it is refused, also
  // where another plugin has its name.
  std::optional<Refusal> AddFile(const std::string& path);
  // Adds ops that are part of this program, in the same way.
  void AddBuiltIn(std::shared_ptr<const Plugin> plugin);

  // Opens what the ops need (LoadPlugins), or everything (LoadAllPlugins). What it answers may not outlive the engine.
  LoadResult Open(const std::vector<std::string>& op_names) { return Open(*catalog(), op_names); }
  LoadResult Open(const Catalog& catalog, const std::vector<std::string>& op_names);
  LoadResult OpenAll();

  // Reads a graph, compares the plugins with those that it requires, and opens those that it needs. Never null: what is
  // wrong is in the answer's diagnostics. A path "-" means standard input; G000 if there is no such file.
  std::shared_ptr<LoadedGraph> LoadFile(const std::string& path, const LoadOptions& options = {});
  std::shared_ptr<LoadedGraph> LoadText(std::shared_ptr<const SourceFile> source, const LoadOptions& options = {});
  // The same for a graph that was made in memory.
  std::shared_ptr<LoadedGraph> LoadGraph(std::shared_ptr<const Graph> graph, const LoadOptions& options = {});

  int threads() const { return threads_; }
  size_t memory_limit() const { return options_.memory_limit; }
  // Adds what the limit allows to a message about memory.
  void ExplainLimit(Diagnostic& d) const;

  // What plans and lanes use.
  Device& device() { return *device_; }
  const opsrun_host* host() const { return host_.get(); }
  Resources& resources() { return resources_; }
  ThreadPool& pool();  // made when it is first asked for

 private:
  explicit Engine(EngineOptions options);
  LoadResult Told(LoadResult loaded, const Catalog& catalog);
  void Note(const std::string& line);
  void Append(CatalogEntry entry);

  // Each uses those above it, also while it is destroyed.
  const EngineOptions options_;
  const int threads_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<opsrun_host> host_;
  OpenedFiles files_;
  Resources resources_;

  std::mutex adding_;         // held while a file is looked at and added; before mutex_
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const Catalog> catalog_;
  std::set<std::string> noted_;  // no remark is made twice
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace opsrun::host

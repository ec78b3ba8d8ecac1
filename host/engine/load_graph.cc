// host/engine/load_graph.cc: reads graphs, from files, texts and compiled graphs, and opens their plugins.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/engine/loaded_graph.h"
#include "host/engine/lock_check.h"
#include "host/graph/compiled_graph.h"
#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

// Empty if all ops are declared as they were when the graph was compiled.
std::string ChangedOp(const Registry& registry, const CompiledGraph& compiled) {
  for (const auto& [name, signature] : compiled.ops) {
    const RegisteredOp* const op = registry.FindOp(name);
    if (op == nullptr || spec::SignatureText(op->def) == signature) continue;
    return fmt::format(
        "op '{}' of plugin '{}' ({}) has changed since this graph was compiled, so its text was read again", name,
        op->plugin->name, op->plugin->path);
  }
  return {};
}

}  // namespace

std::shared_ptr<LoadedGraph> Engine::LoadFile(const std::string& path, const LoadOptions& options) {
  std::shared_ptr<LoadedGraph> loaded = ReadFrom(path, options);
  if (loaded->graph_ != nullptr && options.lock != LockUse::kIgnored) loaded->CheckLock(path, options.lock);
  return loaded;
}

std::shared_ptr<LoadedGraph> Engine::ReadFrom(const std::string& path, const LoadOptions& options) {
  if (IsCompiledGraph(path)) return LoadCompiled(path, options);
  Result<std::shared_ptr<const SourceFile>> source = ReadSource(path);
  if (source.ok() && AreCompiledGraph((*source)->text)) return LoadCompiled(path, options, (*source)->text);
  if (source.ok()) return LoadText(*std::move(source), options);
  std::shared_ptr<LoadedGraph> loaded(new LoadedGraph(shared_from_this(), options, nullptr));
  loaded->diagnostics_.Error("G000", source.status().message()).help = {
      "give the path of a YAML file, or - for standard input"};
  return loaded;
}

std::shared_ptr<LoadedGraph> Engine::LoadText(std::shared_ptr<const SourceFile> source, const LoadOptions& options) {
  std::shared_ptr<LoadedGraph> loaded(new LoadedGraph(shared_from_this(), options, std::move(source)));
  loaded->Read(options.only_runs);
  return loaded;
}

std::shared_ptr<LoadedGraph> Engine::LoadGraph(std::shared_ptr<const Graph> graph, std::function<std::string()> write,
                                               const LoadOptions& options) {
  std::shared_ptr<LoadedGraph> loaded(new LoadedGraph(shared_from_this(), options, graph->source));
  loaded->graph_ = std::move(graph);
  loaded->write_ = std::move(write);
  loaded->OpenPlugins();
  return !loaded->write_ || loaded->diagnostics_.all().empty() ? loaded : loaded->Located(options);
}

// bytes: of the file, if it was read from a pipe. An op that is declared otherwise than when the graph was compiled may
// have other arguments, so the text is read again.
std::shared_ptr<LoadedGraph> Engine::LoadCompiled(const std::string& path, const LoadOptions& options,
                                                  std::string_view bytes) {
  std::shared_ptr<LoadedGraph> loaded(new LoadedGraph(shared_from_this(), options, nullptr));
  {
    const LoadTimer timer(loaded->times_.read);
    std::optional<Graph> read =
        bytes.empty() ? ReadCompiledGraph(path, loaded->constants_->mapped(), !options.only_runs, loaded->diagnostics_)
                      : ParseCompiledGraph(path, bytes, loaded->diagnostics_);
    if (!read) return loaded;
    loaded->source_ = read->source;
    loaded->graph_ = std::make_shared<const Graph>(*std::move(read));
    loaded->write_ = [source = loaded->source_] { return source->text; };
  }
  loaded->OpenPlugins();
  const std::string changed = ChangedOp(loaded->registry(), *loaded->graph_->compiled);
  const bool is_good = changed.empty() && !loaded->diagnostics_.has_errors();
  if (is_good && options.only_runs) return loaded;
  std::shared_ptr<LoadedGraph> whole = loaded->Located(options);
  if (!changed.empty()) {
    whole->diagnostics_.Warning("G224", changed).help = {
        fmt::format("compile it again, from its own text: opsrun compile {0} -o {0}", path)};
  }
  return whole;
}

void LoadedGraph::Read(bool only_runs) {
  {
    const LoadTimer timer(times_.read);
    if (std::optional<Graph> graph = ReadGraph(source_, diagnostics_)) {
      const auto read = std::make_shared<Graph>(*std::move(graph));
      if (only_runs) read_ = read;
      graph_ = read;
    }
  }
  if (graph_ != nullptr) OpenPlugins();
}

// Opens no plugins for ops that are held back: their nodes cannot be checked.
void LoadedGraph::OpenPlugins() {
  const LoadTimer timer(times_.open);
  catalog_ = engine_->catalog();
  held_back_ = OpsOfUnmet(*graph_, *catalog_, CheckRequires(*graph_, *catalog_, diagnostics_));
  const std::vector<std::string> all = OpNames(*graph_);
  std::vector<std::string> ops;
  std::set_difference(all.begin(), all.end(), held_back_.begin(), held_back_.end(), std::back_inserter(ops));
  engine_->Isolate(*graph_, *catalog_, diagnostics_);
  plugins_ = std::make_shared<const LoadResult>(engine_->Open(*catalog_, ops));
}

// Nodes of ops that are not there cannot be checked.
void LoadedGraph::CheckLock(const std::string& path, LockUse use) {
  lock_ = LockCheck::Open(path, use, diagnostics_);
  if (lock_ == nullptr) return;
  std::vector<std::string> missing = lock_->CompareOps(*graph_, registry(), *catalog_, diagnostics_);
  held_back_.insert(held_back_.end(), missing.begin(), missing.end());
  std::ranges::sort(held_back_);
}

}  // namespace opsrun::host

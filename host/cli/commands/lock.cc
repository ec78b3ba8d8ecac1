// host/cli/commands/lock.cc: opsrun lock. Writes down what a graph runs with, or compares that with what is there now.
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/lock.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/graph/compiled_graph.h"
#include "host/show/op_text.h"

namespace opsrun::host {
namespace {

// Changes that are about the same stand together, in the order in which they were found.
std::string ListText(const std::vector<LockChange>& changes) {
  std::string text;
  for (auto change = changes.begin(); change != changes.end();) {
    const auto end =
        std::find_if(change, changes.end(), [&](const LockChange& other) { return other.about != change->about; });
    std::vector<spec::OpChange> same;
    for (auto each = change; each != end; ++each) same.push_back(each->change);
    text += DifferencesText(change->about, same);
    change = end;
  }
  return text;
}

class LockCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    options.Flag("--update", update_, "replace an existing lock, and print what has changed");
    AddStrict(options, graph_.strict);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::string path = LockPath(graph_.graph);
    if (path.empty() || IsCompiledGraph(graph_.graph)) {
      return console.Report(MakeError("U005",
                                      fmt::format("'{}' cannot be locked: it is not a graph file", graph_.graph),
                                      "name the YAML file of the graph"));
    }
    const std::shared_ptr<Engine> engine = OpenEngine(common, console, graph_);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded =
        engine->LoadFile(graph_.graph, {.strict = graph_.strict, .lock = LockUse::kIgnored});
    const std::shared_ptr<const PlannedGraph> planned =
        loaded->graph() == nullptr ? nullptr : loaded->Plan({.threads = 1, .for_runs = false});
    const int found = console.Report(loaded->diagnostics(), loaded->source());
    if (planned == nullptr) return found;
    const std::shared_ptr<const Catalog> catalog = engine->catalog();
    const Result<Lock> now = MakeLock(planned->plan(), loaded->registry(), *catalog);
    if (!now.ok()) return console.Report(MakeError("P102", now.status().message()));
    Result<std::string> old = ReadFile(path, kMostLockBytes);
    if (!old.ok() && (old.status().code() == OPSRUN_NOT_FOUND || update_)) return Write(*now, path, console);
    if (!old.ok()) return console.Report(MakeError("G226", old.status().message(), "replace it with --update"));
    return Compare(*now, {path, *std::move(old)}, *planned, *catalog, console);
  }

 private:
  int Write(const Lock& lock, const std::string& path, Console& console) const {
    if (!WriteText(LockText(lock), path, console)) return kExitFailed;
    console.Ok(fmt::format("locked {} and {} in {}", Several(lock.plugins.size(), "plugin"),
                           Several(lock.ops.size(), "op"), path));
    return kExitOk;
  }

  int Compare(const Lock& now, SourceFile file, const PlannedGraph& planned, const Catalog& catalog,
              Console& console) const {
    const auto source = std::make_shared<const SourceFile>(std::move(file));
    Diagnostics mistakes;
    const std::optional<Lock> old = ReadLock(source, mistakes);
    const bool is_lock = source->text.starts_with("opsrun_lock:");
    if (!old && (!update_ || !is_lock)) return console.Report(mistakes, source.get());
    if (!old) console.Note(fmt::format("the old {} could not be read", source->path));
    std::vector<LockChange> changes;
    if (old) {
      changes = CompareLockedOps(*old, planned.plan().graph(), planned.loaded().registry(), catalog, {.whole = true});
      std::ranges::move(CompareLockedPlan(*old, planned.plan(), {.whole = true}), std::back_inserter(changes));
    }
    const size_t safe =
        static_cast<size_t>(std::ranges::count_if(changes, [](const auto& c) { return c.change.safe; }));
    const size_t unsafe = changes.size() - safe;
    console.Print(ListText(changes));
    if (!changes.empty()) console.Print(fmt::format("{} safe, {} unsafe\n", Several(safe, "difference"), unsafe));
    if (update_) return LockText(now) == source->text ? UpToDate(*source, console) : Write(now, source->path, console);
    if (changes.empty()) return UpToDate(*source, console);
    console.Note(fmt::format("{} was not changed; to accept the differences, run: opsrun lock --update {}",
                             source->path, graph_.graph));
    return unsafe == 0 ? kExitOk : kExitFailed;
  }

  static int UpToDate(const SourceFile& lock, Console& console) {
    console.Ok(lock.path + " is up to date");
    return kExitOk;
  }

  GraphOptions graph_;
  bool update_ = false;
};

}  // namespace

const CommandType kLockCommand = {
    .name = "lock",
    .arguments = "GRAPH",
    .summary = "write down what a graph runs with, so that changes are noticed",
    .about =
        "Writes graph.lock beside graph.yaml: the plugins and ops that the graph uses, the types and shapes of its "
        "tensors, and digests of its arrays. If there is a lock, it is compared instead, and the differences are "
        "listed.\n",
    .details =
        "Commands that plan a graph with a lock beside it refuse what has changed incompatibly, in the words of "
        "'opsrun compat'. A flag of theirs makes them refuse any change.\n",
    .notes = "The exit code is 1 if a difference is unsafe and --update was not given.\n",
    .examples = R"(opsrun lock graph.yaml
opsrun lock --update graph.yaml
)",
    .make = Make<LockCommand>,
};

}  // namespace opsrun::host

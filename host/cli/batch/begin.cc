// host/cli/batch/begin.cc: from the command line to what a batch needs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "host/base/display_text.h"
#include "host/cli/batch/batch.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {
namespace {

// What decides whether results are those of an earlier run.
Result<BatchBasis> BasisOf(GraphSession& session, const BatchSettings& settings) {
  const LoadedGraph& loaded = *session.loaded();
  Digest graph;
  graph.Add(loaded.source()->text);
  for (const GraphFile& file : FilesRead(*loaded.graph())) {
    if (file.path == loaded.source()->path) continue;
    if (Status added = graph.AddFile(file.path); !added.ok()) return added;
  }
  for (const auto& [name, tensor] : session.feeds()) {
    graph.Add(name);
    graph.Add(tensor);
  }
  const std::string digest_of_graph = graph.Hex();
  BatchBasis basis{digest_of_graph, "", {{"graph", session.options().graph}, {"graph_digest", digest_of_graph}}};
  std::map<std::string, std::string> plugins;
  for (const std::shared_ptr<const Plugin>& plugin : loaded.registry().plugins()) {
    Digest digest;
    if (Status added = digest.AddFile(plugin->path); !added.ok()) return added;
    plugins[plugin->name] = digest.Hex();
  }
  Digest all;
  Json names = Json::object();
  for (const auto& [name, digest] : plugins) {
    all.Add(name);
    all.Add(digest);
    names[name] = digest;
  }
  basis.plugins = all.Hex();
  basis.description["plugins"] = names;
  basis.description["format"] = settings.npy ? "npy" : "npz";
  return basis;
}

// Null after errors, which are reported.
std::unique_ptr<Manifest> OpenManifest(GraphSession& session, const BatchSettings& settings, Console& console) {
  std::vector<const Feed*> feeds;
  for (const Feed& feed : session.loaded()->graph()->feeds) {
    if (feed.source == Feed::Source::kDeclared && !session.feeds().contains(feed.name.value)) feeds.push_back(&feed);
  }
  std::vector<std::string> names;
  for (const Feed* feed : feeds) names.push_back(feed->name.value);
  Diagnostics mistakes;
  for (const FeedArgument& pattern : settings.patterns) {
    if (std::ranges::find(names, pattern.name) == names.end())
      SuggestName(mistakes.Error("F301", fmt::format("--feed names '{}', which is not a feed", pattern.name)),
                  pattern.name, names, "feeds");
  }
  for (const std::string& name : names) {
    const bool given = settings.worker || !settings.inputs.empty() ||
                       std::ranges::find(settings.patterns, name, &FeedArgument::name) != settings.patterns.end();
    if (!given)
      mistakes.Error("F304", fmt::format("nothing sets feed '{}'", name)).help = {
          fmt::format("--feed {0}='DIR/*.npy' sets it for each item, --feed {0}=FILE.npy for all", name)};
  }
  if (std::ranges::find(names, "id") != names.end()) {
    mistakes.Error("F401", "items cannot set a feed called 'id', which is the name of their ids").help = {
        "rename the feed, or give it for all items: --feed id=FILE.npy"};
  }
  if (mistakes.has_errors()) return console.Report(mistakes, nullptr), nullptr;
  if (settings.inputs.empty()) {         // a worker has no patterns, and gets its items otherwise
    std::vector<FeedArgument> patterns;  // in the order of the feeds
    for (const std::string& name : settings.worker ? std::vector<std::string>() : names)
      patterns.push_back(*std::ranges::find(settings.patterns, name, &FeedArgument::name));
    std::unique_ptr<Manifest> manifest = Manifest::OfPatterns(std::move(patterns), std::move(feeds), mistakes);
    if (manifest == nullptr) console.Report(mistakes, nullptr);
    return manifest;
  }
  if (settings.inputs == "-") {
    console.Report(MakeError("F401", "standard input cannot be a manifest, which is read twice", "write it to a file"));
    return nullptr;
  }
  Result<std::unique_ptr<Manifest>> manifest = Manifest::Open(settings.inputs, std::move(feeds));
  if (manifest.ok()) return *std::move(manifest);
  console.Report(MakeError("F401", manifest.status().message()));
  return nullptr;
}

}  // namespace

int RunItems(GraphSession& session, const BatchSettings& settings, Console& console) {
  const std::unique_ptr<Manifest> manifest = OpenManifest(session, settings, console);
  if (manifest == nullptr) return kExitGraph;
  const auto refuse = [&](const Status& status) { return console.Report(MakeError("R509", status.message())); };
  const Result<BatchBasis> basis = BasisOf(session, settings);
  if (!basis.ok()) return refuse(basis.status());
  const Result<std::unique_ptr<Journal>> journal =
      Journal::Open(settings.out, settings.shard, *basis, settings.dry_run);
  if (!journal.ok()) return refuse(journal.status());
  ItemRunner runner(session, *manifest, *basis,
                    {settings.out, settings.npy, settings.item_timeout_ms, settings.token,
                     !(*journal)->HasOtherFormat(settings.npy)});
  const std::optional<Todo> todo = Survey(*manifest, **journal, settings, runner, console);
  if (!todo) return kExitGraph;
  if (const Status begun = manifest->Rewind(); !begun.ok()) return refuse(begun);
  if (settings.dry_run && settings.json) return console.Print(JsonDocument(todo->Counts(*basis))), kExitOk;
  if (settings.dry_run) return ListItems(*manifest, *todo, console);
  if (const std::string summary = todo->Summary(); !summary.empty()) console.Note(summary);
  return RunToDo(session, settings, *manifest, **journal, runner, *todo, console);
}

int ServeItems(GraphSession& session, const BatchSettings& settings, Console& console) {
  const std::unique_ptr<Manifest> manifest = OpenManifest(session, settings, console);
  if (manifest == nullptr) return kExitGraph;
  const Result<BatchBasis> basis = BasisOf(session, settings);
  if (!basis.ok()) return console.Report(MakeError("R509", basis.status().message()));
  ItemRunner runner(session, *manifest, *basis, {settings.out, settings.npy, settings.item_timeout_ms, settings.token});
  std::vector<BatchItem> items;
  const auto print = [&](const std::string& record) {
    console.Print(record + "\n");
    console.Finish(kExitOk);
  };
  StopWatcher::Hooks hooks;
  hooks.waits = true;
  hooks.can_be_asked = [] { return true; };
  hooks.give_up = [](const StopCause& cause) { EndProgram(kExitSignal + cause.signal); };
  hooks.tick = [&] {
    const bool is_limited = settings.item_timeout_ms != 0;
    const std::vector<BatchItem> overdue = is_limited ? runner.Overdue(kGraceMs) : std::vector<BatchItem>();
    if (overdue.empty()) return;
    EndSoon(kExitTimeout);
    if (overdue.size() == 1) print(runner.RecordOf(runner.TimedOut(overdue[0])));
    EndProgram(kExitTimeout);
  };
  const StopWatcher::Runs runs(session.watcher(), session.stop(), std::move(hooks));
  const auto run = [&] {
    print(runner.RecordOf("running", items));
    const std::vector<const ItemState*> known(items.size());
    for (const ItemEnd& end : runner.Run(items, known)) print(runner.RecordOf(end));
    items.clear();
  };
  print(JsonOnOneLine({{"ready", true}, {"graph", basis->graph}, {"plugins", basis->plugins}}));
  for (std::string line; std::getline(std::cin, line);) {
    Diagnostics mistakes;
    if (!line.empty()) {
      if (std::optional<BatchItem> item = ReadJsonItem(line, manifest->columns(), "", mistakes, nullptr)) {
        item->stamp = StampOf(*item);
        items.push_back(*std::move(item));
      }
    }
    if (mistakes.has_errors()) return console.Report(mistakes, nullptr);
    if (!items.empty() && (line.empty() || items.size() == settings.group)) run();
  }
  if (!items.empty()) run();
  return kExitOk;
}

}  // namespace opsrun::host

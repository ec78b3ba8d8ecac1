// host/cli/commands/batch.cc: opsrun batch. Runs a graph once for each item of a manifest.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"

namespace opsrun::host {
namespace {

constexpr uint32_t kMost = 1'000'000'000;

std::optional<Diagnostic> TakeShard(const std::string& word, Shard& shard) {
  const size_t slash = word.find('/');
  const std::optional<uint64_t> index = ParseUint(word.substr(0, slash));
  const std::optional<uint64_t> count = slash == std::string::npos ? std::nullopt : ParseUint(word.substr(slash + 1));
  if (index && count && *index >= 1 && *index <= *count && *count <= kMost) {
    shard = {static_cast<uint32_t>(*index), static_cast<uint32_t>(*count)};
    return std::nullopt;
  }
  return MakeError("U005", fmt::format("--shard '{}' is not of the form I/N", word),
                   "for example: --shard 1/4, 2/4, 3/4 and 4/4");
}

class BatchCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", false);
    options.Text("--inputs FILE", settings_.inputs,
                 "the manifest: .csv, .tsv, .jsonl or .ndjson, with a row for each item; a column id, and one for\n"
                 "each feed that is only declared, with files or values");
    options.Text("--out DIR", settings_.out, "the directory of the results and of the journal; it is created");
    options.Each(
        "--feed NAME=FILE.npy", [this](const std::string& word) { return TakeFeed(word, graph_.feeds); },
        "an array for all items or, with a '*' in the name of the file, one for each: the '*' is the id.\n"
        "May be repeated");
    options.Count("--group N", settings_.group, kMost,
                  "run up to N items together, their inputs joined at the first dimension");
    options.Count("--concurrency K", settings_.concurrency, kMost, "run up to K of these at the same time");
    options.Flag("--npy", settings_.npy, "write ID.npy, if the graph has one output, instead of ID.npz");
    options.Flag("--keep-going", settings_.keep_going, "run the other items after one has failed");
    options.Count("--max-failures N", settings_.max_failures, kMost, "stop after N items have failed");
    options.Flag("--retry-failed", settings_.retry_failed, "run the items again that have failed before");
    options.Quantity("--item-timeout TIME", settings_.item_timeout_ms, ParseMilliseconds,
                     "a time such as 30s, 500ms or 2m", "an item that takes longer than TIME fails");
    options.Each(
        "--shard I/N", [this](const std::string& word) { return TakeShard(word, settings_.shard); },
        "run every N-th item, from the I-th, for N commands on any machines that share DIR");
    options.Flag("--merge", merge_, "join the journals of shards in DIR, without running anything");
    options.Flag("--dry-run", settings_.dry_run, "print the items that would run, and why, in JSON Lines");
    options.Flag("--json", settings_.json, "print the counts at the end as one JSON document");
    AddThreads(options, graph_.threads);
    AddPlacement(options, graph_);
    AddMemoryLimits(options, graph_);
    AddLoading(options, graph_);
    options.Group("For programs that distribute items");
    options.Flag("--worker", settings_.worker,
                 "run the items of standard input, as --dry-run prints them, and print records");
    options.Text("--token WORD", settings_.token, "with --worker: call results .ID.WORD.npz, for others to rename");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (settings_.out.empty()) return Missing("--out", console);
    constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // keeps the sum within the clock's range
    settings_.item_timeout_ms = std::min(settings_.item_timeout_ms, kYear);
    if (merge_) return Merge(console);
    if (graph_.graph.empty()) return Missing("a graph", console);
    const auto is_pattern = [](const FeedArgument& feed) { return feed.path.find('*') != std::string::npos; };
    std::ranges::copy_if(graph_.feeds, std::back_inserter(settings_.patterns), is_pattern);
    std::erase_if(graph_.feeds, is_pattern);
    if (settings_.inputs.empty() && settings_.patterns.empty() && !settings_.worker)
      return Missing("--inputs", console);
    if (!settings_.inputs.empty() && !settings_.patterns.empty()) {
      return console.Report(MakeError("U004", "--inputs and a pattern in --feed both give the items",
                                      "use one of them; arrays for all items have no '*' in their names"));
    }
    GraphSession session(graph_, common, static_cast<int>(std::min(settings_.concurrency, 1024u)), console);
    Resolution resolution;
    if (!session.MakePlan(&resolution)) return session.Report();
    const size_t outputs = session.plan().outputs.size();
    if (settings_.npy && outputs != 1) {
      return console.Report(MakeError("U005",
                                      fmt::format("--npy is for graphs with one output; this one has {}", outputs),
                                      "leave it out: each item gets an .npz file with all of them"));
    }
    return settings_.worker ? ServeItems(session, settings_, console) : RunItems(session, settings_, console);
  }

 private:
  static int Missing(const char* what, Console& console) {
    return console.Report(MakeError("U003", fmt::format("opsrun batch needs {}", what), SeeHelp("batch")));
  }

  int Merge(Console& console) const {
    const Result<size_t> merged = Journal::Merge(settings_.out);
    if (!merged.ok()) return console.Report(MakeError("R509", merged.status().message()));
    console.Ok(fmt::format("{} in {}/journal.jsonl", Several(*merged, "item"), settings_.out));
    return kExitOk;
  }

  GraphOptions graph_;
  BatchSettings settings_;
  bool merge_ = false;
};

}  // namespace

const CommandType kBatchCommand = {
    .name = "batch",
    .arguments = "GRAPH",
    .summary = "run a graph once for each item of a list, and go on where it stopped",
    .about = "Runs a graph once for each item of a manifest, and writes the results of each to a file.\n",
    .details =
        "A journal beside the results records each item. The same command again runs what is missing, and items\n"
        "whose inputs, graph or plugins have changed.\n",
    .notes =
        "The exit code is 1 if items failed. Ctrl-C stops after the items that run; a second Ctrl-C stops at once.\n",
    .examples = R"(opsrun batch graph.yaml --inputs items.csv --out results
opsrun batch graph.yaml --feed image='images/*.npy' --out results --concurrency 4
opsrun batch graph.yaml --inputs items.csv --out results --keep-going --retry-failed
)",
    .make = Make<BatchCommand>,
};

}  // namespace opsrun::host

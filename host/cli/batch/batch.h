// host/cli/batch/batch.h: one graph, run once for each item of a manifest: what the items are, the journal of what
// became of them, and their runs. Read this first.
//
// A manifest is read twice: once to find its mistakes and what there is to do, and once to do it, so that memory does
// not grow with the arrays. The journal decides what is finished. docs/batch.md describes both formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/file.h"
#include "host/base/status.h"
#include "host/cli/options.h"
#include "host/cli/session.h"
#include "host/engine/callable_plan.h"
#include "host/engine/op_cache.h"
#include "host/graph/graph.h"
#include "host/run/lane.h"
#include "host/show/json_text.h"
#include "host/tensor/digest.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// What an item gives a feed: a file, or a value: a number, nested lists, a text.
struct ItemInput {
  FeedArgument file;  // without a path: `value`
  Json value;
};

struct BatchItem {
  std::string id;                 // names the file of its results
  size_t row = 0;                 // from 0
  Position place;                 // in the manifest; line 0: it was found by a pattern
  std::vector<ItemInput> inputs;  // by Manifest::columns()
  uint64_t stamp = 0;             // StampOf when it was taken to run: before its files are read
};

// The items, in order.
class Manifest {
 public:
  // A CSV file (.csv; .tsv: with tabs), whose first line names the columns, or JSON Lines (.jsonl,
  // .ndjson). feeds: those that items set. Paths are relative to `path`'s directory.
  static Result<std::unique_ptr<Manifest>> Open(const std::string& path, std::vector<const Feed*> feeds);
  // Files whose names differ at one "*", which matches the id: all patterns must match the same ids.
  static std::unique_ptr<Manifest> OfPatterns(std::vector<FeedArgument> patterns, std::vector<const Feed*> feeds,
                                              Diagnostics& diagnostics);
  virtual ~Manifest() = default;
  Manifest() = default;
  Manifest(const Manifest&) = delete;

  const std::vector<const Feed*>& columns() const { return feeds_; }
  // "items.csv"; empty if there is no file.
  const std::string& path() const { return path_; }

  // The next item. Nothing at the end, and after a mistake (F401) in `diagnostics`, which has its place and, in *line,
  // its text; is_end tells which. Ids may occur twice.
  virtual std::optional<BatchItem> Next(Diagnostics& diagnostics, bool& is_end, std::string* line) = 0;
  // Begins again. FAILED_PRECONDITION if the file has changed.
  virtual Status Rewind() = 0;
  // Names in the manifest that are no feeds.
  const std::vector<std::string>& ignored() const { return ignored_; }

 protected:
  std::vector<const Feed*> feeds_;
  std::string path_;
  std::vector<std::string> ignored_;
};

// Reads an object of JSON Lines, {"id": "7", "x": "x.npy", "k": [1, 2]}. Nothing after mistakes. folder: for relative
// paths. ignored: receives further keys; may be null.
std::optional<BatchItem> ReadJsonItem(std::string_view line, const std::vector<const Feed*>& feeds,
                                      const std::string& folder, Diagnostics& diagnostics,
                                      std::vector<std::string>* ignored);
// The object, with absolute paths, which ReadJsonItem reads from any folder.
Json ItemJson(const BatchItem& item, const std::vector<const Feed*>& feeds);

// Reads the array of an item's input. Errors F302, or those of a value in a graph.
std::optional<Tensor> ReadInput(const BatchItem& item, size_t i, const Manifest& manifest, Diagnostics& diagnostics);
// The same errors without reading the elements, as far as the beginning of the file shows them.
void CheckInput(const BatchItem& item, size_t i, const Manifest& manifest, Diagnostics& diagnostics);

// What decides whether an item's inputs are those of an earlier run, without reading them: paths, sizes and times of
// the files, and values.
uint64_t StampOf(const BatchItem& item);

// JSON of at most 80 levels; nothing for anything else.
std::optional<Json> ParseJson(std::string_view text);

// The last things that the journals say of an item.
struct ItemState {
  std::array<char, 32> inputs = {};  // digest
  uint64_t stamp = 0;
  uint64_t bytes = 0;        // of the file of its results
  uint64_t begun_stamp = 0;  // when it began last
  double at = 0;             // time of the record, in seconds since 1970
  uint8_t begun = 0;         // how often it has begun with this stamp, graph and plugins since it ended last
  bool is_ok = false;        // it has results
  bool is_open = false;      // it has begun and not ended
  bool same_graph = false;
  bool same_plugins = false;
  uint16_t file = 0;  // which journal says so
};

// What a batch computes with. Digests.
struct BatchBasis {
  std::string graph;    // of its text and of the files that it reads, and of arrays for all items
  std::string plugins;  // of the files of its plugins
  Json description;     // for readers: file of the graph, plugins with their digests, outputs
};

// "1/4": every fourth item, from the first.
struct Shard {
  uint32_t index = 0;  // from 1; 0: all items
  uint32_t count = 0;
};

// The record of a batch in the folder of its results: journal.jsonl, and journal-I-of-N.jsonl for each shard. One
// object per line, which is written at once. Any thread may add; the rest is for one thread.
class Journal {
 public:
  // Reads all journals in the folder, which is created, and opens the one of this shard for adding, alone. A whole
  // batch first joins those of shards. FAILED_PRECONDITION if another process uses the folder, or shards of another
  // number have. read_only: for Find alone; changes nothing.
  static Result<std::unique_ptr<Journal>> Open(const std::string& folder, const Shard& shard, const BatchBasis& basis,
                                               bool read_only);
  // Writes the last records of each item of all journals to journal.jsonl, and removes those of shards. Returns how
  // many items there are.
  static Result<size_t> Merge(const std::string& folder);

  // Null if nothing is known of the item.
  const ItemState* Find(const std::string& id) const;
  // The file that Add writes.
  const std::string& path() const { return path_; }

  // Whether results may be there in the other format than `npy` says.
  bool HasOtherFormat(bool npy) const { return formats_.contains(npy ? "npz" : "npy"); }

  // Adds records, objects without a line break, and their time. RESOURCE_EXHAUSTED while there is still room for what
  // AddLast adds: how items end that have begun.
  Status Add(const std::vector<std::string>& records);
  Status AddLast(const std::vector<std::string>& records);

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  Status OpenFile(const std::string& folder, const Shard& shard);
  Status Write(const std::vector<std::string>& records, bool reserve);
  Status Reserve(uint64_t bytes);
  Status Load(const std::string& path, uint16_t file, const BatchBasis& basis);

  std::string path_;
  Descriptor lock_, file_;
  std::mutex mutex_;       // guards the end of the file, and
  uint64_t reserved_ = 0;  // the bytes that the disk has for it
  bool can_reserve_ = true;
  std::unordered_map<uint64_t, ItemState> states_;
  std::set<std::string> formats_;  // of earlier batches
};

// How an item ended.
struct ItemEnd {
  std::string id;
  std::string inputs;   // digest; empty if they were not read
  std::string results;  // digest; empty if there are none
  uint64_t stamp = 0;
  uint64_t bytes = 0;  // of the file of its results
  double seconds = 0;
  const char* status = "ok";  // or "failed", "timeout", "crashed"
  bool unwritten = false;     // its results could not be written (R501), which is not the fault of the item
  bool is_stuck = false;      // its kernel does not return, so the program ends
  Diagnostics errors;         // none: it is ok
  bool ran = true;            // false: its inputs turned out to be those of its last run

  // The record of the journal. source: of the graph.
  std::string Text(const BatchBasis& basis, const SourceFile* source) const;
};
// The record that items begin ("running"), or that they do not run any more and nothing is known ("stopped").
std::string IdsText(const char* status, std::span<const BatchItem> items, const BatchBasis& basis);

// For kernels that poll whether they are to stop.
inline constexpr uint64_t kGraceMs = 2000;

struct ItemRunOptions {
  std::string folder;  // of the results
  bool npy = false;    // the only output as .npy, not .npz
  uint64_t timeout_ms = 0;
  std::string token;    // not empty: results are called .ID.TOKEN.npz, and who asked for them gives them their names
  bool is_only = true;  // no item has results in the other format
};

// Runs items on one graph. Any thread.
class ItemRunner {
 public:
  // Requires: the session has a plan.
  ItemRunner(const GraphSession& session, const Manifest& manifest, BatchBasis basis, ItemRunOptions options);

  // Runs the items together, joined at their first dimension, or one alone. Results are written when it returns. known:
  // what the journal says of each; null: nothing.
  std::vector<ItemEnd> Run(std::span<const BatchItem> items, std::span<const ItemState* const> known);

  // How an item ended that was running twice when the program ended, or whose kernel does not return.
  ItemEnd Crashed(const BatchItem& item) const;
  ItemEnd TimedOut(const BatchItem& item) const;

  std::string RecordOf(const ItemEnd& end) const { return end.Text(basis_, graph_->source()); }
  std::string RecordOf(const char* status, std::span<const BatchItem> items) const {
    return IdsText(status, items, basis_);
  }

  // The file of an item's results.
  std::string FileOf(const std::string& id) const;

  // The items of the run that should have ended more than `grace_ms` ago; empty if there is none. From any thread.
  std::vector<BatchItem> Overdue(uint64_t grace_ms) const;

 private:
  struct Loaded;
  using Results = std::vector<std::vector<Tensor>>;                // of each item
  using Running = std::multimap<int64_t, std::vector<BatchItem>>;  // by their begin
  Loaded Load(const BatchItem& item) const;
  std::optional<std::vector<Tensor>> Join(std::span<const Loaded> items, std::vector<int64_t>& rows) const;
  bool HasRows(std::span<const Loaded> items, std::span<const int64_t> rows);
  bool IsSame(const Loaded& item, const ItemState& state) const;
  std::optional<Results> Split(std::span<const CallOutput> outputs, std::span<const int64_t> rows,
                               Diagnostics& errors) const;
  std::optional<Results> RunTogether(std::span<const Loaded> items, Diagnostics& errors, double& seconds);
  std::shared_ptr<CallablePlan> PlanFor(std::span<const TensorRef> feeds, Diagnostics& errors);
  void Explain(const CallablePlan& plan, const RunFailure& failure, bool timed_out, Diagnostics& errors) const;
  Running::iterator Note(std::span<const Loaded> items, int64_t begin);
  void Write(const Loaded& item, std::vector<Tensor> results, ItemEnd& end) const;

  const std::shared_ptr<LoadedGraph> graph_;
  const Manifest& manifest_;
  const std::map<std::string, Tensor> constants_;
  const MappedFiles& mapped_files_;
  const BatchBasis basis_;
  const ItemRunOptions options_;
  CallableGraph callable_;
  std::vector<int> columns_;  // by declared feed: index into the items' inputs; -1: a constant
  std::vector<std::string> outputs_;
  bool keeps_state_ = false;  // each run needs kernels of its own
  mutable std::mutex mutex_;  // guards running_
  Running running_;           // only with a timeout
};

struct BatchSettings {
  std::string inputs;                  // a manifest, or
  std::vector<FeedArgument> patterns;  // --feed NAME='images/*.npy'
  std::string out;
  uint32_t group = 1;
  uint32_t concurrency = 1;
  uint32_t max_failures = 0;  // 0: any number if keep_going, otherwise 1
  uint64_t item_timeout_ms = 0;
  std::string token;
  bool npy = false;
  bool keep_going = false;
  bool retry_failed = false;
  bool dry_run = false;
  bool worker = false;
  bool json = false;
  Shard shard;
};

// Why an item runs, or does not.
enum class Why : uint8_t {
  kFinished,
  kFailedBefore,
  kCrashed,  // it was running twice when the program ended
  kOther,    // of another shard
  kNew,      // this one and those below run
  kInterrupted,
  kStopped,
  kInputs,
  kGraph,
  kPlugins,
  kLost,  // the file of its results is missing
  kRetry,
};
inline bool Runs(Why why) {
  return why >= Why::kNew;
}

struct Todo {
  std::vector<Why> whys;  // by row of the manifest

  // The manifest may have grown since.
  Why Of(const BatchItem& item) const { return item.row < whys.size() ? whys[item.row] : Why::kOther; }
  size_t Count(Why why) const;
  size_t ToRun() const;
  size_t Failed() const { return Count(Why::kFailedBefore) + Count(Why::kCrashed); }
  // "5 items: 2 finished before, 3 to run (1 new, 2 inputs changed)"; empty if all are new.
  std::string Summary() const;
  // What --json prints: of these items, before any runs.
  Json Counts(const BatchBasis& basis) const;
};

// Reads the manifest to its end. Nothing after mistakes, which are reported: those of rows, ids that occur twice and,
// unless settings.keep_going, inputs that do not fit their feeds.
std::optional<Todo> Survey(Manifest& manifest, const Journal& journal, const BatchSettings& settings,
                           const ItemRunner& runner, Console& console);

// Prints each item that would run, as a line. Requires: the manifest begins again.
int ListItems(Manifest& manifest, const Todo& todo, Console& console);

int RunToDo(GraphSession& session, const BatchSettings& settings, Manifest& manifest, Journal& journal,
            ItemRunner& runner, const Todo& todo, Console& console);

// Runs the items that the journal does not have. Requires: the session has a plan. Returns an exit status.
int RunItems(GraphSession& session, const BatchSettings& settings, Console& console);

// The same for the lines of standard input, each an item as --dry-run prints it; an empty line ends a group. Prints
// what the journal would get. For programs that distribute items.
int ServeItems(GraphSession& session, const BatchSettings& settings, Console& console);

}  // namespace opsrun::host

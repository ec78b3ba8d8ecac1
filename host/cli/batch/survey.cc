// host/cli/batch/survey.cc: which items of a manifest are to run, and why.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/cli/batch/batch.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostMistakes = 10'000;  // of a manifest

// By Why.
constexpr const char* kTexts[] = {"finished",      "failed",          "crashed",        "other",
                                  "new",           "interrupted",     "stopped",        "inputs changed",
                                  "graph changed", "plugins changed", "result missing", "failed before"};

Why WhyOf(const BatchItem& item, const ItemState* state, const BatchSettings& settings, const ItemRunner& runner) {
  if (state == nullptr) return Why::kNew;
  const uint64_t stamp = StampOf(item);
  if (state->is_open) {
    if (state->begun == 0 || state->begun_stamp != stamp) return Why::kStopped;
    return state->begun == 1 || settings.retry_failed ? Why::kInterrupted : Why::kCrashed;
  }
  if (stamp != state->stamp) return Why::kInputs;
  if (!state->same_graph) return Why::kGraph;
  if (!state->same_plugins) return Why::kPlugins;
  if (!state->is_ok) return settings.retry_failed ? Why::kRetry : Why::kFailedBefore;
  const std::optional<FileState> result = StateOf(runner.FileOf(item.id).c_str());
  return result && result->size == state->bytes ? Why::kFinished : Why::kLost;
}

// A text whose line N is that of the file, for the lines that messages show.
class ShownLines {
 public:
  void Set(uint32_t line, std::string text) { lines_[line] = std::move(text); }
  SourceFile Source(const std::string& path) const {
    SourceFile source{path, ""};
    uint32_t at = 1;
    for (const auto& [line, text] : lines_) {
      for (; at < line; ++at) source.text += '\n';
      source.text += text;
    }
    return source;
  }

 private:
  std::map<uint32_t, std::string> lines_;
};

bool IsOfShard(size_t row, const Shard& shard) {
  return shard.index == 0 || row % shard.count == shard.index - 1;
}

}  // namespace

std::optional<Todo> Survey(Manifest& manifest, const Journal& journal, const BatchSettings& settings,
                           const ItemRunner& runner, Console& console) {
  Todo todo;
  std::unordered_set<uint64_t> ids;
  Diagnostics mistakes;
  ShownLines lines;
  bool is_end = false;
  while (mistakes.all().size() < kMostMistakes) {
    const size_t before = mistakes.all().size();
    std::string line;
    const std::optional<BatchItem> item = manifest.Next(mistakes, is_end, &line);
    if (item) {
      if (!ids.insert(HashOf(item->id)).second)
        mistakes.Error("F401", fmt::format("the id '{}' occurs twice", item->id)).help = {"give each row its own id"};
      const bool ours = IsOfShard(item->row, settings.shard);
      todo.whys.push_back(ours ? WhyOf(*item, journal.Find(item->id), settings, runner) : Why::kOther);
      // An item that cannot run is one that fails, if others go on.
      for (size_t i = 0; Runs(todo.whys.back()) && !settings.keep_going && i < item->inputs.size(); ++i)
        CheckInput(*item, i, manifest, mistakes);
    }
    for (size_t i = before; i < mistakes.all().size(); ++i) {
      Diagnostic& d = mistakes.all()[i];
      if (!item || !d.file.empty() || manifest.path().empty()) continue;
      d.file = manifest.path();
      d.where = {item->place, {item->place.line, static_cast<uint32_t>(line.size() + 1)}};
    }
    if (mistakes.all().size() > before) lines.Set(mistakes.all().back().where.begin.line, line);
    if (is_end) break;
  }
  if (mistakes.has_errors()) {
    const SourceFile source = lines.Source(manifest.path());
    console.Report(mistakes, &source);
    return std::nullopt;
  }
  if (!manifest.ignored().empty())
    console.Note(fmt::format("not used, since no feed has such a name: {}", fmt::join(manifest.ignored(), ", ")));
  return todo;
}

size_t Todo::Count(Why why) const {
  return static_cast<size_t>(std::ranges::count(whys, why));
}

size_t Todo::ToRun() const {
  return static_cast<size_t>(std::ranges::count_if(whys, Runs));
}

// "5 items: 2 finished before, 3 to run (1 new, 2 inputs changed)"; empty if all are new.
std::string Todo::Summary() const {
  std::vector<std::string> parts;
  for (uint8_t why = static_cast<uint8_t>(Why::kNew); why < std::size(kTexts); ++why) {
    const size_t count = Count(static_cast<Why>(why));
    if (count == whys.size() - Count(Why::kOther) && static_cast<Why>(why) == Why::kNew) return "";
    if (count > 0) parts.push_back(fmt::format("{} {}", count, kTexts[why]));
  }
  const std::string failed = Failed() == 0 ? "" : fmt::format(", {} failed before", Failed());
  return fmt::format("{}: {} finished before{}, {} to run{}", Several(whys.size() - Count(Why::kOther), "item"),
                     Count(Why::kFinished), failed, ToRun(),
                     parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", ")));
}

Json Todo::Counts(const BatchBasis& basis) const {
  const size_t all = whys.size() - Count(Why::kOther), ok = Count(Why::kFinished);
  return {{"items", all},         {"ok", ok},
          {"failed", Failed()},   {"ran", 0},
          {"seconds", 0},         {"complete", ok + Failed() == all},
          {"graph", basis.graph}, {"plugins", basis.plugins}};
}

int ListItems(Manifest& manifest, const Todo& todo, Console& console) {
  Diagnostics ignored;
  bool is_end = false;
  while (const std::optional<BatchItem> item = manifest.Next(ignored, is_end, nullptr)) {
    const Why why = todo.Of(*item);
    if (!Runs(why)) continue;
    Json line = ItemJson(*item, manifest.columns());
    line["why"] = kTexts[static_cast<size_t>(why)];
    line["stamp"] = StampOf(*item);
    console.Print(JsonOnOneLine(line) + "\n");
  }
  return kExitOk;
}

}  // namespace opsrun::host

// host/cli/commands/plugins.cc: opsrun plugins. Reads only the notes of plugin files, unless asked to open the files.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/open_engine.h"
#include "host/show/json_text.h"
#include "host/show/judged_plugin.h"

namespace opsrun::host {
namespace {

constexpr const char* kIndent = "            ";

struct Row {
  const char* state;
  std::string name, version, ops, path;
};

Row RowOf(const JudgedPlugin& plugin) {
  return {plugin.Verdict(), Printable(plugin.note.name), Printable(plugin.note.version),
          Several(plugin.note.ops.size(), "op"), Printable(plugin.file)};
}

void PrintRow(const Row& row, size_t name_width, size_t version_width, size_t ops_width, Console& console) {
  console.Print(fmt::format("{:10}  {:{}}  {:{}}  {:>{}}  {}\n", row.state, row.name, name_width, row.version,
                            version_width, row.ops, ops_width, row.path));
}

// Indents each line of the text to the second column.
std::string BehindState(std::string_view text) {
  std::string indented;
  for (const std::string_view line : LinesOf(text)) indented += fmt::format("{}{}\n", kIndent, line);
  return indented;
}

void PrintReason(const JudgedPlugin& plugin, Console& console) {
  if (const std::optional<Refusal> refusal = FirstRefusal(plugin.findings)) {
    console.Print(BehindState(Printable(refusal->reason)));
    if (!refusal->remedy.empty()) console.Print(fmt::format("{}fix: {}\n", kIndent, Printable(refusal->remedy)));
  } else if (!plugin.hidden_by.empty()) {
    console.Print(
        fmt::format("{}by {}, which has the same name and comes first\n", kIndent, Printable(plugin.hidden_by)));
  }
}

void NotePlaces(const Catalog& catalog, Console& console) {
  console.Note(catalog.places.empty() ? "no directory is searched: --no-default-plugins without --plugins"
                                      : "no plugins were found; searched, in this order:");
  for (const SearchedDirectory& place : catalog.places)
    console.Note(fmt::format("  {} ({})", place.directory, place.origin));
}

FileLook LookOf(const CatalogEntry& entry) {
  return {entry.refusal ? FileLook::Kind::kRefused : FileLook::Kind::kPlugin, entry.note,
          entry.refusal.value_or(Refusal())};
}

std::vector<JudgedPlugin> JudgeAll(const Catalog& catalog, const Prober& prober) {
  const LibrarySearch search = LibrarySearch::OfThisProcess();
  const GpuCards cards = GpuCardsHere();
  std::vector<JudgedPlugin> judged;
  for (const CatalogEntry& entry : catalog.entries)
    judged.push_back({entry.path, entry.note, prober.Judge(entry.path, LookOf(entry), search, cards), entry.hidden_by});
  return judged;
}

class PluginsCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Flag("--json", json_, "print one JSON array with everything about each plugin");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const Catalog& catalog = *engine->catalog();
    const std::vector<JudgedPlugin> judged = JudgeAll(catalog, engine->prober());
    if (json_) {
      console.Print(JudgedPluginsJson(judged));
    } else {
      PrintTable(judged, console);
    }
    for (const Conflict& conflict : catalog.conflicts) {
      std::string paths;
      for (size_t i : conflict.entries) paths += (paths.empty() ? "" : " and in ") + catalog.entries[i].path;
      console.Note(fmt::format("{} is in {}", conflict.what, paths));
    }
    if (catalog.entries.empty()) NotePlaces(catalog, console);
    return kExitOk;
  }

 private:
  static void PrintTable(const std::vector<JudgedPlugin>& judged, Console& console) {
    size_t name_width = 0, version_width = 0, ops_width = 0;
    for (const JudgedPlugin& plugin : judged) {
      const Row row = RowOf(plugin);
      name_width = std::max(name_width, row.name.size());
      version_width = std::max(version_width, row.version.size());
      ops_width = std::max(ops_width, row.ops.size());
    }
    for (const JudgedPlugin& plugin : judged) {
      PrintRow(RowOf(plugin), name_width, version_width, ops_width, console);
      PrintReason(plugin, console);
    }
  }

  bool json_ = false;
};

}  // namespace

const CommandType kPluginsCommand = {
    .name = "plugins",
    .arguments = "",
    .summary = "list the plugins that were found, and why one is refused",
    .about = "Lists the plugins that were found: ok, hidden by an earlier one, or refused and why.\n",
    .details =
        "A separate process opens each plugin and checks its table and the specs of its ops. With --no-probe, no code\n"
        "of a plugin runs; one whose bytes pass their checks is then listed as compatible instead of ok.\n",
    .examples = "opsrun plugins --plugins build/my_plugins\nopsrun plugins --no-probe\n",
    .make = Make<PluginsCommand>,
};

}  // namespace opsrun::host

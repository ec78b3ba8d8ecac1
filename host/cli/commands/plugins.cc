// host/cli/commands/plugins.cc: opsrun plugins. Answers from notes alone, unless it is told to open the files.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/exit_status.h"
#include "host/base/units.h"
#include "host/cli/commands.h"
#include "host/cli/open_engine.h"
#include "host/plugin/load.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

constexpr const char* kIndent = "            ";

struct Row {
  const char* state;
  std::string name, version, ops, path;
};

Row RowOf(const CatalogEntry& entry, bool loaded) {
  return {entry.refusal              ? "refused"
          : !entry.hidden_by.empty() ? "hidden"
          : loaded                   ? "ok"
                                     : "compatible",
          Printable(entry.note.name), Printable(entry.note.version), Several(entry.note.ops.size(), "op"),
          Printable(entry.path)};
}

void PrintRow(const Row& row, size_t name_width, size_t version_width, size_t ops_width, Console& console) {
  console.Print(fmt::format("{:10}  {:{}}  {:{}}  {:>{}}  {}\n", row.state, row.name, name_width, row.version,
                            version_width, row.ops, ops_width, row.path));
}

// The text, each line of it behind the first column.
std::string BehindState(std::string_view text) {
  std::string indented;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    indented += fmt::format("{}{}\n", kIndent, line);
  }
  return indented;
}

void PrintReason(const CatalogEntry& entry, Console& console) {
  if (entry.refusal) {
    console.Print(BehindState(Printable(entry.refusal->reason)));
    if (!entry.refusal->remedy.empty())
      console.Print(fmt::format("{}fix: {}\n", kIndent, Printable(entry.refusal->remedy)));
  } else if (!entry.hidden_by.empty()) {
    console.Print(
        fmt::format("{}by {}, which has the same name and comes first\n", kIndent, Printable(entry.hidden_by)));
  }
}

void NotePlaces(const Catalog& catalog, Console& console) {
  console.Note(catalog.places.empty() ? "no directory is searched: --no-default-plugins without --plugins"
                                      : "no plugins were found; searched, in this order:");
  for (const PluginPlace& place : catalog.places) console.Note(fmt::format("  {} ({})", place.directory, place.origin));
}

// The catalog, with the refusals of files that only opening them shows. Hidden ones are not opened.
Catalog Opened(Catalog catalog) {
  const std::shared_ptr<opsrun_host> host = MakeHostTable(OpenCpuDevice());
  OpenedFiles files(host.get());
  LoadResult loaded = LoadAllPlugins(catalog, files);
  for (LoadRefusal& refused : loaded.refused) catalog.entries[refused.entry].refusal = std::move(refused.refusal);
  return catalog;
}

class PluginsCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Flag("--load", load_, "also load the plugins, which runs their code, and check the specs of their ops");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const Catalog catalog = load_ ? Opened(*engine->catalog()) : *engine->catalog();
    size_t name_width = 0, version_width = 0, ops_width = 0;
    for (const CatalogEntry& entry : catalog.entries) {
      const Row row = RowOf(entry, load_);
      name_width = std::max(name_width, row.name.size());
      version_width = std::max(version_width, row.version.size());
      ops_width = std::max(ops_width, row.ops.size());
    }
    for (const CatalogEntry& entry : catalog.entries) {
      PrintRow(RowOf(entry, load_), name_width, version_width, ops_width, console);
      PrintReason(entry, console);
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
  bool load_ = false;
};

}  // namespace

const CommandType kPluginsCommand = {
    .name = "plugins",
    .arguments = "",
    .summary = "list the plugins that were found, and why one is refused",
    .about = "Lists the plugins that were found: compatible, hidden by an earlier one, or refused and why.\n",
    .details = "The specs of ops are in the plugins' tables, which only their code makes: --load checks them too.\n",
    .examples = "opsrun plugins --plugins build/my_plugins\nopsrun plugins --load\n",
    .make = Make<PluginsCommand>,
};

}  // namespace opsrun::host

// host/cli/commands/plugins.cc: opsrun plugins. Answers from notes alone.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/base/exit_status.h"
#include "host/base/units.h"
#include "host/cli/commands.h"
#include "host/cli/open_engine.h"
#include "host/show/display_text.h"

namespace opsrun::host {
namespace {

struct Row {
  const char* state;
  std::string name, version, ops, path;
};

Row RowOf(const CatalogEntry& entry) {
  return {entry.refusal             ? "refused"
          : entry.hidden_by.empty() ? "ok"
                                    : "hidden",
          Printable(entry.note.name), Printable(entry.note.version), Several(entry.note.ops.size(), "op"),
          Printable(entry.path)};
}

void PrintRow(const Row& row, size_t name_width, size_t version_width, size_t ops_width, Console& console) {
  console.Print(fmt::format("{:8}  {:{}}  {:{}}  {:>{}}  {}\n", row.state, row.name, name_width, row.version,
                            version_width, row.ops, ops_width, row.path));
}

void PrintReason(const CatalogEntry& entry, Console& console) {
  constexpr const char* kIndent = "          ";
  if (entry.refusal) {
    console.Print(fmt::format("{}{}\n", kIndent, Printable(entry.refusal->reason)));
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

class PluginsCommand final : public Command {
 public:
  void AddOptions(Options&) override {}

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<const Catalog> catalog = engine->catalog();
    size_t name_width = 0, version_width = 0, ops_width = 0;
    for (const CatalogEntry& entry : catalog->entries) {
      const Row row = RowOf(entry);
      name_width = std::max(name_width, row.name.size());
      version_width = std::max(version_width, row.version.size());
      ops_width = std::max(ops_width, row.ops.size());
    }
    for (const CatalogEntry& entry : catalog->entries) {
      PrintRow(RowOf(entry), name_width, version_width, ops_width, console);
      PrintReason(entry, console);
    }
    for (const Conflict& conflict : catalog->conflicts) {
      std::string paths;
      for (size_t i : conflict.entries) paths += (paths.empty() ? "" : " and in ") + catalog->entries[i].path;
      console.Note(fmt::format("{} is in {}", conflict.what, paths));
    }
    if (catalog->entries.empty()) NotePlaces(*catalog, console);
    return kExitOk;
  }
};

}  // namespace

const CommandType kPluginsCommand = {
    .name = "plugins",
    .arguments = "",
    .summary = "list the plugins that were found, and why one is refused",
    .about = "Lists the plugins that were found: used, hidden by an earlier one, or refused and why. Loads none.\n",
    .examples = "opsrun plugins --plugins build/my_plugins\n",
    .make = Make<PluginsCommand>,
};

}  // namespace opsrun::host

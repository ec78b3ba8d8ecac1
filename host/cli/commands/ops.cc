// host/cli/commands/ops.cc: opsrun ops. Reads only the notes of plugin files.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/open_engine.h"
#include "host/show/op_text.h"

namespace opsrun::host {
namespace {

bool Matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// An op uses the kernels in its own file, `home`, and those in files without an op of the same name.
std::vector<KernelRow> KernelsOf(const Catalog& catalog, size_t home, const std::string& op) {
  std::vector<KernelRow> rows;
  for (size_t i = 0; i < catalog.entries.size(); ++i) {
    const CatalogEntry& entry = catalog.entries[i];
    if (i != home && (!entry.usable() || entry.Claims(op))) continue;
    for (const KernelNote& kernel : entry.note.kernels) {
      if (kernel.op != op) continue;
      rows.push_back(RowOf(kernel));
      if (i != home) rows.back().from = entry.path;
    }
  }
  return MergeRows(std::move(rows));
}

// The ops of entry i that a graph can use by their short names.
std::vector<std::string> VisibleOps(const Catalog& catalog, size_t i, const std::string& pattern) {
  std::vector<std::string> ops;
  if (!catalog.entries[i].usable()) return ops;
  for (const std::string& op : catalog.entries[i].note.ops) {
    const std::vector<size_t> claimants = catalog.ClaimantsOf(op);
    const bool visible = std::find(claimants.begin(), claimants.end(), i) != claimants.end();
    if (visible && Matches(pattern, op)) ops.push_back(op);
  }
  return ops;
}

void PrintOp(const Catalog& catalog, size_t entry, const std::string& op, size_t width, Console& console) {
  std::string left = fmt::format("  {:{}}", Printable(op), width);
  const std::vector<KernelRow> rows = KernelsOf(catalog, entry, op);
  if (rows.empty()) console.Print(fmt::format("{}  no kernel\n", left));
  for (const KernelRow& row : rows) {
    console.Print(fmt::format("{}  {}\n", left, Printable(RowText(row))));
    left.assign(left.size(), ' ');
  }
}

void PrintPlugin(const Catalog& catalog, size_t i, const std::vector<std::string>& ops, Console& console) {
  const CatalogEntry& entry = catalog.entries[i];
  const std::string version = entry.note.version.empty() ? "" : " " + entry.note.version;
  console.Print(fmt::format("{}{}  {}\n", Printable(entry.note.name), Printable(version), Printable(entry.path)));
  size_t width = 0;
  for (const std::string& op : ops) width = std::max(width, op.size());
  for (const std::string& op : ops) PrintOp(catalog, i, op, width, console);
}

class OpsCommand final : public Command {
 public:
  void AddOptions(Options& options) override { options.Argument(pattern_, "PATTERN", false); }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<const Catalog> catalog = engine->catalog();
    bool any = false;
    for (size_t i = 0; i < catalog->entries.size(); ++i) {
      const CatalogEntry& entry = catalog->entries[i];
      const std::vector<std::string> ops = VisibleOps(*catalog, i, pattern_);
      if (!ops.empty()) PrintPlugin(*catalog, i, ops, console);
      any = any || !ops.empty();
      if (entry.usable() && entry.note.more()) {
        console.Note(fmt::format("{} has more, known only when it is loaded", entry.path));
      }
    }
    if (const std::string refused = RefusedText(*catalog); !refused.empty()) console.Note(refused);
    if (any) return kExitOk;
    console.Note(catalog->OpNames().empty() ? "there are no ops; 'opsrun plugins' shows where plugins are searched for"
                                            : fmt::format("no op matches '{}'; {}", pattern_,
                                                          DidYouMean(pattern_, catalog->OpNames(), "ops")));
    return kExitFailed;
  }

 private:
  std::string pattern_ = "*";
};

}  // namespace

const CommandType kOpsCommand = {
    .name = "ops",
    .arguments = "[PATTERN]",
    .summary = "list the ops of the installed plugins",
    .about = "Lists the ops of the installed plugins with the devices and types of their kernels. Loads no plugin.\n",
    .details = "PATTERN is matched against op names: * stands for any characters, ? for one.\n",
    .examples = R"(opsrun ops
opsrun ops 'Zero*'
)",
    .make = Make<OpsCommand>,
};

}  // namespace opsrun::host

// host/cli/commands/plugins.cc: opsrun plugins and opsrun inspect. They judge plugin files, and open them only where
// the command says so, to try them in a separate process.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/examine/compatibility.h"
#include "host/examine/plugin_note.h"
#include "host/examine/prober.h"
#include "host/show/json_text.h"
#include "host/show/op_text.h"

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
  for (const Finding& finding : plugin.findings) {
    if (finding.signer) console.Print(fmt::format("{}signed {}\n", kIndent, Printable(finding.text)));
  }
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
    options.Flag("--strict", strict_,
                 "exit with code 1 if a plugin is refused, a file is not one, or two claim a name: a health check");
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
    for (const auto& [op, message] : catalog.hidden_ops) console.Note(message);
    for (const Conflict& conflict : catalog.conflicts) {
      std::string paths;
      for (size_t i : conflict.entries) paths += (paths.empty() ? "" : " and in ") + catalog.entries[i].path;
      console.Note(fmt::format("{} is in {}", conflict.what, paths));
    }
    for (const std::string& other : catalog.others) console.Note(fmt::format("{} is not an opsrun plugin", other));
    if (catalog.entries.empty()) NotePlaces(catalog, console);
    const bool healthy =
        catalog.others.empty() && catalog.conflicts.empty() &&
        std::ranges::all_of(judged, [](const JudgedPlugin& plugin) { return !FirstRefusal(plugin.findings); });
    return !strict_ || healthy ? kExitOk : kExitFailed;
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

  bool json_ = false, strict_ = false;
};

class InspectCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "FILE.so", 1, Options::kAny);
    options.Flag("--json", json_, "print one JSON array with everything about each file");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const Prober prober(DefaultProbeOptions(!common.no_probe, common.look));
    int worst = kExitOk;
    std::vector<JudgedPlugin> judged;
    for (const std::string& file : files_) worst = std::max(worst, Inspect(file, common, prober, judged, console));
    if (json_) console.Print(JudgedPluginsJson(judged));
    return worst;
  }

 private:
  int Inspect(const std::string& file, const CommonOptions& common, const Prober& prober,
              std::vector<JudgedPlugin>& judged, Console& console) {
    std::optional<JudgedPlugin> found = JudgeFile(file, common, prober, search_, cards_, console);
    if (!found) return kExitPlugins;
    judged.push_back(*std::move(found));
    JudgedPlugin& plugin = judged.back();
    // A separate process has opened it successfully.
    const bool probed = plugin.Verdict() == std::string_view("ok");
    if (probed) plugin.opened = opened_.emplace_back(OpenPluginOfFile(file, common)).plugin;
    if (!json_) {
      console.Print(
          fmt::format("{}: {}\n{}", Printable(file), plugin.Verdict(), JudgedPluginText(plugin, /*checks=*/true)));
    }
    const std::optional<Refusal> refusal = FirstRefusal(plugin.findings);
    if (refusal) return console.Report(RefusedFile(file, *refusal));
    if (probed && plugin.opened == nullptr) return ReportNotOpened(file, opened_.back(), console);
    return ReportGradients(plugin.opened, console);
  }

  // Reports the errors in gradients that its ops declare.
  int ReportGradients(const Plugin* plugin, Console& console) const {
    int worst = kExitOk;
    if (plugin == nullptr) return worst;
    for (const RegisteredOp& op : plugin->ops) {
      worst = std::max(worst, ReportGradient(*opened_.back().engine, op, console));
    }
    return worst;
  }

  bool json_ = false;
  std::deque<PluginOfFile> opened_;
  const GpuCards cards_ = GpuCardsHere();
  const LibrarySearch search_ = LibrarySearch::OfThisProcess();
  std::vector<std::string> files_;
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
    .notes = "The exit code is 0, or 1 with --strict if a plugin is refused or a file is not one.\n",
    .examples = "opsrun plugins --plugins build/my_plugins\nopsrun plugins --strict\n",
    .make = Make<PluginsCommand>,
};

const CommandType kInspectCommand = {
    .name = "inspect",
    .arguments = "FILE.so...",
    .summary = "show what plugin files contain, and try them in a separate process",
    .about = "Shows what plugin files contain: identity, ops, kernels, and the result of every check.\n",
    .details =
        "If the bytes of a file pass their checks, a separate process opens it and checks its table and the specs of\n"
        "its ops. If that succeeds, opsrun opens it too and checks the gradients of its ops, and the file\n"
        "FILE.opsrun.yaml beside it. With --no-probe, only the bytes are checked, and no code of the file runs.\n",
    .notes = "The exit code is 4 if a file is refused or is not a plugin, and 3 if a gradient has an error.\n",
    .examples = "opsrun inspect my_op.so\nopsrun inspect --no-probe my_op.so\nopsrun inspect --json my_op.so\n",
    .make = Make<InspectCommand>,
};

}  // namespace opsrun::host

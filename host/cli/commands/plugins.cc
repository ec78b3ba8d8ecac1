// host/cli/commands/plugins.cc: opsrun plugins, opsrun inspect and opsrun compat. They show plugin files, and open them
// only where the command says so: to try them in a separate process, or to compare them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <system_error>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/examine/compatibility.h"
#include "host/examine/plugin_note.h"
#include "host/examine/prober.h"
#include "host/plugin/load.h"
#include "host/run/host_table.h"
#include "host/show/json_text.h"
#include "host/show/op_text.h"
#include "host/spec/op_def.h"

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

class InspectCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "FILE.so", 1, Options::kAny);
    options.Flag("--json", json_, "print one JSON array with everything about each file");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const Prober prober(DefaultProbeOptions(!common.no_probe, common.abi_level));
    int worst = kExitOk;
    std::vector<JudgedPlugin> judged;
    for (const std::string& file : files_) worst = std::max(worst, Inspect(file, common, prober, judged, console));
    if (json_) console.Print(JudgedPluginsJson(judged));
    return worst;
  }

 private:
  int Inspect(const std::string& file, const CommonOptions& common, const Prober& prober,
              std::vector<JudgedPlugin>& judged, Console& console) {
    if (!CanRead(file, console)) return kExitPlugins;
    const FileLook look = LookAtFile(file, common.abi_level);
    if (look.kind == FileLook::Kind::kNotOurs || look.kind == FileLook::Kind::kNotLibrary) {
      return console.Report(MakeError(
          "P103", fmt::format("'{}' is not an opsrun plugin: {}", file, look.refusal.reason), look.refusal.remedy));
    }
    judged.push_back({file, look.note, prober.Judge(file, look, search_, cards_), ""});
    JudgedPlugin& plugin = judged.back();
    // A separate process has opened it successfully.
    const bool probed = plugin.Verdict() == std::string_view("ok");
    if (probed) plugin.opened = opened_.emplace_back(OpenPluginOfFile(file, common)).plugin;
    if (!json_) {
      console.Print(
          fmt::format("{}: {}\n{}", Printable(file), plugin.Verdict(), JudgedPluginText(plugin, /*checks=*/true)));
    }
    const std::optional<Refusal> refusal = FirstRefusal(plugin.findings);
    return refusal ? console.Report(RefusedFile(file, *refusal)) : ReportGradients(plugin.opened, console);
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

using spec::OpChange;
using spec::OpDef;

// The files to compare. Each is opened once even if it is named several times.
class Versions {
 public:
  Versions(const CommonOptions& common, Console& console)
      : common_(common), console_(console), host_(MakeHostTable(OpenCpuDevice(), {.level = common.abi_level})) {}

  // False after an error.
  bool Open(const std::string& file) {
    if (!CanRead(file, console_)) return false;
    for (size_t i = 0; i < files_.size(); ++i) {
      std::error_code error;
      if (!std::filesystem::equivalent(files_[i], file, error)) continue;
      which_.push_back(i);
      return true;
    }
    which_.push_back(files_.size());
    files_.push_back(file);
    return Take(file, LoadFile(file, host_.get()));
  }

  size_t size() const { return which_.size(); }
  const Registry& operator[](size_t i) const { return loaded_[which_[i]].registry; }

 private:
  bool Take(const std::string& file, LoadResult loaded) {
    for (const std::string& message : loaded.messages) console_.Note(message);
    for (const LoadRefusal& refused : loaded.refused) console_.Report(RefusedFile(file, refused.refusal));
    loaded_.push_back(std::move(loaded));
    return loaded_.back().refused.empty();
  }

  const CommonOptions& common_;
  Console& console_;
  const std::shared_ptr<const opsrun_host> host_;
  std::vector<std::string> files_;
  std::vector<LoadResult> loaded_;
  std::vector<size_t> which_;
};

std::set<std::string> OpsOf(const Versions& versions) {
  std::set<std::string> names;
  for (size_t i = 0; i < versions.size(); ++i) {
    for (const RegisteredOp* op : versions[i].Ops()) names.insert(op->def.name);
  }
  return names;
}

const OpDef* Find(const Registry* registry, const std::string& name) {
  const RegisteredOp* op = registry == nullptr ? nullptr : registry->FindOp(name);
  return op == nullptr ? nullptr : &op->def;
}

std::vector<OpChange> Compare(const OpDef* old_op, const OpDef* mid_op, const OpDef* new_op) {
  if (old_op == nullptr) old_op = std::exchange(mid_op, nullptr);
  if (old_op == nullptr) return {{true, "op_added", "the op is new"}};
  if (new_op == nullptr) return {{false, "op_removed", "the op was removed"}};
  std::vector<OpChange> changes = CompareOps(*old_op, *new_op);
  std::vector<OpChange> defaults = CompareDefaults(*old_op, *new_op);
  changes.insert(changes.end(), defaults.begin(), defaults.end());
  if (mid_op == nullptr) return changes;
  std::vector<OpChange> added = CompareAddedDefaults(*old_op, *mid_op, *new_op);
  changes.insert(changes.end(), added.begin(), added.end());
  return changes;
}

// The op's name and a line for each difference. Empty if there are none.
std::string CompatText(const std::string& op, const std::vector<OpChange>& changes) {
  if (changes.empty()) return {};
  std::string text = op + "\n";
  for (const OpChange& change : changes) {
    // The longest rule has 26 characters.
    text += fmt::format("  {:<8}{:<26}  {}\n", change.safe ? "safe" : "unsafe", change.rule, change.message);
  }
  return Printable(text);
}

class CompatCommand final : public Command {
 public:
  void AddOptions(Options& options) override { options.Arguments(files_, "OLD.so [MID.so] NEW.so", 2, 3); }

  int Execute(const CommonOptions& common, Console& console) override {
    Versions versions(common, console);
    for (const std::string& file : files_) {
      if (!versions.Open(file)) return kExitPlugins;
    }
    const size_t last = versions.size() - 1;
    const Registry* mid = last == 2 ? &versions[1] : nullptr;
    size_t equal = 0, safe = 0, unsafe = 0;
    for (const std::string& op : OpsOf(versions)) {
      const std::vector<OpChange> changes = Compare(Find(&versions[0], op), Find(mid, op), Find(&versions[last], op));
      if (changes.empty()) ++equal;
      for (const OpChange& change : changes) ++(change.safe ? safe : unsafe);
      console.Print(CompatText(op, changes));
    }
    console.Print(
        fmt::format("{} equal, {} safe, {} unsafe\n", Several(equal, "op"), Several(safe, "difference"), unsafe));
    return unsafe == 0 ? kExitOk : kExitFailed;
  }

 private:
  std::vector<std::string> files_;  // old and new, or old, mid and new
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

const CommandType kInspectCommand = {
    .name = "inspect",
    .arguments = "FILE.so...",
    .summary = "show what plugin files contain, and try them in a separate process",
    .about = "Shows what plugin files contain: identity, ops, kernels, and the result of every check.\n",
    .details =
        "If the bytes of a file pass their checks, a separate process opens it and checks its table and the specs of\n"
        "its ops. If that succeeds, opsrun opens it too and checks the gradients of its ops. With --no-probe, only\n"
        "the bytes are checked, and no code of the file runs.\n",
    .notes = "The exit code is 4 if a file is refused or is not a plugin, and 3 if a gradient has an error.\n",
    .examples = "opsrun inspect my_op.so\nopsrun inspect --no-probe my_op.so\nopsrun inspect --json my_op.so\n",
    .make = Make<InspectCommand>,
};

const CommandType kCompatCommand = {
    .name = "compat",
    .arguments = "OLD [MID] NEW",
    .summary = "check whether graphs for one version of a plugin run with another",
    .about =
        R"(Compares two versions of a plugin, op by op, and reports which differences are safe for graphs made for the
old one. Loads both.
)",
    .details =
        R"(The rules are TensorFlow's: what a graph leaves out must keep its meaning, and tensors are matched by position.
MID is a version between the two: attrs that it added must keep their defaults.
)",
    .notes = "The exit code is 1 if a difference is unsafe, 4 if a file is refused.\n",
    .examples = R"(opsrun compat my_op-1.0.so my_op.so
opsrun compat my_op-1.0.so my_op-1.1.so my_op.so
)",
    .make = Make<CompatCommand>,
};

}  // namespace opsrun::host

// host/cli/commands/ops.cc: opsrun ops, which lists ops, and opsrun explain, which describes one, or a message.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/examine/catalog.h"
#include "host/plan/explain/explain.h"
#include "host/show/json_text.h"
#include "host/show/op_text.h"

namespace opsrun::host {
namespace {

// An op as graphs can name it, by its short name.
struct FoundOp {
  std::string name;
  std::set<std::string> devices;  // of its kernels: "cpu", "gpu"
  std::string summary;            // the first line of its documentation; empty if the plugin cannot be opened
};

struct FoundOps {
  const CatalogEntry* entry = nullptr;
  std::vector<FoundOp> ops;
};

// word: a plugin, for all its ops; a part of an op's name; or a pattern with '*' or '?'. Case does not matter.
bool Matches(const std::string& word, const std::string& plugin, const std::string& op) {
  if (word.find_first_of("*?[") != std::string::npos) return fnmatch(word.c_str(), op.c_str(), FNM_CASEFOLD) == 0;
  return LowerCase(plugin) == LowerCase(word) || LowerCase(op).find(LowerCase(word)) != std::string::npos;
}

// An op uses the kernels in its own file, `home`, those in files without an op of the same name, and those for
// "plugin.Op".
std::set<std::string> DevicesOf(const Catalog& catalog, const CatalogEntry& home, const std::string& op) {
  std::set<std::string> devices;
  const std::string qualified = home.note.name + '.' + op;
  for (const CatalogEntry& entry : catalog.entries) {
    if (!entry.usable()) continue;
    for (const KernelNote& kernel : entry.note.kernels) {
      const bool for_name = kernel.op == op && (&entry == &home || !entry.Claims(op));
      if (for_name || kernel.op == qualified) devices.insert(RowOf(kernel).device);
    }
  }
  return devices;
}

// The ops that match, by plugin; opens these plugins to read the documentation.
std::vector<FoundOps> FindOps(Engine& engine, const Catalog& catalog, const std::string& word) {
  std::vector<FoundOps> all;
  std::vector<std::string> names;
  for (size_t i = 0; i < catalog.entries.size(); ++i) {
    const CatalogEntry& entry = catalog.entries[i];
    FoundOps found{&entry, {}};
    for (const std::string& op : entry.usable() ? entry.note.ops : std::vector<std::string>()) {
      const std::vector<size_t> claimants = catalog.ClaimantsOf(op);
      const bool visible = std::find(claimants.begin(), claimants.end(), i) != claimants.end();
      if (!visible || !Matches(word, entry.note.name, op)) continue;
      found.ops.push_back({op, DevicesOf(catalog, entry, op), ""});
      names.push_back(fmt::format("{}.{}", entry.note.name, op));
    }
    if (!found.ops.empty()) all.push_back(std::move(found));
  }
  const LoadResult loaded = engine.Open(catalog, names);
  for (FoundOps& found : all) {
    for (FoundOp& op : found.ops) {
      const RegisteredOp* known = loaded.registry.FindOp(fmt::format("{}.{}", found.entry->note.name, op.name));
      if (known != nullptr) op.summary = known->def.summary.substr(0, known->def.summary.find('\n'));
    }
  }
  return all;
}

std::string FoundText(const std::vector<FoundOps>& all) {
  std::string text;
  for (const auto& [entry, ops] : all) {
    const std::string version = entry->note.version.empty() ? "" : " " + entry->note.version;
    text += fmt::format("{}{}  {}\n", entry->note.name, version, entry->path);
    TextTable table({{"", TextTable::Align::kLeft}, {"", TextTable::Align::kLeft}, {"", TextTable::Align::kLeft}});
    for (const FoundOp& op : ops) {
      const std::string devices = op.devices.empty() ? "no kernel" : fmt::format("{}", fmt::join(op.devices, ", "));
      table.Add({"  " + op.name, devices, op.summary});
    }
    text += table.Text().substr(1);  // without the line of titles
  }
  return Printable(text);
}

std::string FoundJson(const std::vector<FoundOps>& all) {
  Json list = Json::array();
  for (const auto& [entry, ops] : all) {
    for (const FoundOp& op : ops) {
      list.push_back({{"op", op.name},
                      {"plugin", entry->note.name},
                      {"version", entry->note.version},
                      {"file", entry->path},
                      {"devices", op.devices},
                      {"summary", op.summary}});
    }
  }
  return JsonDocument(list);
}

class OpsCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(word_, "WORD", false);
    options.Flag("--json", json_, "print one JSON array");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<const Catalog> catalog = engine->catalog();
    const std::vector<FoundOps> found = FindOps(*engine, *catalog, word_);
    console.Print(json_ ? FoundJson(found) : FoundText(found));
    for (const CatalogEntry& entry : catalog->entries) {
      if (entry.usable() && entry.note.more())
        console.Note(fmt::format("{} has more, known only when it is loaded", entry.path));
    }
    if (const std::string refused = RefusedText(*catalog); !refused.empty()) console.Note(refused);
    if (!found.empty()) return kExitOk;
    if (catalog->OpNames().empty()) {
      return console.Report(
          MakeError("P201", "there are no ops", "'opsrun plugins' shows where plugins are searched for"));
    }
    return console.Report(MakeError("U005", fmt::format("no op or plugin matches '{}'", word_),
                                    DidYouMean(word_, catalog->OpNames(), "ops")));
  }

 private:
  std::string word_ = "*";
  bool json_ = false;
};

// Errors in plugins are ignored here.
bool IsOp(const std::string& name, const CommonOptions& common) {
  return !ReadCatalog(SearchedDirectories(common.plugins, !common.no_default_plugins), common.look)
              .ClaimantsOf(name)
              .empty();
}

// Explains the code `word`, or lists all codes for "codes", and returns the exit status. Nothing if `word` may be an
// op. Names of ops never begin with a small letter, so "g204" is always a code, but an op may be called "G204".
std::optional<int> ExplainCode(const std::string& word, bool json, const CommonOptions& common, Console& console) {
  if (word == "codes") {
    console.Print(json ? CodesJson() : CodesText());
    return kExitOk;
  }
  const ErrorPage* page = FindErrorPage(word);
  if (page == nullptr || (!IsLower(word[0]) && IsOp(word, common))) return std::nullopt;
  console.Print(json ? PageJson(*page) : PageText(*page));
  return kExitOk;
}

Diagnostic UnknownCode(const std::string& word) {
  const std::string code = UpperCase(word);
  std::vector<std::string> codes;
  for (const CodeRow& row : kCodes) codes.emplace_back(row.text);
  Diagnostic d = MakeError("U005", fmt::format("there is no message with code '{}'", code));
  SuggestName(d, code, codes, "codes");
  d.help.push_back("'opsrun explain codes' lists them all");
  return d;
}

Diagnostic NoSuchAttr(const spec::OpDef& op, const std::string& attr) {
  std::vector<std::string> names;
  for (const spec::AttrDef& each : op.attrs) names.push_back(each.name);
  Diagnostic d = MakeError("U005", fmt::format("op '{}' has no attr '{}'", op.name, attr));
  SuggestName(d, attr, names, "attrs", op.name + ".");
  return d;
}

int ExplainOp(Engine& engine, const RegisteredOp& op, const Registry& registry, bool json, Console& console) {
  console.Print(json ? OpJson(op, registry) : OpText(op, registry));
  return ReportGradient(engine, op, console);
}

int ExplainAttr(const RegisteredOp& op, const std::string& name, bool json, Console& console) {
  if (const spec::AttrDef* attr = op.def.FindAttr(name)) {
    console.Print(json ? AttrJson(op, *attr) : AttrTextAlone(op, *attr));
    return kExitOk;
  }
  return console.Report(NoSuchAttr(op.def, name));
}

int ReportNone(const std::string& word, const Catalog& catalog, const LoadResult& loaded, Console& console) {
  Diagnostics diagnostics;
  for (const OpTrouble& trouble : loaded.trouble) {
    if (trouble.kind != OpTrouble::Kind::kUnknown) diagnostics.all().push_back(NoOp(trouble.op, &trouble, catalog));
  }
  if (!diagnostics.has_errors()) {
    // "Op.attr", unless a plugin has the name before the dot.
    const OpRequest wanted = ParseOpRequest(word);
    const bool attr = !wanted.plugin.empty() && catalog.EntriesNamed(wanted.plugin).empty();
    Diagnostic none = LooksLikeCode(word) ? UnknownCode(word) : NoOp(attr ? wanted.plugin : word, nullptr, catalog);
    none.code = "U005";  // of the command line, not of a graph
    diagnostics.all().push_back(std::move(none));
  }
  for (const Diagnostic& d : diagnostics.all()) console.Report(d);
  return ExitCode(diagnostics);
}

// Accepts "error[G204]", as copied from a message, for "G204".
std::string CodeIn(const std::string& word) {
  const size_t open = word.find('['), close = word.find(']');
  return open < close && close != std::string::npos ? word.substr(open + 1, close - open - 1) : word;
}

class ExplainCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(word_, "OP", true);
    options.Flag("--json", json_, "print one JSON document");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    word_ = CodeIn(word_);
    if (const std::optional<int> explained = ExplainCode(word_, json_, common, console)) return *explained;
    if (LooksLikeCode(word_) && IsLower(word_[0])) return console.Report(UnknownCode(word_));
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<const Catalog> catalog = engine->catalog();
    std::vector<std::string> names = {word_};  // an op, also "plugin.Op", or otherwise an attr of one, "Op.attr"
    const size_t dot = word_.rfind('.');
    if (dot != std::string::npos && dot > 0) names.push_back(word_.substr(0, dot));
    const LoadResult loaded = engine->Open(names);
    for (const std::string& name : names) {
      const RegisteredOp* op = loaded.registry.FindOp(name);
      if (op == nullptr) continue;
      if (FindErrorPage(word_) != nullptr) {
        console.Note(fmt::format("'{}' is also a message code: see opsrun explain {}", word_, LowerCase(word_)));
      }
      return name.size() + 1 >= word_.size() ? ExplainOp(*engine, *op, loaded.registry, json_, console)
                                             : ExplainAttr(*op, word_.substr(dot + 1), json_, console);
    }
    if (const std::vector<size_t> plugin = catalog->EntriesNamed(word_); !plugin.empty()) {
      const std::vector<FoundOps> found = FindOps(*engine, *catalog, word_);
      return console.Print(json_ ? FoundJson(found) : FoundText(found)), kExitOk;
    }
    return ReportNone(word_, *catalog, loaded, console);
  }

 private:
  std::string word_;  // an op, "Op.attr", a code, or "codes"
  bool json_ = false;
};

}  // namespace

const CommandType kOpsCommand = {
    .name = "ops",
    .arguments = "[WORD]",
    .summary = "list the ops of the installed plugins",
    .about = "Lists the ops of the installed plugins: the devices that they have kernels for, and what they do.\n",
    .details = "WORD is a part of their names, a pattern with * and ?, or the name of a plugin.\n",
    .examples = R"(opsrun ops
opsrun ops conv
opsrun ops 'Zero*'
opsrun ops math_ops --json
)",
    .make = Make<OpsCommand>,
};

const CommandType kExplainCommand = {
    .name = "explain",
    .arguments = "OP|PLUGIN|CODE",
    .summary = "describe an op or a plugin, or explain a message such as error[G204] and how to fix it",
    .about =
        R"(Describes an op (signature, inputs, outputs, attrs with their limits and defaults, kernels) or one of its attrs.
Or explains the code of a message: what it means, why it is an error and how to fix it, with an example.
)",
    .details = "The argument is OP, PLUGIN.OP, OP.ATTR, PLUGIN, CODE, or 'codes' to list all codes.\n",
    .notes = "The exit code is 3 if the gradient that the op declares has an error.\n",
    .examples = R"(opsrun explain ZeroOut
opsrun explain my_plugin.ZeroOut
opsrun explain ZeroOut.preserve_index
opsrun explain ZeroOut --json
opsrun explain G204
opsrun explain codes
)",
    .make = Make<ExplainCommand>,
};

}  // namespace opsrun::host

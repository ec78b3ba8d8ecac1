// host/cli/commands/ops.cc: opsrun ops, which reads only the notes of plugin files, and opsrun explain, which opens the
// plugins of one op.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/examine/catalog.h"
#include "host/plan/explain/explain.h"
#include "host/show/op_text.h"

namespace opsrun::host {
namespace {

bool Matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// An op uses the kernels in its own file, `home`, those in files without an op of the same name, and those for
// "plugin.Op".
std::vector<KernelRow> KernelsOf(const Catalog& catalog, size_t home, const std::string& op) {
  std::vector<KernelRow> rows;
  const std::string qualified = catalog.entries[home].note.name + '.' + op;
  for (size_t i = 0; i < catalog.entries.size(); ++i) {
    const CatalogEntry& entry = catalog.entries[i];
    if (i != home && !entry.usable()) continue;
    for (const KernelNote& kernel : entry.note.kernels) {
      const bool for_name = kernel.op == op && (i == home || !entry.Claims(op));
      if (!for_name && kernel.op != qualified) continue;
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

// Errors in plugins are ignored here.
bool IsOp(const std::string& name, const CommonOptions& common) {
  return !ReadCatalog(SearchedDirectories(common.plugins, !common.no_default_plugins), common.abi_level)
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
  Diagnostic d = MakeError("G212", fmt::format("op '{}' has no attr '{}'", op.name, attr));
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
    diagnostics.all().push_back(LooksLikeCode(word) ? UnknownCode(word)
                                                    : NoOp(attr ? wanted.plugin : word, nullptr, catalog));
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
    return ReportNone(word_, *catalog, loaded, console);
  }

 private:
  std::string word_;  // an op, "Op.attr", a code, or "codes"
  bool json_ = false;
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

const CommandType kExplainCommand = {
    .name = "explain",
    .arguments = "OP|CODE",
    .summary = "describe an op, or explain a message such as error[G204] and how to fix it",
    .about =
        R"(Describes an op (signature, inputs, outputs, attrs with their limits and defaults, kernels) or one of its attrs.
Or explains the code of a message: what it means, why it is an error and how to fix it, with an example.
)",
    .details = "The argument is OP, PLUGIN.OP, OP.ATTR, CODE, or 'codes' to list all codes.\n",
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

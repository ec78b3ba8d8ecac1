// host/cli/commands/explain.cc: opsrun explain. Opens the plugins of one op.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/explain.h"

#include <fmt/format.h>

#include "host/base/diagnostic.h"
#include "host/base/text.h"
#include "host/cli/commands.h"
#include "host/cli/gradient_options.h"
#include "host/cli/open_engine.h"
#include "host/examine/catalog.h"
#include "host/show/error_pages.h"
#include "host/show/op_text.h"

namespace opsrun::host {
namespace {

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

// What the word refers to: an op (also "plugin.Op"), or otherwise an attr of one ("Op.attr").
struct Meant {
  std::string op;
  std::string attr;
};

std::vector<Meant> Meanings(const std::string& words) {
  std::vector<Meant> meanings = {{words, ""}};
  const size_t dot = words.rfind('.');
  if (dot != std::string::npos && dot > 0) meanings.push_back({words.substr(0, dot), words.substr(dot + 1)});
  return meanings;
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
    const std::vector<Meant> meanings = Meanings(word_);
    std::vector<std::string> names;
    for (const Meant& meant : meanings) names.push_back(meant.op);
    const LoadResult loaded = engine->Open(names);
    for (const Meant& meant : meanings) {
      const RegisteredOp* op = loaded.registry.FindOp(meant.op);
      if (op == nullptr) continue;
      if (FindErrorPage(word_) != nullptr) {
        console.Note(fmt::format("'{}' is also a message code: see opsrun explain {}", word_, LowerCase(word_)));
      }
      return meant.attr.empty() ? ExplainOp(*engine, *op, loaded.registry, json_, console)
                                : ExplainAttr(*op, meant.attr, json_, console);
    }
    return ReportNone(word_, *catalog, loaded, console);
  }

 private:
  std::string word_;  // an op, "Op.attr", a code, or "codes"
  bool json_ = false;
};

}  // namespace

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

// host/cli/explain_command.cc: opsrun explain. Opens the plugins of one op.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/base/suggest.h"
#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/explain_code.h"
#include "host/cli/open_engine.h"
#include "host/show/op_json.h"
#include "host/show/op_text.h"

namespace opsrun::host {
namespace {

Diagnostic Unknown(const std::string& op, const Catalog& catalog) {
  Diagnostic d;
  d.code = "G201";
  d.message = fmt::format("no op named '{}'", op);
  SuggestName(d, op, catalog.OpNames(), "ops");
  if (const std::string refused = RefusedText(catalog); !refused.empty()) d.notes = {refused};
  return d;
}

Diagnostic Troubled(const OpTrouble& trouble) {
  const bool refused = trouble.kind == OpTrouble::Kind::kRefused;
  Diagnostic d;
  d.code = refused ? "P201" : "G202";
  d.message = refused ? fmt::format("op '{}' is refused: {}", trouble.op, trouble.why)
                      : fmt::format("op '{}' is in more than one plugin of the same directory", trouble.op);
  if (!refused) d.notes = {trouble.why};
  d.help = {trouble.help};
  return d;
}

Diagnostic NoSuchAttr(const spec::OpDef& op, const std::string& attr) {
  std::vector<std::string> names;
  for (const spec::AttrDef& each : op.attrs) names.push_back(each.name);
  Diagnostic d;
  d.code = "G212";
  d.message = fmt::format("op '{}' has no attr '{}'", op.name, attr);
  SuggestName(d, attr, names, "attrs", op.name + ".");
  return d;
}

// What the words mean: an op (also "plugin.Op"), or, if there is none, an attr of one ("Op.attr").
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

int Explain(const RegisteredOp& op, const Registry& registry, bool json, Console& console) {
  console.Print(json ? OpJson(op, registry) : OpText(op, registry));
  return kExitOk;
}

int ExplainAttr(const RegisteredOp& op, const std::string& name, bool json, Console& console) {
  if (const spec::AttrDef* attr = op.def.FindAttr(name)) {
    console.Print(json ? AttrJson(op, *attr) : AttrTextAlone(op, *attr));
    return kExitOk;
  }
  console.Report(NoSuchAttr(op.def, name));
  return kExitGraph;
}

int ReportNone(const ExplainCommand& command, const Catalog& catalog, const LoadResult& loaded, Console& console) {
  Diagnostics diagnostics;
  for (const OpTrouble& trouble : loaded.trouble) {
    if (trouble.kind != OpTrouble::Kind::kUnknown) diagnostics.all().push_back(Troubled(trouble));
  }
  if (!diagnostics.has_errors()) {
    if (const std::optional<int> refused = RefuseCode(command, console)) return *refused;
  }
  if (!diagnostics.has_errors()) diagnostics.all().push_back(Unknown(command.op, catalog));
  for (const Diagnostic& d : diagnostics.all()) console.Report(d);
  return ExitCode(diagnostics);
}

}  // namespace

int Execute(const ExplainCommand& command, const CommonOptions& common, Console& console) {
  if (const std::optional<int> explained = ExplainCode(command, common, console)) return *explained;
  const std::shared_ptr<Engine> engine = OpenEngine(common, console);
  if (engine == nullptr) return kExitPlugins;
  const std::shared_ptr<const Catalog> catalog = engine->catalog();
  const std::vector<Meant> meanings = Meanings(command.op);
  std::vector<std::string> names;
  for (const Meant& meant : meanings) names.push_back(meant.op);
  const LoadResult loaded = engine->Open(names);
  for (const Meant& meant : meanings) {
    const RegisteredOp* op = loaded.registry.FindOp(meant.op);
    if (op == nullptr) continue;
    NoteCode(command, console);
    return meant.attr.empty() ? Explain(*op, loaded.registry, command.json, console)
                              : ExplainAttr(*op, meant.attr, command.json, console);
  }
  return ReportNone(command, *catalog, loaded, console);
}

}  // namespace opsrun::host

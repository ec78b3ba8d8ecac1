// host/cli/explain_command.cc: opsrun explain. Opens the plugins of one op.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "host/base/near_names.h"
#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/installed_plugins.h"
#include "host/cli/op_text.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

Diagnostic Unknown(const std::string& op, const Catalog& catalog) {
  Diagnostic d;
  d.code = "G201";
  d.message = fmt::format("no op named '{}'", op);
  d.help = {DidYouMean(op, catalog.OpNames(), "ops")};
  if (const std::string refused = RefusedText(catalog); !refused.empty()) d.notes = {refused};
  return d;
}

Diagnostic Troubled(const OpTrouble& trouble) {
  const bool refused = trouble.kind == OpTrouble::Kind::kRefused;
  Diagnostic d;
  d.code = refused ? "P201" : "G202";
  d.message = refused ? fmt::format("op '{}' is in a plugin that was refused", trouble.op)
                      : fmt::format("op '{}' is in more than one plugin of the same directory", trouble.op);
  d.notes = {trouble.why};
  d.help = {trouble.help};
  return d;
}

}  // namespace

int Execute(const ExplainCommand& command, const CommonOptions& common, Console& console) {
  const std::optional<Catalog> catalog = FindPlugins(common, console);
  if (!catalog) return kExitPlugins;
  const LoadResult loaded = OpenPlugins(*catalog, {command.op}, HostTable(), console);
  if (const RegisteredOp* op = loaded.registry.FindOp(command.op)) {
    console.Print(OpText(*op, loaded.registry));
    return kExitOk;
  }
  Diagnostics diagnostics;
  for (const OpTrouble& trouble : loaded.trouble) {
    if (trouble.kind != OpTrouble::Kind::kUnknown) diagnostics.all().push_back(Troubled(trouble));
  }
  if (!diagnostics.has_errors()) diagnostics.all().push_back(Unknown(command.op, *catalog));
  for (const Diagnostic& d : diagnostics.all()) console.Report(d);
  return ExitCode(diagnostics);
}

}  // namespace opsrun::host

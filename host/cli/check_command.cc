// host/cli/check_command.cc: opsrun check. Everything but running.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/base/units.h"
#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/open_engine.h"
#include "host/show/shapes_text.h"
#include "host/engine/loaded_graph.h"

namespace opsrun::host {
namespace {

// "3 nodes, 2 feeds, 1 output"
std::string SizeText(const Graph& graph) {
  return fmt::format("{}, {}, {}", Several(graph.nodes.size(), "node"), Several(graph.feeds.size(), "feed"),
                     Several(graph.outputs.size(), "output"));
}

int CheckOne(Engine& engine, const std::string& path, const CheckCommand& command, Console& console) {
  const std::shared_ptr<LoadedGraph> loaded = engine.LoadFile(path, {command.strict});
  Resolution resolution;
  if (loaded->graph() != nullptr) {
    loaded->Plan({{}, 1, command.shapes ? &resolution : nullptr});
    if (command.shapes) console.Print(ShapesText(resolution, *loaded->graph()));
  }
  console.Report(loaded->diagnostics(), loaded->source());
  if (loaded->diagnostics().has_errors()) return ExitCode(loaded->diagnostics());
  console.Ok(fmt::format("{}: {}", path, SizeText(*loaded->graph())));
  return kExitOk;
}

}  // namespace

int Execute(const CheckCommand& command, const CommonOptions& common, Console& console) {
  const std::shared_ptr<Engine> engine = OpenEngine(common, console);
  if (engine == nullptr) return kExitPlugins;
  int worst = kExitOk;
  for (const std::string& path : command.graphs) worst = std::max(worst, CheckOne(*engine, path, command, console));
  return worst;
}

}  // namespace opsrun::host

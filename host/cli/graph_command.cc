// host/cli/graph_command.cc: opsrun graph. Everything but running, as a picture.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/open_engine.h"
#include "host/cli/run_graphviz.h"
#include "host/cli/write_text.h"
#include "host/show/graph_dot.h"
#include "host/engine/loaded_graph.h"

namespace opsrun::host {
namespace {

constexpr size_t kManyNodes = 1000;

// Nothing after an error (R505).
std::optional<std::string> Svg(const std::string& dot, const Graph& graph, Console& console) {
  if (graph.nodes.size() > kManyNodes) {
    console.Note(fmt::format("a picture of {} nodes may take Graphviz long; --dot takes no time", graph.nodes.size()));
  }
  Result<std::string> svg = SvgOf(dot);
  if (svg.ok()) return *std::move(svg);
  Diagnostic d;
  d.code = "R505";
  d.message = svg.status().message();
  d.help = {svg.status().code() == OPSRUN_NOT_FOUND
                ? "install Graphviz (apt-get install graphviz), or write its text with --dot"
                : "look at the text that it was given: --dot"};
  console.Report(d);
  return std::nullopt;
}

bool Write(const GraphCommand& command, const std::string& dot, const Graph& graph, Console& console) {
  if (command.format == GraphCommand::Format::kDot) return WriteText(dot, command.output, console);
  const std::optional<std::string> svg = Svg(dot, graph, console);
  return svg && WriteText(*svg, command.output, console);
}

}  // namespace

int Execute(const GraphCommand& command, const CommonOptions& common, Console& console) {
  const std::shared_ptr<Engine> engine = OpenEngine(common, console);
  if (engine == nullptr) return kExitPlugins;
  const std::shared_ptr<LoadedGraph> loaded = engine->LoadFile(command.graph);
  const Graph* const graph = loaded->graph();
  Resolution resolution;
  if (graph != nullptr) loaded->Plan({{}, 1, &resolution});
  console.Report(loaded->diagnostics(), loaded->source());
  const bool written =
      graph != nullptr && Write(command, GraphDot(*graph, resolution, loaded->diagnostics()), *graph, console);
  if (loaded->diagnostics().has_errors()) return ExitCode(loaded->diagnostics());
  return written ? kExitOk : kExitFailed;
}

}  // namespace opsrun::host

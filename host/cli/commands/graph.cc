// host/cli/commands/graph.cc: opsrun graph. Draws a graph, with types, shapes and errors, without running it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/diagnostic.h"
#include "host/cli/commands.h"
#include "host/cli/named_files.h"
#include "host/cli/open_engine.h"
#include "host/engine/loaded_graph.h"
#include "host/show/graph_dot.h"
#include "host/show/graph_json.h"

namespace opsrun::host {
namespace {

constexpr size_t kManyNodes = 1000;

int ReportGraphviz(const Status& status, Console& console) {
  return console.Report(MakeError("R505", status.message(),
                                  status.code() == OPSRUN_NOT_FOUND
                                      ? "install Graphviz (apt-get install graphviz), or write its text with --dot"
                                      : "use --dot to see the input of Graphviz"));
}

// Nothing after error R505.
std::optional<std::string> Svg(const std::string& dot, const Graph& graph, Console& console) {
  if (graph.nodes.size() > kManyNodes) {
    console.Note(fmt::format("Graphviz may need a long time for {} nodes; --dot needs none", graph.nodes.size()));
  }
  Result<std::string> svg = SvgOf(dot);
  if (svg.ok()) return *std::move(svg);
  ReportGraphviz(svg.status(), console);
  return std::nullopt;
}

class GraphCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_, "GRAPH", true);
    options.Flag("--dot", dot_, "write text for Graphviz, which need not be installed; this is the default");
    options.Flag("--svg", svg_, "write a picture, drawn by Graphviz's program 'dot'; the default if FILE ends in .svg");
    options.Flag("--json", json_,
                 "write one JSON document for programs: feeds, nodes and outputs with types and shapes");
    options.Exclude("--dot", "--svg");
    options.Exclude("--json", "--svg");
    options.Exclude("--json", "--dot");
    options.Text("-o,--output FILE", output_, "write to FILE instead of standard output");
    AddPlacement(options, placement_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (const Status found = IsPicture() ? FindGraphviz() : OkStatus(); !found.ok()) {
      return ReportGraphviz(found, console);
    }
    const std::shared_ptr<Engine> engine = OpenEngine(common, console, placement_);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded = engine->LoadFile(graph_);
    const Graph* const graph = loaded->graph();
    if (const auto refused = RefuseFileInUse("-o", output_, FilesInUse(graph, {}))) return console.Report(*refused);
    Resolution resolution;
    if (graph != nullptr) loaded->Plan({{}, 1, &resolution});
    const int found = console.Report(loaded->diagnostics(), loaded->source());
    const bool written = graph != nullptr && Write(*graph, resolution, loaded->diagnostics(), console);
    return found != kExitOk || written ? found : kExitFailed;
  }

 private:
  bool IsPicture() const { return svg_ || (!dot_ && !json_ && output_.ends_with(".svg")); }

  bool Write(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics, Console& console) {
    if (json_) return WriteText(GraphJson(graph, resolution), output_, console);
    const std::string dot = GraphDot(graph, resolution, diagnostics);
    if (!IsPicture()) return WriteText(dot, output_, console);
    const std::optional<std::string> svg = Svg(dot, graph, console);
    return svg && WriteText(*svg, output_, console);
  }

  GraphOptions placement_;  // only its placement is used
  std::string graph_;
  std::string output_;  // a file; empty: standard output
  bool dot_ = false, svg_ = false, json_ = false;
};

}  // namespace

const CommandType kGraphCommand = {
    .name = "graph",
    .arguments = "GRAPH",
    .summary = "draw a graph, with types, shapes and errors",
    .about = "Draws a graph: nodes with their ops, types and shapes at the arrows, errors in red. Does not run it.\n",
    .details = "GRAPH is a YAML file, or - for standard input. A graph with errors is drawn, too.\n",
    .examples = R"(opsrun graph graph.yaml -o graph.svg
opsrun graph --dot graph.yaml | dot -Tpng > graph.png
opsrun graph --json graph.yaml | jq '.nodes[].op'
)",
    .make = Make<GraphCommand>,
};

}  // namespace opsrun::host

// host/cli/commands/check.cc: opsrun check. Does everything except running the graph.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/open_engine.h"
#include "host/engine/loaded_graph.h"
#include "host/show/config_text.h"

namespace opsrun::host {
namespace {

// "3 nodes, 2 feeds, 1 output"
std::string SizeText(const Graph& graph) {
  return fmt::format("{}, {}, {}", Several(graph.nodes.size(), "node"), Several(graph.feeds.size(), "feed"),
                     Several(graph.outputs.size(), "output"));
}

class CheckCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(graphs_, "GRAPH", 1, Options::kAny);
    options.Flag("--shapes", shapes_, "print the type and shape of each tensor, as far as they are known before a run");
    AddPlacement(options, graph_);
    AddStrict(options, graph_.strict);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console, graph_);
    if (engine == nullptr) return kExitPlugins;
    int worst = kExitOk;
    for (const std::string& path : graphs_) worst = std::max(worst, CheckOne(*engine, path, console));
    return worst;
  }

 private:
  int CheckOne(Engine& engine, const std::string& path, Console& console) {
    const std::shared_ptr<LoadedGraph> loaded = engine.LoadFile(path, {graph_.strict});
    Resolution resolution;
    if (loaded->graph() != nullptr) {
      loaded->Plan({{}, 1, shapes_ ? &resolution : nullptr});
      if (shapes_) console.Print(ShapesText(resolution, *loaded->graph()));
    }
    const int exit_code = console.Report(loaded->diagnostics(), loaded->source());
    if (exit_code == kExitOk) console.Ok(fmt::format("{}: {}", path, SizeText(*loaded->graph())));
    return exit_code;
  }

  std::vector<std::string> graphs_;
  bool shapes_ = false;
  GraphOptions graph_;  // for all graphs
};

}  // namespace

const CommandType kCheckCommand = {
    .name = "check",
    .arguments = "GRAPH...",
    .summary = "find all errors in graphs without running them",
    .about = "Finds all errors in graphs without running them: names, attrs, types, shapes, kernels.\n",
    .details =
        R"(No node runs, with one exception: nodes whose values determine a shape run if their ops have no state and all
their inputs are constants.
)",
    .notes =
        R"(The exit code is that of the worst graph. 'opsrun config' and 'opsrun plan' accept arrays for declared feeds, so
they can find more.
)",
    .examples = R"(opsrun check graph.yaml
opsrun check --shapes graph.yaml
opsrun check --error-format short graphs/*.yaml
)",
    .make = Make<CheckCommand>,
};

}  // namespace opsrun::host

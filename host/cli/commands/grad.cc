// host/cli/commands/grad.cc: opsrun grad. Writes a graph with its gradients as another graph.
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/gradient_options.h"
#include "host/cli/named_files.h"
#include "host/cli/open_engine.h"
#include "host/engine/differentiated_graph.h"
#include "host/gradient/differentiate.h"

namespace opsrun::host {
namespace {

// By NodeFlow.
constexpr const char* kFlowTexts[] = {"declared", "NONE: an error if a gradient is needed",
                                      "not differentiable: no gradient flows",
                                      "outputs are not floats: no gradient flows", "stop_gradient: no gradient flows"};
static_assert(static_cast<size_t>(NodeFlow::kStopped) + 1 == std::size(kFlowTexts));

class GradCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_, "GRAPH", true);
    AddGradientRequest(options, request_);
    options.Flag("--list", list_, "only list the nodes between --wrt and --of and what their ops declare");
    options.Text("-o,--output FILE", output_, "write to FILE instead of standard output");
    options.Exclude("--list", "--output");
    AddStrict(options, strict_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (const auto incomplete = CheckGradientRequest(request_, "grad")) return console.Report(*incomplete);
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded = engine->LoadFile(graph_, {strict_});
    if (const auto refused = RefuseFileInUse("-o", output_, FilesInUse(loaded->graph(), {}))) {
      return console.Report(*refused);
    }
    const std::optional<std::string> text = list_ ? Steps(*loaded) : Differentiated(*loaded);
    const int found = console.Report(loaded->diagnostics(), loaded->source());
    if (!text) return found;
    return WriteText(*text, output_, console) ? kExitOk : kExitFailed;
  }

 private:
  std::optional<std::string> Differentiated(LoadedGraph& loaded) const {
    const bool to_file = !output_.empty() && output_ != "-";
    const std::string directory = to_file ? std::filesystem::path(output_).parent_path().string() : "";
    const std::optional<DerivedGradients> gradients = DifferentiateGraph(loaded, request_);
    return gradients ? std::optional(GradientGraphText(*loaded.graph(), request_, *gradients, directory))
                     : std::nullopt;
  }

  std::optional<std::string> Steps(LoadedGraph& loaded) const {
    const std::optional<std::vector<GradientStep>> steps = ListGradientSteps(loaded, request_);
    if (!steps) return std::nullopt;
    using Align = TextTable::Align;
    TextTable table(
        {{"node", Align::kLeft}, {"op", Align::kLeft}, {"plugin", Align::kLeft}, {"line"}, {"gradient", Align::kLeft}});
    for (const GradientStep& step : *steps) {
      const Node& node = loaded.graph()->nodes[step.node];
      table.Add({node.name.value, step.op->def.name, step.op->plugin->name, std::to_string(node.name.span.begin.line),
                 step.invalid ? "INVALID: see opsrun explain " + step.op->def.name
                              : kFlowTexts[static_cast<size_t>(step.flow)]});
    }
    return table.Text();
  }

  std::string graph_;
  GradientRequest request_;
  bool list_ = false, strict_ = false;
  std::string output_;
};

}  // namespace

const CommandType kGradCommand = {
    .name = "grad",
    .arguments = "GRAPH",
    .summary = "write a graph that computes the gradients of a graph",
    .about = "Writes a graph that computes the outputs of GRAPH and the gradients of its tensors.\n",
    .details =
        R"(The result has the outputs of GRAPH, followed by grad_NAME for each NAME in --wrt. It is an ordinary graph: you can
read it, run it, and differentiate it again. It has the same feeds as GRAPH, but writes no files.
)",
    .notes = "The gradient of a node is the one that its op declares; 'opsrun explain OP' shows it.\n",
    .examples = R"(opsrun grad graph.yaml --of loss --wrt w,b -o grad.yaml
opsrun grad graph.yaml --of loss --wrt w --list
)",
    .make = Make<GradCommand>,
};

}  // namespace opsrun::host

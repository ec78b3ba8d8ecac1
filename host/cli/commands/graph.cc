// host/cli/commands/graph.cc: opsrun check, config, plan and graph. They plan graphs, and show what was found: the
// errors, the plan, the graph with everything that planning decided, or a picture.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/graphviz.h"
#include "host/cli/measure/measure_graph.h"
#include "host/engine/loaded_graph.h"
#include "host/show/graph_text.h"
#include "host/show/json_text.h"

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
    options.Flag("--json", json_, "print a JSON array with an object for each graph, in place of \"ok: ...\"");
    options.Exclude("--json", "--shapes");
    AddFeeds(options, graph_.feeds);
    AddPlacement(options, graph_);
    AddLoading(options, graph_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console, graph_);
    if (engine == nullptr) return kExitPlugins;
    int worst = kExitOk;
    Json graphs = Json::array();
    for (const std::string& path : graphs_) worst = std::max(worst, CheckOne(*engine, path, graphs, console));
    if (json_) console.Print(JsonDocument(graphs));
    return worst;
  }

 private:
  int CheckOne(Engine& engine, const std::string& path, Json& graphs, Console& console) {
    const std::shared_ptr<LoadedGraph> loaded = engine.LoadFile(path, LoadOptionsOf(graph_));
    Resolution resolution;
    if (loaded->graph() != nullptr) {
      const std::map<std::string, Tensor> feeds =
          ReadFeeds(graph_.feeds, *loaded->graph(), false, loaded->diagnostics());
      loaded->Plan({FeedTypes(feeds), 1, shapes_ ? &resolution : nullptr});
      if (shapes_) console.Print(ShapesText(resolution, *loaded->graph()));
    }
    const int exit_code = console.Report(loaded->diagnostics(), loaded->source());
    if (exit_code == kExitOk && !json_) console.Ok(fmt::format("{}: {}", path, SizeText(*loaded->graph())));
    const Graph* const graph = loaded->graph();
    const size_t errors =
        std::ranges::count(loaded->diagnostics().all(), Diagnostic::Severity::kError, &Diagnostic::severity);
    graphs.push_back({{"graph", path},
                      {"exit_code", exit_code},
                      {"errors", errors},
                      {"warnings", loaded->diagnostics().all().size() - errors},
                      {"nodes", graph == nullptr ? Json() : Json(graph->nodes.size())}});
    return exit_code;
  }

  std::vector<std::string> graphs_;
  bool shapes_ = false, json_ = false;
  GraphOptions graph_;  // for all graphs
};

// Plans a graph and shows the plan, or the graph with everything that planning decided.
template <bool kConfig>
class PlanCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    AddFeeds(options, graph_.feeds);
    if (!kConfig) AddThreads(options, graph_.threads);
    AddPlacement(options, graph_);
    if (!kConfig) options.Flag("--json", json_, "print one JSON document");
    AddLoading(options, graph_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    GraphSession session(graph_, common, 1, console);
    Resolution resolution;
    if (!session.MakePlan(&resolution)) return session.Report();
    const PlanFacts facts{session.plan(), resolution, session.registry()};
    console.Print(kConfig ? ConfigText(facts.plan, resolution) : json_ ? PlanJson(facts) : PlanText(facts));
    return kExitOk;
  }

 private:
  GraphOptions graph_;
  bool json_ = false;
};

constexpr size_t kManyNodes = 1000;

// Nothing after error R505.
std::optional<std::string> Picture(const std::string& dot, const std::string& format, const Graph& graph,
                                   Console& console) {
  if (graph.nodes.size() > kManyNodes) {
    console.Note(fmt::format("Graphviz may need a long time for {} nodes; --dot needs none", graph.nodes.size()));
  }
  Result<std::string> picture = PictureOf(dot, format);
  if (picture.ok()) return *std::move(picture);
  ReportGraphviz(picture.status(), console);
  return std::nullopt;
}

class GraphCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    options.Flag("--dot", dot_, "write text for Graphviz, which need not be installed; the default without -o");
    options.Flag("--svg", svg_, "write a picture, drawn by Graphviz's program 'dot'");
    options.Flag("--json", json_,
                 "write one JSON document for programs: feeds, nodes and outputs with types and shapes");
    options.Exclude("--dot", "--svg");
    options.Exclude("--json", "--svg");
    options.Exclude("--json", "--dot");
    options.Text(
        "-o,--output FILE", output_,
        "write to FILE instead of standard output, in the format of its ending: .svg, .png, .pdf, .dot, .gv or "
        ".json");
    options.Flag("--profile", profile_,
                 "run the graph as 'opsrun bench' does, color each node by its time, and write the time into it");
    AddFeeds(options, graph_.feeds);
    AddPlacement(options, graph_);
    AddLoading(options, graph_);
    options.Group("Options with --profile");
    AddThreads(options, graph_.threads);
    AddSeconds(options, measure_ms_);
    AddCudaGraphs(options, graph_);
    AddLimits(options, graph_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (const std::optional<Diagnostic> mistake = FindFormat()) return console.Report(*mistake);
    // Before the work that a picture needs.
    if (const Status found = IsPicture() ? FindDot().status() : OkStatus(); !found.ok()) {
      return ReportGraphviz(found, console);
    }
    return profile_ ? DrawMeasured(common, console) : DrawPlanned(common, console);
  }

 private:
  int DrawPlanned(const CommonOptions& common, Console& console) {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console, graph_);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded = engine->LoadFile(graph_.graph, LoadOptionsOf(graph_));
    const Graph* const graph = loaded->graph();
    if (const auto refused = RefuseOutput(graph)) return console.Report(*refused);
    Resolution resolution;
    if (graph != nullptr) {
      const std::map<std::string, Tensor> feeds = ReadFeeds(graph_.feeds, *graph, false, loaded->diagnostics());
      loaded->Plan({FeedTypes(feeds), 1, &resolution});
    }
    const int found = console.Report(loaded->diagnostics(), loaded->source());
    const bool written = graph != nullptr && Write(*graph, resolution, loaded->diagnostics(), nullptr, console);
    return found != kExitOk || written ? found : kExitFailed;
  }

  int DrawMeasured(const CommonOptions& common, Console& console) {
    GraphSession session(graph_, common, 1, console);
    Resolution resolution;
    if (!session.MakePlan(&resolution, /*runs=*/true)) return session.Report();
    const Graph& graph = session.plan().graph();
    if (const auto refused = RefuseOutput(&graph)) return console.Report(*refused);
    if (!session.MakeLanes()) return session.Report();
    BenchReport report;
    const int measured = MeasureRuns(session, measure_ms_, report);
    if (measured != kExitOk) return measured;
    const NodeTimes times = TimesOfNodes(session.plan(), report.step_ns, report.isolated_ns, report.run.median);
    return Write(graph, resolution, {}, &times, console) ? session.Report() : kExitFailed;
  }

  std::optional<Diagnostic> RefuseOutput(const Graph* graph) const {
    return RefuseFileInUse("-o", output_, FilesInUse(graph, graph_.feeds));
  }

  bool IsPicture() const { return format_ == "svg" || format_ == "png" || format_ == "pdf"; }

  // Sets format_: that of the option or of the file's ending, which must agree.
  std::optional<Diagnostic> FindFormat() {
    format_ = svg_ ? "svg" : json_ ? "json" : dot_ ? "dot" : "";
    const size_t dot = output_.rfind('.');
    std::string ending = dot == output_.npos || output_.find('/', dot) != output_.npos ? "" : output_.substr(dot + 1);
    if ((ending = LowerCase(ending)) == "gv") ending = "dot";
    const bool known = ending == "svg" || ending == "png" || ending == "pdf" || ending == "dot" || ending == "json";
    if (known && !format_.empty() && ending != format_) {
      return MakeError("U004", fmt::format("--{} and the ending of '{}' ask for two formats", format_, output_),
                       "remove the option, or change the ending");
    }
    const bool is_stream = output_.empty() || output_ == "-" || output_.starts_with("/dev/");
    if (!is_stream && !known && format_.empty()) {
      return MakeError("U005", fmt::format("-o '{}' does not end in a known format", output_),
                       "let it end in .svg, .png, .pdf, .dot, .gv or .json, or add --svg, --dot or --json");
    }
    if (format_.empty()) format_ = known ? ending : "dot";
    return std::nullopt;
  }

  bool Write(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics, const NodeTimes* times,
             Console& console) {
    if (format_ == "json") return WriteText(GraphJson(graph, resolution, times), output_, console);
    const std::string dot = GraphDot(graph, resolution, diagnostics, times);
    if (!IsPicture()) return WriteText(dot, output_, console);
    const std::optional<std::string> picture = Picture(dot, format_, graph, console);
    return picture && WriteText(*picture, output_, console);
  }

  GraphOptions graph_;
  uint64_t measure_ms_ = kMeasureMs;
  std::string output_;  // a file; empty: standard output
  std::string format_;  // "dot", "json", "svg", "png" or "pdf"
  bool dot_ = false, svg_ = false, json_ = false, profile_ = false;
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
        "The exit code is that of the worst graph. With --feed, the types and shapes of these arrays are checked, too; "
        "every graph must declare the feed.\n",
    .examples = R"(opsrun check graph.yaml
opsrun check --shapes graph.yaml
opsrun check --error-format short graphs/*.yaml
)",
    .make = Make<CheckCommand>,
};

const CommandType kPlanCommand = {
    .name = "plan",
    .arguments = "GRAPH",
    .summary = "show how a graph would run: order, kernels and why, memory",
    .about = "Shows how a graph would run: the order, the kernel of each node and why it was chosen, and the memory.\n",
    .examples = R"(opsrun plan graph.yaml
opsrun plan graph.yaml --threads 1 --json
)",
    .make = Make<PlanCommand<false>>,
};

const CommandType kConfigCommand = {
    .name = "config",
    .arguments = "GRAPH",
    .summary = "print a graph with all implied details filled in",
    .about = "Prints a graph with all implied details filled in: types, shapes, attrs, kernels and more.\n",
    .details =
        R"(The output is a graph, too. Details that the format has no key for are under x- keys, which are ignored.
Descriptions and x- keys of the original are left out. File paths are unchanged: keep the output in the same folder.
)",
    .examples = "opsrun config graph.yaml > whole.yaml\n",
    .make = Make<PlanCommand<true>>,
};

const CommandType kGraphCommand = {
    .name = "graph",
    .arguments = "GRAPH",
    .summary = "draw a graph, with types, shapes and errors",
    .about = "Draws a graph: nodes with their ops, types and shapes at the arrows, errors in red.\n",
    .details =
        "GRAPH is a YAML file, or - for standard input. A graph with errors is drawn, too. It is run only with "
        "--profile, which writes no outputs.\n",
    .examples = R"(opsrun graph graph.yaml -o graph.svg
opsrun graph graph.yaml -o graph.png
opsrun graph graph.yaml --profile -o times.svg
opsrun graph --json graph.yaml | jq '.nodes[].op'
)",
    .make = Make<GraphCommand>,
};

}  // namespace opsrun::host

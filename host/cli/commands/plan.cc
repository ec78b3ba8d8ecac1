// host/cli/commands/plan.cc: opsrun plan and opsrun config. They plan a graph and show the plan, or the graph with
// everything that planning decided.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"
#include "host/cli/commands.h"
#include "host/cli/graph_session.h"
#include "host/show/config_text.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {
namespace {

// A command that plans a graph and shows the plan.
class PlanningCommand : public Command {
 public:
  int Execute(const CommonOptions& common, Console& console) override {
    GraphSession session(graph_, common, 1, console);
    Resolution resolution;
    if (!session.MakePlan(&resolution)) return session.Report();
    console.Print(Text({session.plan(), resolution, session.registry()}));
    return kExitOk;
  }

 protected:
  virtual std::string Text(const PlanFacts& facts) const = 0;

  GraphOptions graph_;
};

class PlanCommand final : public PlanningCommand {
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    AddFeeds(options, graph_.feeds);
    AddThreads(options, graph_.threads);
    AddPlacement(options, graph_);
    options.Flag("--json", json_, "print one JSON document");
    AddStrict(options, graph_.strict);
  }
  std::string Text(const PlanFacts& facts) const override { return json_ ? PlanJson(facts) : PlanText(facts); }

  bool json_ = false;
};

class ConfigCommand final : public PlanningCommand {
  void AddOptions(Options& options) override {
    options.Argument(graph_.graph, "GRAPH", true);
    AddFeeds(options, graph_.feeds);
    AddPlacement(options, graph_);
    AddStrict(options, graph_.strict);
  }
  std::string Text(const PlanFacts& facts) const override { return ConfigText(facts.plan, facts.resolution); }
};

}  // namespace

const CommandType kPlanCommand = {
    .name = "plan",
    .arguments = "GRAPH",
    .summary = "show how a graph would run: order, kernels and why, memory",
    .about = "Shows how a graph would run: the order, the kernel of each node and why it was chosen, and the memory.\n",
    .examples = R"(opsrun plan graph.yaml
opsrun plan graph.yaml --threads 1 --json
)",
    .make = Make<PlanCommand>,
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
    .make = Make<ConfigCommand>,
};

}  // namespace opsrun::host

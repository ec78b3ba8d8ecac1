// host/cli/commands/gradients.cc: opsrun grad, which writes a graph with its gradients as another graph, and opsrun
// gradcheck, which compares declared gradients with measured ones.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/session.h"
#include "host/engine/loaded_graph.h"
#include "host/gradient/gradient_text.h"

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
    options.Argument(graph_.graph, "GRAPH", true);
    AddGradientRequest(options, request_);
    options.Flag("--list", list_, "only list the nodes between --wrt and --of and what their ops declare");
    options.Text("-o,--output FILE", output_, "write to FILE instead of standard output");
    options.Exclude("--list", "--output");
    AddLoading(options, graph_);
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (const auto incomplete = CheckGradientRequest(request_, "grad")) return console.Report(*incomplete);
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded = engine->LoadFile(graph_.graph, LoadOptionsOf(graph_));
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

  GraphOptions graph_;
  GradientRequest request_;
  bool list_ = false;
  std::string output_;
};

std::optional<uint64_t> ParseSeed(std::string_view text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(seed) : std::nullopt;
}

class GradcheckCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "PLUGIN.so", 0, Options::kAny);
    options.Each(
        "--op OP", [this](const std::string& op) { return ops_.push_back(op), std::nullopt; },
        "check only this op; may be repeated");
    options.Each(
        "--type TYPE", [this](const std::string& word) { return TakeType(word); }, "check only this data type");
    options.Count("--problems N", problems_, 1000,
                  "the number of random problems for each op and type; the default is 10");
    options.Quantity("--seed N", seed_, ParseSeed, "a whole number", "the first random problem; the default is 0");
    options.Flag("--json", json_, "print one JSON document");
    options.Group("A graph");
    options.Text("--graph GRAPH", graph_, "check the gradient of a graph, at the values of its feeds");
    AddGradientRequest(options, request_);
    for (const char* const of_ops : {"--op", "--type", "--problems"}) options.Exclude(of_ops, "--graph");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (!graph_.empty()) return CheckWholeGraph(common, console);
    if (!request_.of.empty() || !request_.wrt.empty()) {
      return console.Report(MakeError("U003", fmt::format("{} needs --graph", request_.of.empty() ? "--wrt" : "--of"),
                                      "for example: opsrun gradcheck --graph graph.yaml --of loss --wrt w,b"));
    }
    if (files_.empty()) {
      return console.Report(MakeError("U003", "opsrun gradcheck needs a plugin file, or --graph",
                                      "for example: opsrun gradcheck my_op.so"));
    }
    int worst = kExitOk;
    for (const std::string& file : files_) worst = std::max(worst, CheckFile(file, common, console));
    if (json_ || !checked_.empty()) console.Print(json_ ? GradcheckJson(checked_) : GradcheckText(checked_));
    for (const CheckedOp& op : checked_) {
      for (const Diagnostic& d : DescribeOp(op)) console.Report(d, GradientSource(*op.op).get());
      if (!Passed(op)) worst = std::max<int>(worst, kExitFailed);
    }
    return worst;
  }

 private:
  std::optional<Diagnostic> TakeType(const std::string& word) {
    type_ = DTypeFromName(word);
    if (type_) return std::nullopt;
    Diagnostic d = MakeError("U005", fmt::format("--type: '{}' is not a data type", word));
    SuggestName(d, word, FeedableDTypeNames(), "data types");
    return d;
  }

  bool IsWanted(const RegisteredOp& op) const {
    return ops_.empty() || std::find(ops_.begin(), ops_.end(), op.def.name) != ops_.end();
  }

  int CheckFile(const std::string& file, const CommonOptions& common, Console& console) {
    if (!CanRead(file, console)) return kExitPlugins;
    const PluginOfFile& opened = opened_.emplace_back(OpenPluginOfFile(file, common));
    if (opened.plugin == nullptr) return ReportNotOpened(file, opened, console);
    int status = kExitOk;
    for (const std::string& name : ops_) {
      if (!opened.plugin->HasOp(name)) status = ReportNoOp(*opened.plugin, name, console);
    }
    std::vector<const RegisteredOp*> ops;
    for (const RegisteredOp& op : opened.plugin->ops) {
      if (IsWanted(op)) ops.push_back(&op);
    }
    std::sort(ops.begin(), ops.end(), [](const auto* a, const auto* b) { return a->def.name < b->def.name; });
    for (const RegisteredOp* op : ops) CheckOne(file, *opened.engine, *op);
    return status;
  }

  void CheckOne(const std::string& file, Engine& engine, const RegisteredOp& op) {
    CheckedOp& checked = checked_.emplace_back(CheckedOp{file, &op, !op.gradient.empty(), {}, {}});
    if (!checked.checked) return;
    CheckDeclaredGradient(engine, op, checked.invalid);
    if (checked.invalid.has_errors()) return;
    OpCheckOptions options;
    options.seed = seed_;
    options.problems = static_cast<int>(problems_);
    options.type = type_;
    checked.checks = CheckOp(engine, op, options);
  }

  int CheckWholeGraph(const CommonOptions& common, Console& console) {
    if (const auto incomplete = CheckGradientRequest(request_, "gradcheck --graph")) return console.Report(*incomplete);
    CommonOptions with_files = common;
    for (const std::string& file : files_) {
      if (!CanRead(file, console)) return kExitPlugins;
      with_files.plugins.insert(with_files.plugins.begin(), DirectoryOf(file));
    }
    const std::shared_ptr<Engine> engine = OpenEngine(with_files, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded = engine->LoadFile(graph_);
    const std::optional<GradientVerdict> verdict = CheckGraph(*loaded, request_, seed_);
    const int found = console.Report(loaded->diagnostics(), loaded->source());
    if (!verdict) return found;
    console.Print(json_ ? VerdictJson(*verdict) : VerdictText(*verdict));
    if (const std::optional<Diagnostic> d = DescribeVerdict(*verdict)) console.Report(*d);
    return verdict->kind == GradientVerdict::Kind::kRight ? kExitOk : kExitFailed;
  }

  std::vector<std::string> files_, ops_;
  std::optional<DType> type_;
  uint32_t problems_ = 10;
  uint64_t seed_ = 0;
  bool json_ = false;
  std::string graph_;
  GradientRequest request_;
  std::deque<PluginOfFile> opened_;
  std::vector<CheckedOp> checked_;
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

const CommandType kGradcheckCommand = {
    .name = "gradcheck",
    .arguments = "[PLUGIN.so...]",
    .summary = "compare the gradients that ops declare with measured ones",
    .about = "Compares the gradients that ops of plugins declare with measured ones, on random problems.\n",
    .details =
        R"(For each op and data type, opsrun draws random attrs and small inputs until the op accepts them. It compares the
declared gradient with central differences, in float64 if the op has a kernel for it.
)",
    .notes = "The exit code is 1 if a gradient is wrong, invalid, or could not be checked.\n",
    .examples = R"(opsrun gradcheck my_op.so
opsrun gradcheck my_op.so --op MyOp --type float32 --seed 17
opsrun gradcheck --graph graph.yaml --of loss --wrt w,b
)",
    .make = Make<GradcheckCommand>,
};

}  // namespace opsrun::host

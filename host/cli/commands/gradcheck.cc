// host/cli/commands/gradcheck.cc: opsrun gradcheck. Compares declared gradients with measured ones.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>

#include "host/base/diagnostic.h"
#include "host/cli/commands.h"
#include "host/cli/gradient_options.h"
#include "host/cli/named_files.h"
#include "host/cli/open_engine.h"
#include "host/gradcheck/report.h"
#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_text.h"

namespace opsrun::host {
namespace {

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
    if (opened.plugin == nullptr) return console.Report(CannotOpen(file, opened));
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

  static int ReportNoOp(const Plugin& plugin, const std::string& name, Console& console) {
    Diagnostic d = MakeError("G201", fmt::format("plugin '{}' has no op '{}'", plugin.name, name));
    std::vector<std::string> names;
    for (const RegisteredOp& op : plugin.ops) names.push_back(op.def.name);
    SuggestName(d, name, names, "ops");
    return console.Report(d);
  }

  void CheckOne(const std::string& file, Engine& engine, const RegisteredOp& op) {
    CheckedOp& checked = checked_.emplace_back(CheckedOp{file, &op, !op.gradient.empty(), {}, {}});
    if (!checked.checked) return;
    std::vector<std::string> names = GradientText(op).OpNames();
    names.insert(names.end(), DifferentiationOps().begin(), DifferentiationOps().end());
    for (const RegisteredOp& each : op.plugin->ops) {
      names.push_back(fmt::format("{}.{}", op.plugin->name, each.def.name));
    }
    const std::shared_ptr<const Catalog> catalog = engine.catalog();
    const LoadResult loaded = engine.Open(*catalog, names);
    CheckGradient(op, {loaded, *catalog}, engine.host(), checked.invalid);
    if (checked.invalid.has_errors()) return;
    OpCheckOptions options;
    options.seed = seed_;
    options.problems = static_cast<int>(problems_);
    options.type = type_;
    checked.checks = CheckOp(engine, op, {loaded, *catalog}, options);
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

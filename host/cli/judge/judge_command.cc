// SPDX-License-Identifier: Apache-2.0
#include "host/cli/judge/judge_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/measure/measure_graph.h"
#include "host/cli/problem/problem.h"

namespace opsrun::host {
namespace {

// In the caches of one processor, in those of all, and in memory.
constexpr size_t kJudgedBytes[] = {size_t{16} << 10, size_t{1} << 20, size_t{16} << 20};
constexpr size_t kMostGraph = size_t{16} << 20;

std::optional<uint64_t> ParseFactor(std::string_view text) {
  uint64_t factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool valid = error == std::errc() && end == text.data() + text.size() && factor >= 1 && factor <= 1'000'000;
  return valid ? std::optional(factor) : std::nullopt;
}

// An op of both sides, and what to do with it.
class OpCase {
 public:
  OpCase(const Sides& sides, const JudgeOptions& options, const Graph* cases, const Plugin& plugin)
      : sides_(sides), options_(options), cases_(cases), ops_(LoadOps(*sides.op_engine, plugin)) {}

  // The sizes to measure. *reason: why there are fewer than expected.
  std::vector<Problem> Stated(std::string* reason) const {
    std::vector<Problem> stated = Typed(ProblemsOfCases(cases_, *sides_.op, reason), reason);
    if (cases_ != nullptr && options_.request.shapes.empty()) return stated;
    const bool sweeps = options_.request.shapes.empty() && !sides_.op->def.inputs.empty();
    for (size_t i = 0; i < (sweeps ? std::size(kJudgedBytes) : 1); ++i) {
      Diagnostics wrong;
      const auto text = OneNodeGraph(sides_.op->plugin->name, sides_.op->def, options_.request, kJudgedBytes[i], wrong);
      if (!text) {
        *reason = wrong.all().front().message;
        break;
      }
      const std::shared_ptr<LoadedGraph> loaded =
          sides_.op_engine->LoadText(std::make_shared<const SourceFile>(SourceFile{"the graph of the judge", *text}));
      if (loaded->graph() == nullptr || loaded->diagnostics().has_errors()) {
        *reason = loaded->diagnostics().all().front().message;
        break;
      }
      for (Problem& problem : Typed(ProblemsOfCases(loaded->graph(), *sides_.op, reason), reason)) {
        problem.text = TextOf(*problem.graph, problem.call.inputs);
        stated.push_back(std::move(problem));
      }
    }
    return stated;
  }

  // Small nodes of all types; none if the reference is a graph, whose types are fixed.
  std::vector<Problem> Small(std::string* reason) const {
    if (sides_.graph != nullptr) return {};
    TestHost host(*sides_.op_engine);
    DrawOptions options;
    options.seed = options_.seed;
    options.try_rejected = false;
    options.begins = [](uint64_t, DType, const std::string&) {};
    Drawn drawn = DrawProblems(*sides_.op_engine, *sides_.op, host, options);
    if (drawn.problems.empty()) *reason = drawn.why_none;
    std::erase_if(drawn.problems, [&](const Problem& problem) {
      return options_.request.dtype && problem.type != *options_.request.dtype;
    });
    return std::move(drawn.problems);
  }

 private:
  std::vector<Problem> Typed(std::vector<Problem> problems, std::string* reason) const {
    std::vector<Problem> typed;
    for (Problem& problem : problems) {
      Diagnostics wrong;
      const std::shared_ptr<LoadedGraph> loaded = ops_->WithGraph(problem.graph, {});
      std::optional<TypedNode> node = loaded->TypeFirstNode(wrong);
      if (!node) {
        *reason = wrong.all().empty() ? "the node has no types" : wrong.all().front().message;
        continue;
      }
      problem.op = std::make_shared<const TypedOp>(loaded, *std::move(node));
      problem.call.op = problem.op.get();
      typed.push_back(std::move(problem));
    }
    return typed;
  }

  const Sides& sides_;
  const JudgeOptions& options_;
  const Graph* const cases_;
  const std::shared_ptr<const LoadedGraph> ops_;
};

const RegisteredOp* FindOp(const Plugin& plugin, std::string_view name) {
  const auto found = std::ranges::find(plugin.ops, name, [](const RegisteredOp& op) { return op.def.name; });
  return found == plugin.ops.end() ? nullptr : &*found;
}

// The result for an op that is not the same.
Judged OtherSpec(const std::string& op, const spec::OpChange& change) {
  Judged judged;
  judged.op = op;
  for (const JudgeCheck& check : JudgeChecks()) {
    CheckResult& result = judged.checks.emplace_back();
    result.check = check.name;
    result.message = "the judge stopped at the first failure";
  }
  judged.checks[0].status = CheckStatus::kFailed;
  judged.checks[0].message = change.message;
  return judged;
}

// Opens both sides, and judges one op after the other.
class JudgeRun {
 public:
  JudgeRun(const JudgeRequest& request, const JudgeOptions& options, const CommonOptions& common, Console& console)
      : request_(request), options_(options), common_(common), console_(console) {
    sides_.candidate_file = request.file;
    sides_.reference_file = options.against;
  }

  int Run() {
    if (const int error = OpenCandidate(); error != kExitOk) return error;
    const int error = IsLibraryName(options_.against) ? OpenReference() : OpenGraph();
    if (error != kExitOk) return error;
    if (const int wrong = OpenCases(); wrong != kExitOk) return wrong;
    const std::vector<std::string> names = Names();
    if (names.empty()) {
      return console_.Report(MakeError("G201",
                                       fmt::format("'{}' has none of the ops of '{}'", request_.file, options_.against),
                                       "both must have an op of the same name; see: opsrun inspect " + request_.file));
    }
    std::vector<Judged> all;
    for (const std::string& name : names) {
      if (FindOp(*candidate_.plugin, name) == nullptr) return ReportNoOp(*candidate_.plugin, name, console_);
      if (sides_.graph == nullptr && FindOp(*reference_.plugin, name) == nullptr)
        return ReportNoOp(*reference_.plugin, name, console_);
    }
    for (const std::string& name : names) all.push_back(JudgeOne(name));
    console_.Print(request_.json ? JudgeJson(options_, sides_, all) : Printable(JudgeText(options_, sides_, all)));
    int status = kExitOk;
    for (const Judged& judged : all) {
      for (const Diagnostic& d : DescribeJudged(options_, judged)) console_.Report(d);
      if (judged.Failed() || !judged.HasVerdict()) status = kExitFailed;
    }
    return status;
  }

 private:
  // Its code runs in another process from the beginning.
  int OpenCandidate() {
    if (!CanRead(request_.file, console_)) return kExitPlugins;
    GraphOptions how;
    how.isolate = {kIsolateAll};
    how.sandbox = options_.sandbox;
    candidate_ = OpenPluginOfFile(request_.file, common_, how);
    if (candidate_.plugin == nullptr) return ReportNotOpened(request_.file, candidate_, console_);
    sides_.candidate_plugin = candidate_.plugin->name;
    return kExitOk;
  }

  int OpenReference() {
    if (!CanRead(options_.against, console_)) return kExitPlugins;
    reference_ = OpenPluginOfFile(options_.against, common_);
    if (reference_.plugin == nullptr) return ReportNotOpened(options_.against, reference_, console_);
    sides_.engine = sides_.op_engine = reference_.engine.get();
    return kExitOk;
  }

  int OpenGraph() {
    const Result<std::string> text = ReadFile(options_.against, kMostGraph);
    if (!text.ok()) return console_.Report(MakeError("G000", text.status().message(), "pass a plugin file or a graph"));
    engine_ = OpenEngine(common_, console_);
    if (engine_ == nullptr) return kExitPlugins;
    const std::shared_ptr<LoadedGraph> loaded = engine_->LoadFile(options_.against);
    if (loaded->graph() == nullptr || loaded->diagnostics().has_errors())
      return console_.Report(loaded->diagnostics(), loaded->source());
    for (const std::shared_ptr<const Plugin>& plugin : loaded->registry().plugins()) {
      std::error_code error;
      if (!std::filesystem::equivalent(plugin->path, request_.file, error)) continue;
      return console_.Report(MakeError(
          "U005",
          fmt::format("--against: the graph '{}' uses '{}', which it shall judge", options_.against, request_.file),
          "write the reference with ops of other plugins, or name them with the plugin: {op: math_ops.Relu}"));
    }
    sides_.graph_text = *text;
    sides_.graph = loaded;
    sides_.engine = engine_.get();
    sides_.op_engine = candidate_.engine.get();
    return kExitOk;
  }

  int OpenCases() {
    if (request_.cases.empty()) return kExitOk;
    cases_ = sides_.op_engine->LoadFile(request_.cases);
    return cases_->diagnostics().has_errors() ? console_.Report(cases_->diagnostics(), cases_->source()) : kExitOk;
  }

  // Of the ops that both have, in the order of names.
  std::vector<std::string> Names() const {
    if (!request_.ops.empty()) return request_.ops;
    std::vector<std::string> names;
    for (const RegisteredOp& op : candidate_.plugin->ops) {
      if (sides_.graph != nullptr || FindOp(*reference_.plugin, op.def.name) != nullptr) names.push_back(op.def.name);
    }
    std::ranges::sort(names);
    if (sides_.graph != nullptr && names.size() > 1) names.resize(1);
    return names;
  }

  Judged JudgeOne(const std::string& name) {
    const RegisteredOp& mine = *FindOp(*candidate_.plugin, name);
    const RegisteredOp* const theirs = sides_.graph == nullptr ? FindOp(*reference_.plugin, name) : nullptr;
    sides_.op = theirs == nullptr ? &mine : theirs;
    if (theirs != nullptr) {
      const std::vector<spec::OpChange> changes = spec::CompareVersions(theirs->def, mine.def);
      if (!changes.empty()) return OtherSpec(name, changes.front());
    }
    const OpCase op(sides_, options_, cases_ == nullptr ? nullptr : cases_->graph(), *sides_.op->plugin);
    std::string reason;
    const std::vector<Problem> stated = op.Stated(&reason), small = op.Small(&reason);
    return JudgeOp(sides_, options_, stated, small, reason);
  }

  const JudgeRequest& request_;
  const JudgeOptions& options_;
  const CommonOptions& common_;
  Console& console_;
  PluginOfFile candidate_, reference_;
  std::shared_ptr<Engine> engine_;  // of a graph
  std::shared_ptr<LoadedGraph> cases_;
  Sides sides_;
};

}  // namespace

void AddJudgeOptions(Options& options, JudgeOptions& judge) {
  options.Group("Against a reference, for results and for speed");
  options.Text("--against FILE", judge.against,
               "compare with the op of the same name in another plugin file, or with a graph whose feeds have the\n"
               "names of the op's inputs");
  AddBenchedInputs(options, judge.request);
  AddSeconds(options, judge.measure_ms);
  AddThreads(options, judge.threads);
  options.Flag("--sandbox", judge.sandbox, "take files, the network and other processes away from PLUGIN.so");
  options.Flag("--warm", judge.warm, "measure with inputs in the caches; otherwise they are in memory");
  options.Quantity("--accuracy N", judge.accuracy, ParseFactor, "a whole number from 1 to 1000000",
                   "accept errors that are N times those of the reference; the default is 1");
}

int Judge(const JudgeRequest& request, JudgeOptions options, const CommonOptions& common, Console& console) {
  if (options.request.flops != 0 && options.request.shapes.empty())
    return console.Report(MakeError("U003", "--flops needs --shape: the number belongs to one size"));
  // Where the judge itself looks: its program is in another folder than that of its processes.
  for (const SearchedDirectory& place : SearchedDirectories(common.plugins, !common.no_default_plugins)) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::absolute(place.directory, error);
    if (!error && std::filesystem::is_directory(folder, error)) options.order.folders.push_back(folder.string());
  }
  options.order.level = common.look.level;
  return JudgeRun(request, options, common, console).Run();
}

}  // namespace opsrun::host

// host/cli/commands/test.cc: opsrun test, which checks the ops of a plugin by their specs alone.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/conform/conform.h"
#include "host/cli/judge/judge_command.h"
#include "host/cli/session.h"
#include "host/run/repro.h"

namespace opsrun::host {
namespace {

constexpr int kRecordsOfOrder = 3;

class TestCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(file_, "PLUGIN.so", true);
    options.Each(
        "--op OP", [this](const std::string& op) { return ops_.push_back(op), std::nullopt; },
        "check only this op; may be repeated");
    options.Quantity("--seed N", seed_, ParseSeed, "a whole number", "the first random problem; the default is 0");
    options.Each(
        "--reproduce N", [this](const std::string& seed) { return TakeReproduce(seed); },
        "check only the problem of this seed, which a failure names");
    options.Text("--repro-dir DIR", repro_dir_,
                 "with --reproduce: write the node of a failure to DIR, a new folder;\n'opsrun run DIR' runs it");
    options.Text("--cases GRAPH", cases_,
                 "also check the nodes of this graph whose inputs are feeds with values in it");
    options.Flag("--json", json_, "print one JSON document");
    options.Text("--junit FILE", junit_, "also write the results to FILE, as XML that CI servers read");
    options.Hidden("--order TEXT", order_);
    AddJudgeOptions(options, judge_);
    options.Exclude("--seed", "--reproduce");
    options.Exclude("--cases", "--reproduce");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (const std::optional<Diagnostic> wrong = CheckOptions()) return console.Report(*wrong);
    if (!judge_.against.empty()) return Compare(common, console);
    if (!CanRead(file_, console)) return kExitPlugins;
    const PluginOfFile opened = OpenPluginOfFile(file_, common);
    if (opened.plugin == nullptr) return ReportNotOpened(file_, opened, console);
    std::shared_ptr<LoadedGraph> cases;
    if (!cases_.empty()) cases = opened.engine->LoadFile(cases_);
    if (!order_.empty()) return Obey(opened, cases.get(), console);
    if (cases != nullptr && cases->diagnostics().has_errors())
      return console.Report(cases->diagnostics(), cases->source());
    if (cases != nullptr) {
      if (const auto unused = CheckCases(*cases->graph(), *opened.plugin)) return console.Report(*unused);
    }
    int status = kExitOk;
    for (const std::string& name : ops_) {
      if (!opened.plugin->HasOp(name)) status = ReportNoOp(*opened.plugin, name, console);
    }
    const std::vector<OpResult> results = CheckOps(OptionsOf(), Wanted(*opened.plugin));
    console.Print(json_ ? ConformJson(OptionsOf(), results) : ConformText(OptionsOf(), results));
    for (const OpResult& op : results) {
      for (const Diagnostic& d : DescribeOpResult(OptionsOf(), op)) console.Report(d);
      if (op.Failed()) status = std::max<int>(status, kExitFailed);
    }
    if (!repro_dir_.empty() && !WriteRepro(opened, results, console)) return kExitFailed;
    if (!junit_.empty() && !WriteText(ConformJunit(OptionsOf(), results), junit_, console)) return kExitFailed;
    return status;
  }

 private:
  std::optional<Diagnostic> CheckOptions() const {
    if (!judge_.against.empty() && (reproduce_ || !repro_dir_.empty() || !junit_.empty())) {
      return MakeError("U004", "--reproduce, --repro-dir and --junit cannot be used with --against",
                       "for the same values again, pass --seed; for programs, pass --json");
    }
    if (judge_.against.empty() && judge_.IsSet()) {
      return MakeError("U003", "the options for a comparison need --against",
                       "for example: opsrun test my_op.so --against reference.so --shape 1024,1024");
    }
    if (!repro_dir_.empty() && !reproduce_)
      return MakeError("U003", "--repro-dir needs --reproduce", "pass the number that a failure names");
    return std::nullopt;
  }

  // With values that nobody can know, unless --seed asks for those of an earlier time.
  int Compare(const CommonOptions& common, Console& console) {
    judge_.seed = seed_;
    if (seed_ == 0 && getrandom(&judge_.seed, sizeof(uint32_t), 0) < 0) judge_.seed = 1;
    return Judge({file_, ops_, cases_, json_}, judge_, common, console);
  }

  static std::optional<uint64_t> ParseSeed(std::string_view text) {
    uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(seed) : std::nullopt;
  }

  std::optional<Diagnostic> TakeReproduce(const std::string& word) {
    reproduce_ = ParseSeed(word);
    if (reproduce_) return std::nullopt;
    return MakeError("U005", fmt::format("--reproduce cannot be '{}'", word), "it must be a whole number");
  }

  // A case that cannot be used must not look like one that passes.
  std::optional<Diagnostic> CheckCases(const Graph& cases, const Plugin& plugin) const {
    size_t found = 0;
    for (const RegisteredOp& op : plugin.ops) {
      std::string reason;
      found += ProblemsOfCases(&cases, op, &reason).size();
      if (!reason.empty())
        return MakeError("U005", "--cases: " + reason, "give the node feeds with values, such as {value: [1, 2]}");
    }
    if (found > 0) return std::nullopt;
    return MakeError("U005",
                     fmt::format("--cases: no node of '{}' is one of an op of plugin '{}'", cases_, plugin.name),
                     "see: opsrun inspect " + file_);
  }

  // In the process that checks an op.
  int Obey(const PluginOfFile& opened, LoadedGraph* cases, Console& console) const {
    const std::optional<TestOrder> order = TestOrder::Read(order_);
    if (!order) return console.Report(MakeError("U005", "--order is for processes of opsrun itself"));
    RunOrder(*opened.engine, *opened.plugin, *order, cases == nullptr ? nullptr : cases->graph(), kRecordsOfOrder);
    return kExitOk;
  }

  // The problem of the first failure. False after an error.
  bool WriteRepro(const PluginOfFile& opened, const std::vector<OpResult>& results, Console& console) const {
    for (const OpResult& result : results) {
      for (const CheckResult& check : result.checks) {
        if (check.node.empty()) continue;
        const auto op =
            std::ranges::find(opened.plugin->ops, result.op, [](const auto& each) { return each.def.name; });
        const DType type = DTypeFromName(check.type).value_or(DType::kInvalid);
        const Status status = WriteProblem(*opened.engine, *op, check.seed, type, repro_dir_);
        if (!status.ok()) {
          console.Report(MakeError("R504", fmt::format("--repro-dir: {}", status.message()), kNewFolderHelp));
          return false;
        }
        console.Note(fmt::format("to run the node alone: opsrun run {}", repro_dir_));
        return true;
      }
    }
    console.Note(fmt::format("no op failed, so {} was not written", repro_dir_));
    return true;
  }

  ConformOptions OptionsOf() const {
    ConformOptions options;
    options.file = file_;
    options.words = OwnWords();
    if (!options.words.empty()) options.words[0] = OwnFile().string();
    options.seed = reproduce_.value_or(seed_);
    options.one = reproduce_.has_value();
    options.cases = cases_;
    return options;
  }

  std::vector<std::string> Wanted(const Plugin& plugin) const {
    std::vector<std::string> ops;
    for (const RegisteredOp& op : plugin.ops) {
      if (ops_.empty() || std::ranges::find(ops_, op.def.name) != ops_.end()) ops.push_back(op.def.name);
    }
    std::ranges::sort(ops);
    return ops;
  }

  std::string file_, junit_, order_, cases_, repro_dir_;
  JudgeOptions judge_;
  std::vector<std::string> ops_;
  uint64_t seed_ = 0;
  std::optional<uint64_t> reproduce_;
  bool json_ = false;
};

}  // namespace

const CommandType kTestCommand = {
    .name = "test",
    .arguments = "PLUGIN.so",
    .summary = "check that the ops of a plugin keep to the rules",
    .about = "Checks that the ops of a plugin keep to the rules of kernels and shape functions.\n",
    .details =
        R"(For each op and data type, opsrun draws random attrs and small inputs until the op accepts them, and calls its
shape function and its CPU kernel in many ways. The checks of an op run in a process of their own, so a crash is a
result like others: CRASHED. An op that accepts nothing that is drawn is SKIPPED, unless --cases has a node of it.

With --against, the op is compared with a reference instead: all results, how accurate they are, and how long they take.
)",
    .notes = "The exit code is 1 if an op fails a check, or cannot be judged against its reference.\n",
    .examples = R"(opsrun test my_op.so
opsrun test my_op.so --op MyOp --reproduce 17
opsrun test my_op.so --cases cases.yaml --junit report.xml
opsrun test faster.so --against my_op.so --shape 1024,1024
)",
    .make = Make<TestCommand>,
};

}  // namespace opsrun::host

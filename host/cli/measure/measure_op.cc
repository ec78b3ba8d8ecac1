// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include "host/base/display_text.h"
#include "host/cli/measure/bench_op.h"
#include "host/cli/measure/machine.h"
#include "host/cli/measure/measure_graph.h"

namespace opsrun::host {
namespace {

// In the caches of one processor after the other, and in memory.
constexpr size_t kInputBytes[] = {size_t{1} << 10, size_t{32} << 10, size_t{1} << 20, size_t{64} << 20};

// The op of an opened file.
struct OpenedOp {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;
  std::string plugin;
  const spec::OpDef* def = nullptr;  // of `loaded`
};

int ReportOps(const OpenedOp& found, const std::vector<std::string>& names, const std::string& wanted,
              Console& console) {
  Diagnostic d;
  if (wanted.empty()) {
    d = MakeError("U003",
                  fmt::format("plugin '{}' has {}, so bench needs --op", found.plugin, Several(names.size(), "op")),
                  DidYouMean("", names, "ops"));
  } else {
    d = MakeError("G201", fmt::format("plugin '{}' has no op '{}'", found.plugin, wanted));
    SuggestName(d, wanted, names, "ops");
  }
  return console.Report(d);
}

int FindOp(const std::string& file, const std::string& wanted, const CommonOptions& common, Console& console,
           OpenedOp& found) {
  found.engine = OpenEngine(common, console);
  if (found.engine == nullptr) return kExitPlugins;
  const std::optional<std::string> name = AddPluginFile(*found.engine, file, console);
  if (!name) return kExitPlugins;
  found.plugin = *name;
  std::vector<std::string> ops, qualified;
  for (const CatalogEntry& entry : found.engine->catalog()->entries) {
    if (entry.note.name == *name && !entry.refusal) ops = entry.note.ops;
  }
  const std::string op = wanted.empty() && ops.size() == 1 ? ops[0] : wanted;
  if (op.empty() || std::ranges::find(ops, op) == ops.end()) return ReportOps(found, ops, op, console);
  const std::string of_plugin = fmt::format("{}.{}", *name, op);
  found.loaded = found.engine->Open({of_plugin});
  const RegisteredOp* const registered = found.loaded.registry.FindOp(of_plugin);
  if (registered == nullptr) {
    const std::string reason = found.loaded.refused.empty() ? "" : found.loaded.refused[0].refusal.reason;
    PluginOfFile opened;
    opened.reason = reason;
    return ReportNotOpened(file, opened, console);
  }
  found.def = &registered->def;
  return kExitOk;
}

// How often this process has given up its processor by itself, to wait for something.
double Waits() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_nvcsw);
}

// Measures one graph after another.
class OpBench {
 public:
  OpBench(const std::string& file, const std::string& old_file, const BenchedOp& request, const GraphOptions& options,
          const CommonOptions& common, Console& console, OpReport& report)
      : file_(file),
        old_file_(old_file),
        request_(request),
        options_(options),
        common_(common),
        console_(console),
        report_(report) {}

  int Run(uint64_t measure_ms) {
    OpenedOp found;
    if (const int error = FindOp(file_, request_.op, common_, console_, found); error != kExitOk) return error;
    report_.plugin_file = file_;
    report_.op = fmt::format("{}.{}", found.plugin, found.def->name);
    report_.compared_with = old_file_;
    report_.flops = request_.flops;
    const bool sweeps = request_.shapes.empty() && !found.def->inputs.empty();
    const size_t sizes = sweeps ? std::size(kInputBytes) : 1;
    for (size_t i = 0; i < sizes; ++i) {
      Diagnostics wrong;
      const auto text = OneNodeGraph(found.plugin, *found.def, request_, kInputBytes[i], wrong);
      if (!text) return console_.Report(wrong, nullptr);
      const int error = MeasureSize(*text, std::max<uint64_t>(measure_ms / sizes, 1), i + 1 == sizes);
      if (error != kExitOk) return Explain(found, sweeps, error);
    }
    return kExitOk;
  }

 private:
  GraphOptions OptionsFor(const std::string& file, const std::string& text) const {
    GraphOptions options = options_;
    options.graph = fmt::format("the graph for '{}'", report_.op);
    options.text = text;
    options.plugin_file = file;
    return options;
  }

  int Explain(const OpenedOp& found, bool sweeps, int error) {
    console_.Note(
        fmt::format("bench gave each input {}. If the op needs something else, say so: opsrun bench {} --op {} --shape "
                    "64,64 --attr "
                    "NAME=VALUE",
                    sweeps ? "a vector of random numbers" : "random numbers", file_, found.def->name));
    console_.Note(
        "for inputs that random numbers cannot be, such as indices, measure a graph: opsrun bench graph.yaml");
    return error;
  }

  int MeasureSize(const std::string& text, uint64_t measure_ms, bool last) {
    const GraphOptions options = OptionsFor(file_, text);
    GraphSession session(options, common_, 1, console_);
    if (!session.MakePlan() || !session.MakeLanes()) return session.Report();
    BenchReport bench;
    if (const int error = MeasureRuns(session, measure_ms, bench); error != kExitOk) return error;
    OpSize& size = report_.sizes.emplace_back();
    TakeFacts(session, bench, size);
    if (size.bytes && report_.device.empty())
      size.copy_ns = CopyNs(static_cast<size_t>(*size.bytes / 2), pool(session));
    if (report_.peak_flops == 0 && report_.device.empty()) {
      const bool wide = std::ranges::any_of(size.inputs, [](const auto& in) { return in.starts_with("float64"); });
      report_.peak_dtype = wide ? "float64" : "float32";
      report_.peak_flops = PeakFlops(wide, pool(session));
    }
    if (!old_file_.empty()) return Compare(text, measure_ms, session, bench, size);
    return last ? MeasureAlone(text, measure_ms, size) : kExitOk;
  }

  ThreadPool& pool(GraphSession& session) {
    if (pool_ == nullptr) pool_ = std::make_unique<ThreadPool>(session.engine().threads());
    return *pool_;
  }

  void TakeFacts(const GraphSession& session, const BenchReport& bench, OpSize& size) {
    const Plan& plan = session.plan();
    size.run = bench.run;
    size.stable = bench.stable;
    size.temporary_bytes = static_cast<double>(bench.temporary_bytes);
    for (const Step& step : plan.steps) size.workspace_bytes += static_cast<double>(step.more->workspace_bytes);
    for (const NodeFacts& facts : FactsOf(plan)) {
      if (facts.QualifiedOp() != report_.op) continue;
      size.inputs = facts.inputs;
      if (facts.bytes) size.bytes = static_cast<double>(*facts.bytes);
      report_.device = facts.device == kCpuName ? "" : facts.device;
    }
    for (const Feed& feed : plan.graph().feeds) size.input_bytes += static_cast<double>(feed.value.num_bytes());
    report_.cpu = bench.cpu;
    report_.threads = bench.threads;
  }

  int MeasureAlone(const std::string& text, uint64_t measure_ms, OpSize& size) {
    GraphOptions options = OptionsFor(file_, text);
    options.threads = 1;
    GraphSession session(options, common_, 1, console_);
    if (!session.MakePlan() || !session.MakeLanes()) return session.Report();
    BenchReport bench;
    const double before = Waits();
    if (const int error = MeasureRuns(session, measure_ms, bench); error != kExitOk) return error;
    const auto runs = static_cast<double>(bench.run.samples * bench.batch + bench.timed_runs);
    size.alone_waits = (Waits() - before) / std::max(runs, 1.0);
    size.alone_ns = bench.run.median;
    return kExitOk;
  }

  // Both plugins in turns, and each of them first in every second turn.
  int Compare(const std::string& text, uint64_t measure_ms, GraphSession& now, const BenchReport& bench, OpSize& size) {
    const GraphOptions options = OptionsFor(old_file_, text);
    GraphSession old(options, common_, 1, console_);
    if (!old.MakePlan() || !old.MakeLanes()) return old.Report();
    BenchReport before;
    if (const int error = MeasureRuns(old, std::max<uint64_t>(measure_ms / 4, 1), before); error != kExitOk)
      return error;
    size.old_ns = before.run.median;
    Lane* const lanes[] = {now.lanes().lanes()[0].get(), old.lanes().lanes()[0].get()};
    lanes[1]->SetStop(&now.stop());
    constexpr double kTurnNs = 50'000;
    const auto runs = static_cast<int>(std::max(1.0, kTurnNs / std::max(bench.run.median, 1.0)));
    std::vector<double> ratios;
    const auto take_turns = [&]() -> std::optional<RunFailure> {
      constexpr size_t kLeastTurns = 20;
      const int64_t end = NowNs() + static_cast<int64_t>(measure_ms) * 1'000'000;
      while (ratios.size() < kLeastTurns || NowNs() < end) {
        double ns[2];
        for (const size_t which : {ratios.size() % 2, 1 - ratios.size() % 2}) {
          const int64_t begin = NowNs();
          for (int i = 0; i < runs; ++i) {
            if (std::optional<RunFailure> failure = lanes[which]->Run()) return failure;
          }
          ns[which] = static_cast<double>(NowNs() - begin);
        }
        ratios.push_back(ns[0] / ns[1]);
      }
      return std::nullopt;
    };
    const int error = RunWatched(now, {take_turns, {}, {}});
    lanes[1]->SetStop(nullptr);
    if (error == kExitOk) size.ratio = Summarize(std::move(ratios));
    return error;
  }

  const std::string &file_, &old_file_;
  const BenchedOp& request_;
  const GraphOptions& options_;
  const CommonOptions& common_;
  Console& console_;
  OpReport& report_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace

int MeasureOp(const std::string& file, const std::string& old_file, const BenchedOp& request,
              const GraphOptions& options, const CommonOptions& common, uint64_t measure_ms, Console& console,
              OpReport& report) {
  return OpBench(file, old_file, request, options, common, console, report).Run(measure_ms);
}

}  // namespace opsrun::host

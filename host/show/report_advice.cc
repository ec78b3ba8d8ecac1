// host/show/report_advice.cc: advice that follows from a plan and its times.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/display_text.h"
#include "host/show/graph_dot.h"
#include "host/show/report.h"

namespace opsrun::host {
namespace {

constexpr double kLeastShare = 0.01;  // of the time, that advice may be about
constexpr size_t kMostNames = 5;

bool IsKnown(const PlanValue& value) {
  return value.rank_known && std::ranges::find(value.shape(), -1) == value.shape().end();
}

// "'a', 'b' and 3 more"
std::string NamesText(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", CutText(names[i], 40));
  return names.size() > kMostNames ? text + fmt::format(" and {} more", names.size() - kMostNames) : text;
}

class Adviser {
 public:
  explicit Adviser(const ReportFacts& facts) : facts_(facts), plan_(facts.plan.plan) {}

  std::vector<Advice> All() {
    AboutTheSlowest();
    AboutUnused();
    AboutConstants();
    AboutCasts();
    AboutCopies();
    AboutLateShapes();
    AboutThreads();
    AboutTheHost();
    if (!facts_.stable) {
      Add("The times are not stable",
          "The median of a run is not known to within 1%. Stop other programs, or measure for longer with --seconds.");
    }
    return std::move(all_);
  }

 private:
  using Steps = std::vector<uint32_t>;

  void Add(std::string title, std::string text) { all_.push_back({std::move(title), std::move(text)}); }

  std::string NameOf(uint32_t step) const { return std::string(plan_.NodeName(plan_.steps[step])); }
  bool IsCopy(uint32_t step) const { return plan_.steps[step].copy != Step::Copy::kNone; }

  double TimeOf(const Steps& steps) const {
    double ns = 0;
    for (const uint32_t s : steps) ns += facts_.steps[s];
    return ns;
  }
  std::string TimeText(double ns) const {
    return fmt::format("{} ({})", DurationText(ns), ShareText(facts_.times.Share(ns)));
  }
  std::string NamesOf(const Steps& steps) const {
    std::vector<std::string> names;
    for (const uint32_t s : steps) names.push_back(NameOf(s));
    return NamesText(names);
  }
  template <typename Is>
  Steps StepsThat(Is is) const {
    Steps steps;
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      if (is(s)) steps.push_back(s);
    }
    return steps;
  }

  // A node, or several nodes of one op, with half of the time.
  void AboutTheSlowest() {
    constexpr double kHalf = 0.5;
    std::map<std::string, Steps> ops;
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      if (!IsCopy(s)) ops[plan_.steps[s].op()->plugin->name + "." + plan_.steps[s].op()->def.name].push_back(s);
    }
    for (const auto& [op, steps] : ops) {
      const double share = facts_.times.Share(TimeOf(steps));
      if (share < kHalf || steps.size() == plan_.steps.size()) continue;
      Steps sorted = steps;
      std::ranges::sort(sorted, std::ranges::greater(), [&](uint32_t s) { return facts_.steps[s]; });
      const std::string most = NamesOf({sorted.front()});
      const std::string where =
          steps.size() == 1 ? "node " + most : fmt::format("{}, most of it in {}", Several(steps.size(), "node"), most);
      Add(fmt::format("{} takes {} of the time", op, ShareText(share)),
          fmt::format("{}: {}. All other nodes together could not save more than {} of the kernels' time.", where,
                      TimeText(TimeOf(steps)), ShareText(1 - share)));
    }
  }

  // Nodes on which no output, check or stateful node depends.
  void AboutUnused() {
    std::vector<bool> needed(plan_.steps.size());
    std::vector<bool> is_read(plan_.values.size());
    for (const PlanOutput& output : plan_.outputs) is_read[output.value] = true;
    for (const PlanCheck& check : plan_.checks) is_read[check.value] = true;
    for (uint32_t s = static_cast<uint32_t>(plan_.steps.size()); s-- > 0;) {
      const Step& step = plan_.steps[s];
      needed[s] = step.op()->def.stateful() || step.outputs.empty() ||
                  std::ranges::any_of(step.outputs, [&](uint32_t v) { return is_read[v]; });
      for (const uint32_t v : step.inputs) is_read[v] = is_read[v] || needed[s];
    }
    unused_ = StepsThat([&](uint32_t s) { return !needed[s] && !IsCopy(s); });
    if (facts_.times.Share(TimeOf(unused_)) < kLeastShare) return;
    Add("Some results are never used",
        fmt::format(
            "No output and no check depends on {}, but every node of a graph runs: {}. Remove {} from the graph.",
            NamesOf(unused_), TimeText(TimeOf(unused_)), unused_.size() == 1 ? "it" : "them"));
  }

  // Nodes that compute the same in each run although other inputs change.
  void AboutConstants() {
    if (plan_.declared_feeds.empty()) return;
    std::vector<bool> is_constant(plan_.values.size());
    for (uint32_t v = 0; v < plan_.values.size(); ++v)
      is_constant[v] = plan_.values[v].memory == PlanValue::Memory::kConstant;
    const Steps same = StepsThat([&](uint32_t s) {
      const Step& step = plan_.steps[s];
      const bool all = !step.op()->def.stateful() && !step.inputs.empty() &&
                       std::ranges::all_of(step.inputs, [&](uint32_t v) { return is_constant[v]; });
      for (const uint32_t v : step.outputs) is_constant[v] = all;
      return all && !IsCopy(s) && !std::ranges::binary_search(unused_, s);
    });
    if (facts_.times.Share(TimeOf(same)) < kLeastShare) return;
    Add("Some nodes compute the same in every run",
        fmt::format("Only constants of the graph flow into {}: {}. Run them once, write the result to a .npy file, and "
                    "make it a feed.",
                    NamesOf(same), TimeText(TimeOf(same))));
  }

  void AboutCasts() {
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      if (step.op()->def.name != "Cast" || step.inputs.size() != 1 || step.outputs.size() != 1) continue;
      const PlanValue &from = plan_.values[step.inputs[0]], &to = plan_.values[step.outputs[0]];
      const bool of_feed = from.memory == PlanValue::Memory::kFeed && from.dtype != to.dtype;
      if (!of_feed || facts_.times.Share(facts_.steps[s]) < kLeastShare) continue;
      Add(fmt::format("Node '{}' converts a feed", CutText(NameOf(s), 40)),
          fmt::format("It makes {} of {}: {}. If the caller can give the feed as {}, the node is not needed.",
                      DTypeName(to.dtype), DTypeName(from.dtype), TimeText(facts_.steps[s]), DTypeName(to.dtype)));
    }
  }

  void AboutCopies() {
    const Steps copies = StepsThat([&](uint32_t s) { return IsCopy(s); });
    if (facts_.times.Share(TimeOf(copies)) < kLeastShare) return;
    const Steps on_cpu = StepsThat([&](uint32_t s) { return !IsCopy(s) && plan_.steps[s].device == kCpu; });
    Add("Tensors are copied between devices",
        fmt::format("{} in each run: {}. {}", copies.size() == 1 ? "One copy" : fmt::format("{} copies", copies.size()),
                    TimeText(TimeOf(copies)),
                    on_cpu.empty()
                        ? "They bring feeds in and outputs out; programs that embed opsrun can pass tensors that "
                          "are on the GPU already."
                        : fmt::format("On the CPU: {}. A node runs there if its op has no kernel for the GPU, "
                                      "or if the graph says so.",
                                      NamesOf(on_cpu))));
  }

  // The first nodes whose results have sizes that only a run knows, and what follows from them.
  void AboutLateShapes() {
    const auto is_late = [&](uint32_t v) { return !IsKnown(plan_.values[v]); };
    const Steps late = StepsThat([&](uint32_t s) { return std::ranges::any_of(plan_.steps[s].outputs, is_late); });
    const Steps first = StepsThat([&](uint32_t s) {
      return std::ranges::any_of(plan_.steps[s].outputs, is_late) &&
             std::ranges::none_of(plan_.steps[s].inputs, is_late);
    });
    if (first.empty()) return;
    const std::string further = late.size() == first.size() ? ""
                                                            : fmt::format(" The same is true for {} behind them.",
                                                                          Several(late.size() - first.size(), "node"));
    Add("Some shapes are known only during a run",
        fmt::format(
            "The shape function of {} cannot tell the shapes of results in advance, so their memory cannot be "
            "planned and is allocated in each run.{} If the sizes depend on the values of a tensor, make that a "
            "constant of the graph; the op may also lack a shape function.",
            NamesOf(first), further));
  }

  void AboutThreads() {
    if (facts_.threads < 2 || plan_.steps.size() < 2 || plan_.devices.size() > 1) return;
    if (plan_.tasks.empty()) {
      Add(fmt::format("Only kernels can use the {} threads", facts_.threads),
          "No two nodes can run at the same time, because each needs an earlier one. Threads help only the kernels "
          "that "
          "split their own work: compare with --threads 1.");
      return;
    }
    std::vector<double> begins(plan_.tasks.size());
    double longest = 0;
    for (size_t t = 0; t < plan_.tasks.size(); ++t) {
      const Task& task = plan_.tasks[t];
      double end = begins[t];
      for (uint32_t s = task.first; s < task.first + task.count; ++s) end += facts_.steps[s];
      for (const uint32_t next : task.next) begins[next] = std::max(begins[next], end);
      longest = std::max(longest, end);
    }
    const double most = longest > 0 ? facts_.times.all / longest : 0;
    if (most >= 0.75 * facts_.threads) return;
    Add("Few nodes can run at the same time",
        fmt::format(
            "The longest chain of nodes that wait for each other takes {} of {}, so at most {:.1f} nodes run at "
            "the same time on average. More threads help only the kernels that split their own work.",
            DurationText(longest), DurationText(facts_.times.all), most));
  }

  // What a run takes beside its kernels, if they run one after another.
  void AboutTheHost() {
    constexpr double kMuch = 0.3;
    const double host = facts_.median - facts_.times.all;
    if ((facts_.threads > 1 && !plan_.tasks.empty()) || host < kMuch * facts_.median) return;
    Add(fmt::format("{} of a run is not in kernels", ShareText(host / facts_.median)),
        fmt::format(
            "opsrun itself takes {} a node. Give each run more data, such as a batch of inputs, or use fewer and "
            "larger ops.",
            DurationText(host / static_cast<double>(plan_.steps.size()))));
  }

  const ReportFacts& facts_;
  const Plan& plan_;
  Steps unused_;  // AboutUnused
  std::vector<Advice> all_;
};

}  // namespace

std::vector<Advice> AdviceOn(const ReportFacts& facts) {
  return Adviser(facts).All();
}

}  // namespace opsrun::host

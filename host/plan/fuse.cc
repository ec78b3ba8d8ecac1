// host/plan/fuse.cc: nodes that one kernel computes in one call, such as a convolution and the activation after it.
//
// Only a plugin knows what its kernels compute. So for a chain of its nodes, of which each is all that reads the one
// before it, the plugin is asked how many of them the kernel of the first one takes over. The tensors between them then
// exist nowhere.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "host/base/plugin_code.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostSteps = 8, kMostInputs = 64;

bool Leads(const Step& step) {
  return (step.kernel()->flags & OPSRUN_KERNEL_FUSES) != 0 && step.kernel()->plugin->query != nullptr &&
         step.more->fused.empty();
}

bool IsKnown(const PlanValue& value) {
  return value.memory != PlanValue::Memory::kDynamic && value.rank_known && IsWhole(value.shape());
}

class FusedPlanner {
 public:
  explicit FusedPlanner(Planning& p) : p_(p), plan_(p.plan), reads_(p.plan.values.size()), reader_(reads_.size()) {
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      for (const uint32_t value : plan_.steps[s].inputs) {
        ++reads_[value];
        reader_[value] = s;
      }
      ForEachAfter(p_, plan_.steps[s], [&](uint32_t node) { ordered_.insert({node, plan_.steps[s].node}); });
    }
  }

  void Run() {
    std::vector<bool> is_gone(plan_.steps.size());
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      if (!Leads(plan_.steps[s]) || !IsPlain(plan_.steps[s], *plan_.steps[s].kernel()->plugin)) continue;
      std::vector<uint32_t> chain = ChainFrom(s);
      if (chain.size() > 1) chain.resize(Ask(chain));
      if (chain.size() == 1) continue;
      Join(chain);
      for (const uint32_t joined : chain) is_gone[joined] = joined != chain.back();
    }
    std::vector<Step> steps;
    std::vector<uint32_t> moved_to(plan_.steps.size());
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      moved_to[s] = static_cast<uint32_t>(steps.size());
      if (!is_gone[s]) steps.push_back(std::move(plan_.steps[s]));
    }
    plan_.steps = std::move(steps);
    for (PlanValue& value : plan_.values) {
      if (value.producer != PlanValue::kNone) value.producer = moved_to[value.producer];
    }
  }

 private:
  // One that may be in a chain of steps of this plugin.
  bool IsPlain(const Step& step, const Plugin& plugin) const {
    if (step.device != kCpu || step.copy != Step::Copy::kNone || step.outputs.size() != 1 ||
        step.kernel()->plugin != &plugin || step.op()->plugin != &plugin || step.op()->def.stateful() ||
        step.more->workspace_bytes > 0 || ordered_.contains(step.node))
      return false;
    return plan_.values[step.outputs[0]].memory == PlanValue::Memory::kArena &&
           std::ranges::all_of(step.inputs, [&](uint32_t value) { return IsKnown(plan_.values[value]); });
  }

  std::vector<uint32_t> ChainFrom(uint32_t first) const {
    std::vector<uint32_t> chain = {first};
    size_t inputs = plan_.steps[first].inputs.size();
    while (chain.size() < kMostSteps) {
      const Step& last = plan_.steps[chain.back()];
      if (plan_.values[last.outputs[0]].kept || reads_[last.outputs[0]] != 1) break;
      const uint32_t next = reader_[last.outputs[0]];
      inputs += plan_.steps[next].inputs.size();
      if (inputs > kMostInputs || !Follows(last, plan_.steps[next])) break;
      chain.push_back(next);
    }
    return chain;
  }

  bool Follows(const Step& last, const Step& next) const {
    if (!IsPlain(next, *last.kernel()->plugin) || (next.kernel()->flags & OPSRUN_KERNEL_TILED) == 0) return false;
    const PlanValue &from = plan_.values[last.outputs[0]], &to = plan_.values[next.outputs[0]];
    return from.dtype == to.dtype && from.shape() == to.shape() &&
           std::ranges::all_of(next.inputs, [&](uint32_t value) { return IsByRowsOrWhole(next, value); });
  }

  // An element-wise step may read an input that is broadcast, and has rows or is the same for all of them.
  bool IsByRowsOrWhole(const Step& step, uint32_t value) const {
    const Shape &shape = plan_.values[value].shape(), &whole = plan_.values[step.outputs[0]].shape();
    return (step.kernel()->flags & OPSRUN_KERNEL_ELEMENTWISE) == 0 || shape == whole || shape.size() < whole.size() ||
           shape[0] == 1;
  }
  bool IsByRows(const Step& step, size_t input) const {
    if ((step.kernel()->flags & OPSRUN_KERNEL_ELEMENTWISE) == 0) return (step.kind->row_inputs >> input & 1) != 0;
    return plan_.values[step.inputs[input]].shape() == plan_.values[step.outputs[0]].shape();
  }

  // How many steps the kernel of the first one computes from now on.
  uint32_t Ask(const std::vector<uint32_t>& chain) const {
    std::vector<std::vector<opsrun_partial>> shapes;
    std::vector<opsrun_fused_node> nodes;
    uint32_t output = PlanValue::kNone;
    for (const uint32_t s : chain) {
      const Step& step = plan_.steps[s];
      shapes.emplace_back();
      for (const uint32_t input : step.inputs) {
        const Shape& shape = plan_.values[input].shape();
        shapes.back().push_back({static_cast<int32_t>(shape.size()), 0, shape.data()});
      }
      const auto chained = nodes.empty() ? step.inputs.begin() : std::ranges::find(step.inputs, output);
      const std::string& op = step.op()->def.name;
      nodes.push_back({{op.data(), op.size()},
                       step.object,
                       shapes.back().data(),
                       static_cast<uint32_t>(step.inputs.size()),
                       static_cast<uint32_t>(chained - step.inputs.begin())});
      output = step.outputs[0];
    }
    const Step& first = plan_.steps[chain[0]];
    const SingleCall call(plan_.Facts(first, PluginPhase::kCreate));
    const RunningMark mark(&call);
    const FloatingPointMode floats;
    uint32_t fused = 1;
    int32_t code = OPSRUN_UNKNOWN;
    const std::optional<Thrown> thrown = CatchThrown([&] {
      constexpr opsrun_str kId = {OPSRUN_FUSE_1, sizeof(OPSRUN_FUSE_1) - 1};
      const auto* const fuse = static_cast<const opsrun_fuse*>(first.kernel()->plugin->query(kId));
      const bool has_it = fuse != nullptr && fuse->size >= sizeof(opsrun_fuse) && fuse->fuse != nullptr;
      if (has_it) code = fuse->fuse(static_cast<uint32_t>(nodes.size()), nodes.data(), &fused);
    });
    floats.Restore();
    return thrown || code != OPSRUN_OK ? 1 : std::clamp<uint32_t>(fused, 1, static_cast<uint32_t>(nodes.size()));
  }

  // Where the last of them is, all that they read has been made, and nothing that reads their result has run.
  void Join(const std::vector<uint32_t>& chain) {
    Step joined = plan_.steps[chain[0]];
    StepKind kind = *joined.kind;
    kind.aliases.clear();
    std::vector<uint32_t> inputs(joined.inputs.begin(), joined.inputs.end());
    std::vector<Step>& fused = plan_.fused.emplace_back();
    for (auto s = chain.begin() + 1; s != chain.end(); ++s) {
      const Step& next = fused.emplace_back(plan_.steps[*s]);
      const uint32_t between = std::exchange(joined.outputs, next.outputs)[0];
      plan_.values[between].memory = PlanValue::Memory::kNowhere;
      plan_.values[between].producer = chain.back();
      for (size_t i = 0; i < next.inputs.size(); ++i) {
        if (next.inputs[i] == between) continue;
        if (kind.row_inputs != 0 && IsByRows(next, i)) kind.row_inputs |= uint64_t{1} << inputs.size();
        inputs.push_back(next.inputs[i]);
      }
    }
    joined.inputs = plan_.Keep(inputs);
    plan_.More(joined).fused = fused;
    joined.kind = &plan_.kinds.emplace_back(std::move(kind));
    plan_.steps[chain.back()] = joined;
  }

  Planning& p_;
  Plan& plan_;
  std::vector<uint32_t> reads_, reader_;  // by value: how often steps read it, and the last that does
  std::unordered_set<uint32_t> ordered_;  // nodes that the graph puts in order by `after`
};

}  // namespace

void PlanFused(Planning& p) {
  if (!p.in.whole_steps && std::ranges::any_of(p.plan.steps, Leads)) FusedPlanner(p).Run();
}

}  // namespace opsrun::host

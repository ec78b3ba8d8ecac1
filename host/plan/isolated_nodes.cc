// host/plan/isolated_nodes.cc: nodes whose plugin runs in a process of its own. Those of one plugin that follow each
// other in the plan become one step, which costs one round trip.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/plan/call_arrays.h"
#include "host/plan/part_text.h"

namespace opsrun::host {

bool RefuseIsolation(Planning& p, const NodeWork& work) {
  const Plugin& plugin = *work.kernel->plugin;
  if (plugin.child == nullptr || work.device == kCpu) return false;
  p.Refuse("G227",
           fmt::format("node '{}' runs on {}, but plugin '{}' is isolated, which only CPU kernels can be",
                       work.node->name.value, p.plan.devices[work.device].name, plugin.name),
           work.node->device ? work.node->device->span : work.node->op.span,
           "write device: cpu, or do not isolate the plugin");
  return true;
}

namespace {

class PartPlanner {
 public:
  explicit PartPlanner(Planning& p) : p_(p), plan_(p.plan) {}

  void Run() {
    RefuseHandles();
    if (p_.diagnostics.has_errors()) return;
    std::vector<Step> steps;
    for (uint32_t s = 0; s < plan_.steps.size();) {
      const uint32_t end = EndOfPart(s);
      steps.push_back(end == s ? plan_.steps[s] : Join(s, end));
      s = std::max(end, s + 1);
    }
    if (!p_.in.for_runs || p_.diagnostics.has_errors()) return;
    plan_.steps = std::move(steps);
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      const IsolatedPart* const part = plan_.steps[s].more->part;
      const std::span<const Step> members =
          part != nullptr ? std::span<const Step>(part->members) : std::span(&plan_.steps[s], 1);
      for (const Step& member : members) {
        for (const uint32_t output : member.outputs) plan_.values[output].producer = s;
      }
    }
  }

 private:
  // A compiled graph may say that a feed is one.
  static bool IsMadeHandle(const PlanValue& value) {
    return HasHandles(value.dtype) && value.producer != PlanValue::kNone;
  }

  static const Child* ChildOf(const Step& step) { return step.kernel()->plugin->child.get(); }

  // The first step from `first` on that is not of its part; `first` itself if that is not isolated.
  uint32_t EndOfPart(uint32_t first) {
    const Child* const child = ChildOf(plan_.steps[first]);
    uint32_t end = first;
    while (child != nullptr && end < plan_.steps.size() && ChildOf(plan_.steps[end]) == child) {
      ++end;
      if (p_.in.keep_inputs && !HandsOverHandles(first, end)) break;  // inputs of all others are in this process
    }
    return end;
  }

  bool HandsOverHandles(uint32_t first, uint32_t end) {
    const auto is_handed_over = [&](uint32_t value) {
      return HasHandles(plan_.values[value].dtype) && IsReadOutside(value, first, end);
    };
    return std::any_of(plan_.steps.begin() + first, plan_.steps.begin() + end,
                       [&](const Step& step) { return std::ranges::any_of(step.outputs, is_handed_over); });
  }

  Step Join(uint32_t first, uint32_t end) {
    std::vector<PartMember> members;
    for (uint32_t s = first; s < end; ++s) {
      const Step& step = plan_.steps[s];
      members.push_back(
          {&plan_.NodeOf(step), step.op(), &step.signature(), step.inputs, step.outputs.empty() ? 0 : step.outputs[0]});
    }
    std::vector<uint32_t> outputs = OutputsOf(first, end), inputs;
    PartText text = WritePart(p_, members, outputs, /*constants=*/true, &inputs);
    text.handles = HandlesOf(members, inputs);
    text.infer_shapes = p_.in.infer_shapes;
    const Step& leader = plan_.steps[first];
    IsolatedPart& part = plan_.parts.emplace_back();
    part.members.assign(plan_.steps.begin() + first, plan_.steps.begin() + end);
    part.part = std::make_shared<ChildPart>(leader.kernel()->plugin->child, std::move(text));
    for (const PartFailure& failure : part.part->Create())
      Report(*members[failure.node].node, part.members[failure.node], failure);
    part.kernel.def = leader.kernel()->def;
    part.kernel.plugin = leader.kernel()->plugin;
    part.kernel.compute = ChildPart::Compute;
    Step joined;
    joined.node = leader.node;
    joined.object = part.part.get();
    joined.inputs = plan_.Keep(inputs);
    joined.outputs = plan_.Keep(outputs);
    joined.kind = &NewKind(leader, part, inputs, outputs);
    StepExtras& more = plan_.More(joined);
    more.part = &part;
    more.fused = std::span(part.members).subspan(1);
    return joined;
  }

  const StepKind& NewKind(const Step& leader, const IsolatedPart& part, const std::vector<uint32_t>& inputs,
                          const std::vector<uint32_t>& outputs) {
    auto signature = std::make_shared<spec::Signature>();
    const auto add = [&](const std::vector<uint32_t>& values, const char* what, std::vector<DType>& types,
                         std::vector<spec::ArgRange>& args) {
      for (const uint32_t value : values) {
        const auto i = static_cast<uint32_t>(types.size());
        types.push_back(plan_.values[value].dtype);
        args.push_back({fmt::format("{}{}", what, i), i, 1, false});
      }
    };
    add(inputs, "in", signature->in_types, signature->in_args);
    add(outputs, "out", signature->out_types, signature->out_args);
    auto args = std::make_shared<const ArgArrays>(*signature, std::vector<std::string>());
    StepKind kind{leader.op(), &part.kernel, std::move(signature), std::move(args), {}, 0};
    return plan_.kinds.emplace_back(std::move(kind));
  }

  // Those that other steps read, or that are results. The others exist only in the process.
  std::vector<uint32_t> OutputsOf(uint32_t first, uint32_t end) {
    std::vector<uint32_t> outputs;
    for (uint32_t s = first; s < end; ++s) {
      for (const uint32_t value : plan_.steps[s].outputs) {
        // Without shape functions, it is the kernel of a program with frames of its own, which reads all outputs.
        if (plan_.values[value].kept || !p_.in.infer_shapes || IsReadOutside(value, first, end)) {
          outputs.push_back(value);
        } else if (p_.in.for_runs) {
          plan_.values[value].memory = PlanValue::Memory::kNowhere;
        }
      }
    }
    return outputs;
  }

  bool IsReadOutside(uint32_t value, uint32_t first, uint32_t end) {
    if (readers_.empty()) {
      readers_.resize(plan_.values.size(), {PlanValue::kNone, 0});
      for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
        for (const uint32_t input : plan_.steps[s].inputs)
          readers_[input] = {std::min(readers_[input].first, s), std::max(readers_[input].second, s)};
      }
    }
    const auto [least, most] = readers_[value];
    return least <= most && (least < first || most >= end);
  }

  std::vector<PartHandle> HandlesOf(const std::vector<PartMember>& members, const std::vector<uint32_t>& inputs) const {
    std::vector<PartHandle> handles;
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      const PlanValue& value = plan_.values[inputs[i]];
      if (!IsMadeHandle(value)) continue;
      PartHandle& handle = handles.emplace_back();
      handle.input = i;
      handle.maker = plan_.NodeName(plan_.steps[value.producer]);
      for (uint32_t m = 0; m < members.size(); ++m) {
        if (std::ranges::find(members[m].inputs, inputs[i]) != members[m].inputs.end()) handle.readers.push_back(m);
      }
    }
    return handles;
  }

  // Those that would go from one process to another.
  void RefuseHandles() {
    for (const Step& reader : plan_.steps) {
      for (auto input = reader.inputs.begin(); input != reader.inputs.end(); ++input) {
        const PlanValue& value = plan_.values[*input];
        if (!IsMadeHandle(value) || std::find(reader.inputs.begin(), input, *input) != input) continue;
        const Step& maker = plan_.steps[value.producer];
        if (ChildOf(maker) != ChildOf(reader)) Refuse(maker, reader, DTypeName(value.dtype));
      }
    }
  }

  void Refuse(const Step& maker, const Step& reader, std::string_view dtype) {
    std::vector<std::string> isolated;
    for (const Step* const step : {&maker, &reader}) {
      if (ChildOf(*step) != nullptr) isolated.push_back(step->kernel()->plugin->name);
    }
    const std::string names = QuotedNames(isolated);
    Diagnostic& error = p_.Error(
        "G227",
        fmt::format("node '{}' cannot read the {} of node '{}': it exists only in the process that made it, and {} {}",
                    plan_.NodeName(reader), dtype, plan_.NodeName(maker), names,
                    isolated.size() == 1 ? "is isolated" : "are isolated"),
        plan_.NodeOf(reader).op.span);
    error.also.push_back({plan_.NodeOf(maker).op.span, "made here"});
    error.help.push_back(fmt::format("let only nodes of plugin '{}' read it, or do not isolate {}",
                                     maker.kernel()->plugin->name, names));
  }

  void Report(const Node& node, const Step& step, const PartFailure& failure) {
    if (failure.has_ended()) return ReportEnd(p_, node, failure);
    Diagnostic& error =
        p_.Error("G216", failure.status.message(), BlamedSpan(node, step.op()->def.inputs, failure.status.subject()));
    if (failure.end == nullptr) return;
    error.help = failure.end->help;
    error.notes = failure.end->notes;
  }

  Planning& p_;
  Plan& plan_;
  std::vector<std::pair<uint32_t, uint32_t>> readers_;  // by value: the first and the last step that reads it
};

}  // namespace

bool PlanIsolated(Planning& p) {
  const auto is_isolated = [](const Step& step) { return step.kernel()->plugin->child != nullptr; };
  if (std::ranges::any_of(p.plan.steps, is_isolated)) PartPlanner(p).Run();
  return !p.diagnostics.has_errors();
}

}  // namespace opsrun::host

// host/show/plan_text.cc
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "host/base/units.h"
#include "host/show/plan_facts.h"
#include "host/show/shapes_text.h"

namespace opsrun::host {
namespace {

// "672 B at 1024, steps 2 to 4"; "allocated while it runs".
std::string MemoryText(const Plan& plan, uint32_t value) {
  const PlanValue& v = plan.values[value];
  if (v.memory != PlanValue::Memory::kArena) return "allocated while it runs";
  const Lifetime life = LifetimeOf(plan, value);
  return fmt::format("{} at {}, {}", BytesText(static_cast<double>(BytesOf(v))), v.offset,
                     v.kept                    ? fmt::format("from step {} to the end", life.first)
                     : life.first == life.last ? fmt::format("step {} alone", life.first)
                                               : fmt::format("steps {} to {}", life.first, life.last));
}

class PlanWriter {
 public:
  explicit PlanWriter(const PlanFacts& facts) : facts_(facts), plan_(facts.plan), values_(FactsOfValues(facts)) {}

  std::string Text() {
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) task_of_.insert(task_of_.end(), plan_.tasks[t].count, t);
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) WriteStep(s);
    WriteSummary();
    return std::move(text_);
  }

 private:
  // The first line of several carries the title.
  void WriteLines(const char* title, const std::vector<std::string>& lines) {
    for (size_t i = 0; i < lines.size(); ++i) text_ += fmt::format("    {:<7} {}\n", i == 0 ? title : "", lines[i]);
  }

  void WriteStep(uint32_t s) {
    const Step& step = plan_.steps[s];
    const std::string task = task_of_.empty() ? "" : fmt::format(", task {}", task_of_[s]);
    if (step.copy != Step::Copy::kNone) {
      text_ += fmt::format("step {}: copy of {}{}\n", s, plan_.NodeOf(step).name.value, task);
    } else {
      text_ += fmt::format("step {}: {} = {} on {}{}\n", s, plan_.NodeOf(step).name.value, step.op->def.name,
                           plan_.devices[step.device].name, task);
      const Plugin& plugin = *step.op->plugin;
      WriteLines("plugin", {plugin.version.empty() ? plugin.name : plugin.name + " " + plugin.version});
      WriteLines("kernel", {spec::KernelText(step.kernel->def), KernelReason(facts_, step)});
    }
    WriteLines("in", Inputs(step));
    WriteLines("out", Outputs(step));
  }

  std::string Typed(uint32_t value) const {
    return fmt::format("{}  {}", values_[value].name, ValueText(*values_[value].resolved));
  }

  std::vector<std::string> Inputs(const Step& step) const {
    std::vector<std::string> lines;
    for (const spec::ArgRange& range : step.in_args) {
      for (uint32_t i = 0; i < range.count; ++i) {
        lines.push_back(fmt::format("{} = {}", range.name, Typed(step.inputs[range.first + i])));
      }
    }
    return lines;
  }

  std::vector<std::string> Outputs(const Step& step) const {
    std::vector<std::string> lines;
    for (uint32_t value : step.outputs) lines.push_back(fmt::format("{}  {}", Typed(value), MemoryText(plan_, value)));
    return lines;
  }

  void WriteSummary() {
    const MemoryFacts memory = FactsOfMemory(plan_);
    if (!plan_.steps.empty()) text_ += '\n';
    text_ += fmt::format("order    {} in {}\n", Several(plan_.steps.size(), "step"),
                         plan_.tasks.empty() ? "one row" : Several(plan_.tasks.size(), "task"));
    text_ += fmt::format("memory   {} a run, lower bound {}{}\n", BytesText(static_cast<double>(memory.arena)),
                         BytesText(static_cast<double>(memory.lower_bound)), LateText(memory));
    for (const auto& [device, bytes] : memory.other_arenas)
      text_ += fmt::format("         {} a run on {}\n", BytesText(static_cast<double>(bytes)), device);
    text_ += fmt::format("feeds    {} of constants\n", BytesText(static_cast<double>(memory.constants)));
    text_ += fmt::format("copies   {}\n", CopiesText(FactsOfCopies(plan_)));
    for (size_t i = 0; i < plan_.captures.size(); ++i)
      text_ += fmt::format("{:<8} {}\n", i == 0 ? "graphs" : "", CaptureText(plan_.captures[i]));
  }

  // "3 a run: 24 B to gpu:0, 8 B to cpu, and 1 whose size only the run knows"
  static std::string CopiesText(const std::vector<CopyFacts>& copies) {
    if (copies.empty()) return "none";
    std::map<std::string, size_t> bytes;
    size_t late = 0;
    for (const CopyFacts& copy : copies) {
      bytes[copy.to] += copy.bytes.value_or(0);
      late += copy.bytes ? 0 : 1;
    }
    std::string text = fmt::format("{} a run:", copies.size());
    for (const auto& [device, total] : bytes)
      text += fmt::format("{} {} to {}", text.back() == ':' ? "" : ",", BytesText(static_cast<double>(total)), device);
    return late == 0 ? text : text + fmt::format(", and {} whose size only the run knows", late);
  }

  // "steps 1 to 4 on gpu:0, as one CUDA graph from the second run on"
  std::string CaptureText(const Capture& capture) const {
    return fmt::format("steps {} to {} on {}, as one CUDA graph from the second run on", capture.first,
                       capture.first + capture.count - 1, plan_.devices[plan_.steps[capture.first].device].name);
  }

  static std::string LateText(const MemoryFacts& memory) {
    if (memory.late == 0) return "";
    return fmt::format("; and {} allocated while it runs", Several(memory.late, "output"));
  }

  const PlanFacts& facts_;
  const Plan& plan_;
  const std::vector<PlanValueFacts> values_;
  std::vector<uint32_t> task_of_;  // by step; empty without tasks
  std::string text_;
};

}  // namespace

std::string PlanText(const PlanFacts& facts) {
  return PlanWriter(facts).Text();
}

}  // namespace opsrun::host

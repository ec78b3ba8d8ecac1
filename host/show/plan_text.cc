// host/show/plan_text.cc: a plan as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/graph_text.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {
namespace {

// "T=int32, mode='SAME'": the kernel's constraints with the node's values.
std::string ConstraintsText(const spec::OpDef& op, const spec::Signature& signature, const spec::KernelDef& kernel) {
  std::string text;
  for (const spec::KernelDef::Constraint& constraint : kernel.constraints) {
    const spec::AttrDef* attr = op.FindAttr(constraint.attr);
    if (attr == nullptr) continue;
    const spec::AttrValue& value = signature.attrs[op.IndexOf(*attr)];
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", constraint.attr, spec::AttrValueText(value));
  }
  return text;
}

// Why the step's kernel was chosen from those for its device: "the only one of 12 that fits: T=int32".
std::string KernelReason(const PlanFacts& facts, const Step& step) {
  const spec::OpDef& op = step.op()->def;
  const spec::Signature& signature = *facts.resolution.nodes[step.node].signature;
  const std::vector<const RegisteredKernel*>& all = facts.registry.KernelsFor(*step.op());
  const auto is_there = [&](const RegisteredKernel* kernel) { return kernel->def.device == step.kernel()->def.device; };
  const auto fits = [&](const RegisteredKernel* kernel) {
    return is_there(kernel) && kernel->def.label == step.kernel()->def.label &&
           spec::FailedConstraints(op, signature, kernel->def).empty();
  };
  const auto on_device = std::count_if(all.begin(), all.end(), is_there);
  const auto fitting = std::count_if(all.begin(), all.end(), fits);
  std::string reason = on_device == 1 ? "the only one"
                       : fitting == 1 ? fmt::format("the only one of {} that fits", on_device)
                                      : fmt::format("the highest priority of the {} that fit", fitting);
  const std::string found = ConstraintsText(op, signature, step.kernel()->def);
  return found.empty() ? reason : reason + ": " + found;
}

class PlanWriter {
 public:
  explicit PlanWriter(const PlanFacts& facts) : facts_(facts), plan_(facts.plan), values_(FactsOfValues(facts)) {}

  Json Document() const {
    Json steps = Json::array(), tasks = Json::array();
    for (const Step& step : plan_.steps) steps.push_back(StepJson(step));
    for (const Task& task : plan_.tasks) {
      tasks.push_back(
          {{"first_step", task.first}, {"steps", task.count}, {"waits_for", task.waits_for}, {"next", task.next}});
    }
    Json copies = Json::array(), others = Json::object();
    for (const CopyFacts& copy : FactsOfCopies(plan_))
      copies.push_back({{"to", copy.to}, {"bytes", copy.bytes ? Json(*copy.bytes) : Json()}});
    Json captures = Json::array();
    for (const Capture& capture : plan_.captures)
      captures.push_back({{"first_step", capture.first}, {"steps", capture.count}});
    Json sweeps = Json::array();
    for (const Sweep& sweep : plan_.sweeps)
      sweeps.push_back({{"first_step", sweep.first},
                        {"steps", sweep.count},
                        {"rows", sweep.rows},
                        {"rows_per_tile", sweep.rows_per_tile}});
    const MemoryFacts memory = FactsOfMemory(plan_);
    for (const auto& [device, bytes] : memory.other_arenas) others[device] = bytes;
    return {{"steps", steps},
            {"tasks", tasks},
            {"memory",
             {{"bytes", memory.arena},
              {"lower_bound", memory.lower_bound},
              {"constants", memory.constants},
              {"allocated_late", memory.late},
              {"other_devices", others}}},
            {"copies", copies},
            {"cuda_graphs", captures},
            {"sweeps", sweeps},
            {"files", JsonArray(FilesRead(plan_.graph()), [](const GraphFile& file) { return Json(file.path); })}};
  }

  std::string Text() {
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) task_of_.insert(task_of_.end(), plan_.tasks[t].count, t);
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) WriteStep(s);
    WriteSummary();
    return std::move(text_);
  }

 private:
  Json StepJson(const Step& step) const {
    Json inputs = Json::array(), outputs = Json::array();
    Json fused = Json::array();
    for (const Step& each : step.more->fused)
      fused.push_back({{"node", plan_.NodeName(each)}, {"op", each.op()->def.name}});
    ForEachInput(step, [&](const std::string& name, uint32_t value) { AddValue(name, value, inputs); });
    for (const spec::ArgRange& range : step.signature().out_args) {
      for (uint32_t i = 0; i < range.count; ++i) AddValue(range.name, step.outputs[range.first + i], outputs);
    }
    for (size_t i = 0; i < step.outputs.size(); ++i) outputs[i]["memory"] = MemoryJson(step.outputs[i]);
    return {{"node", plan_.NodeName(step)},
            {"op", step.op()->def.name},
            {"fused", fused},
            {"plugin", {{"name", step.op()->plugin->name}, {"version", step.op()->plugin->version}}},
            {"device", plan_.devices[step.device].name},
            {"kernel", KernelJson(step)},
            {"workspace_bytes", step.more->workspace_bytes},
            {"inputs", inputs},
            {"outputs", outputs}};
  }

  // Null for a copy, which the host makes itself.
  Json KernelJson(const Step& step) const {
    if (step.copy != Step::Copy::kNone) return nullptr;
    return {{"registered", spec::KernelText(step.kernel()->def)}, {"why", KernelReason(facts_, step)}};
  }

  void AddValue(const std::string& name, uint32_t value, Json& list) const {
    if (Exists(value)) list.push_back(TensorJson(name, values_[value].name, values_[value].resolved));
  }

  bool Exists(uint32_t value) const { return plan_.values[value].memory != PlanValue::Memory::kNowhere; }

  // The inputs of all nodes that the step runs, but those that it makes itself.
  template <typename Visit>
  void ForEachInput(const Step& step, const Visit& visit) const {
    const auto visit_node = [&](const Step& node) {
      for (const spec::ArgRange& range : node.signature().in_args) {
        for (uint32_t i = range.first; i < range.first + range.count; ++i) {
          const uint32_t value = node.inputs[i];
          if (Exists(value) && std::ranges::find(step.outputs, value) == step.outputs.end()) visit(range.name, value);
        }
      }
    };
    visit_node(step.more->part != nullptr ? step.more->part->members.front() : step);
    std::ranges::for_each(step.more->fused, visit_node);
  }

  Json MemoryJson(uint32_t value) const {
    const PlanValue& v = plan_.values[value];
    if (v.memory != PlanValue::Memory::kArena) return nullptr;
    const Lifetime life = LifetimeOf(plan_, value);
    return {{"offset", v.offset}, {"bytes", BytesOf(v)}, {"first_step", life.first}, {"last_step", life.last}};
  }

  // The title is on the first line.
  void WriteLines(const char* title, const std::vector<std::string>& lines) {
    for (size_t i = 0; i < lines.size(); ++i) text_ += fmt::format("    {:<7} {}\n", i == 0 ? title : "", lines[i]);
  }

  void WriteStep(uint32_t s) {
    const Step& step = plan_.steps[s];
    const std::string task = task_of_.empty() ? "" : fmt::format(", task {}", task_of_[s]);
    if (step.copy != Step::Copy::kNone) {
      text_ += fmt::format("step {}: copy of {}{}\n", s, plan_.NodeName(step), task);
    } else {
      text_ += fmt::format("step {}: {} = {} on {}{}\n", s, plan_.NodeName(step), step.op()->def.name,
                           plan_.devices[step.device].name, task);
      const Plugin& plugin = *step.op()->plugin;
      const char* const where = step.more->part != nullptr ? ", in a process of its own" : "";
      WriteLines("plugin", {(plugin.version.empty() ? plugin.name : plugin.name + " " + plugin.version) + where});
      WriteLines("kernel", {spec::KernelText(step.kernel()->def), KernelReason(facts_, step)});
    }
    std::vector<std::string> fused;
    for (const Step& each : step.more->fused)
      fused.push_back(fmt::format("{} = {}", plan_.NodeName(each), each.op()->def.name));
    WriteLines("with", fused);
    WriteLines("in", Inputs(step));
    WriteLines("out", Outputs(step));
  }

  std::string Typed(uint32_t value) const {
    return fmt::format("{}  {}", values_[value].name, ValueText(*values_[value].resolved));
  }

  std::vector<std::string> Inputs(const Step& step) const {
    std::vector<std::string> lines;
    ForEachInput(step, [&](const std::string& name, uint32_t value) {
      lines.push_back(fmt::format("{} = {}", name, Typed(value)));
    });
    return lines;
  }

  std::vector<std::string> Outputs(const Step& step) const {
    std::vector<std::string> lines;
    for (uint32_t value : step.outputs) lines.push_back(fmt::format("{}  {}", Typed(value), MemoryText(plan_, value)));
    if (step.more->workspace_bytes > 0) {
      lines.push_back(fmt::format("workspace  {} at {}, this step alone",
                                  BytesText(static_cast<double>(step.more->workspace_bytes)), step.more->workspace));
    }
    return lines;
  }

  void WriteSummary() {
    const MemoryFacts memory = FactsOfMemory(plan_);
    if (!plan_.steps.empty()) text_ += '\n';
    text_ += fmt::format("order    {} in {}\n", Several(plan_.steps.size(), "step"),
                         plan_.tasks.empty() ? "sequence" : Several(plan_.tasks.size(), "task"));
    text_ += fmt::format("threads  {}\n", ThreadsText());
    text_ += fmt::format("memory   {} a run, lower bound {}{}\n", BytesText(static_cast<double>(memory.arena)),
                         BytesText(static_cast<double>(memory.lower_bound)), LateText(memory));
    for (const auto& [device, bytes] : memory.other_arenas)
      text_ += fmt::format("         {} a run on {}\n", BytesText(static_cast<double>(bytes)), device);
    text_ += fmt::format("feeds    {} of constants\n", BytesText(static_cast<double>(memory.constants)));
    text_ += fmt::format("copies   {}\n", CopiesText(FactsOfCopies(plan_)));
    for (size_t i = 0; i < plan_.sweeps.size(); ++i)
      text_ += fmt::format("{:<8} {}\n", i == 0 ? "tiles" : "", SweepText(plan_.sweeps[i]));
    for (size_t i = 0; i < plan_.captures.size(); ++i)
      text_ += fmt::format("{:<8} {}\n", i == 0 ? "graphs" : "", CaptureText(plan_.captures[i]));
  }

  // "2: about 1.2 ms of work by the sizes of tensors, of which 300 us one after the other"
  std::string ThreadsText() const {
    if (plan_.threads < 2) return "1";
    if (plan_.tasks.empty()) return fmt::format("{} inside steps: each waits for the one before it", plan_.threads);
    constexpr double kShort = 1e9;  // see ThreadChoice
    const WorkFacts work = FactsOfWork(plan_);
    return fmt::format("{}: about {} of work by the sizes of tensors, of which {} one after the other{}", plan_.threads,
                       DurationText(work.all), DurationText(work.longest),
                       work.all < kShort ? "; one thread is tried, too" : "");
  }

  // "3 a run: 24 B to gpu:0, 8 B to cpu, and 1 whose size is known only at run time"
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
    return late == 0 ? text : text + fmt::format(", and {} whose size is known only at run time", late);
  }

  // "steps 1 to 4 on gpu:0, as one CUDA graph from the second run on"
  std::string CaptureText(const Capture& capture) const {
    return fmt::format("steps {} to {} on {}, as one CUDA graph from the second run on", capture.first,
                       capture.first + capture.count - 1, plan_.devices[plan_.steps[capture.first].device].name);
  }

  // "steps 1 to 4 run together, 4096 of 12000 rows at a time"
  static std::string SweepText(const Sweep& sweep) {
    return fmt::format("steps {} to {} run together, {} of {} at a time", sweep.first, sweep.first + sweep.count - 1,
                       sweep.rows_per_tile, Several(static_cast<size_t>(sweep.rows), "row"));
  }

  static std::string LateText(const MemoryFacts& memory) {
    if (memory.late == 0) return "";
    return fmt::format("; and {} allocated while it runs", Several(memory.late, "output"));
  }

  const PlanFacts& facts_;
  const Plan& plan_;
  const std::vector<ValueFacts> values_;
  std::vector<uint32_t> task_of_;  // by step; empty without tasks
  std::string text_;
};

}  // namespace

std::string PlanJson(const PlanFacts& facts) {
  return JsonDocument(PlanWriter(facts).Document());
}

std::string PlanText(const PlanFacts& facts) {
  return PlanWriter(facts).Text();
}

}  // namespace opsrun::host

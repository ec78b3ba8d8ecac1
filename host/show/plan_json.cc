// host/show/plan_json.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/plan_facts.h"
#include "host/show/tensor_json.h"

namespace opsrun::host {
namespace {

class PlanJsonWriter {
 public:
  explicit PlanJsonWriter(const PlanFacts& facts) : facts_(facts), plan_(facts.plan), values_(FactsOfValues(facts)) {}

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
            {"cuda_graphs", captures}};
  }

 private:
  Json StepJson(const Step& step) const {
    Json inputs = Json::array(), outputs = Json::array();
    for (const spec::ArgRange& range : step.in_args) AddValues(range, step.inputs, inputs);
    for (const spec::ArgRange& range : step.out_args) AddValues(range, step.outputs, outputs);
    for (size_t i = 0; i < step.outputs.size(); ++i) outputs[i]["memory"] = MemoryJson(step.outputs[i]);
    return {{"node", plan_.NodeOf(step).name.value},
            {"op", step.op->def.name},
            {"plugin", {{"name", step.op->plugin->name}, {"version", step.op->plugin->version}}},
            {"device", plan_.devices[step.device].name},
            {"kernel", KernelJson(step)},
            {"inputs", inputs},
            {"outputs", outputs}};
  }

  // Null for a copy, which no kernel of a plugin makes.
  Json KernelJson(const Step& step) const {
    if (step.copy != Step::Copy::kNone) return nullptr;
    return {{"registered", spec::KernelText(step.kernel->def)}, {"why", KernelReason(facts_, step)}};
  }

  void AddValues(const spec::ArgRange& range, const std::vector<uint32_t>& values, Json& list) const {
    for (uint32_t i = 0; i < range.count; ++i) {
      const uint32_t value = values[range.first + i];
      list.push_back(TensorJson(range.name, values_[value].name, values_[value].resolved));
    }
  }

  Json MemoryJson(uint32_t value) const {
    const PlanValue& v = plan_.values[value];
    if (v.memory != PlanValue::Memory::kArena) return nullptr;
    const Lifetime life = LifetimeOf(plan_, value);
    return {{"offset", v.offset}, {"bytes", BytesOf(v)}, {"first_step", life.first}, {"last_step", life.last}};
  }

  const PlanFacts& facts_;
  const Plan& plan_;
  const std::vector<PlanValueFacts> values_;
};

}  // namespace

std::string PlanJson(const PlanFacts& facts) {
  return PlanJsonWriter(facts).Document().dump(2) + "\n";
}

}  // namespace opsrun::host

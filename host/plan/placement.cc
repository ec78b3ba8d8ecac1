// host/plan/placement.cc: the device of each node, and copies between devices.
//
// The device in the graph has priority over the caller's default. A node whose op has no kernel for the device runs on
// the CPU, with copies, unless the caller requests strict placement.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/plan/planning.h"
#include "host/spec/parse_op.h"

namespace opsrun::host {

uint32_t IndexOfDevice(Plan& plan, Device* device) {
  if (device == nullptr) return kCpu;
  const auto known = std::find_if(plan.devices.begin(), plan.devices.end(),
                                  [&](const PlanDevice& other) { return other.device == device; });
  if (known != plan.devices.end()) return static_cast<uint32_t>(known - plan.devices.begin());
  plan.devices.push_back({device->name(), device->kind(), device->id(), device->alignment(), device, 0});
  return static_cast<uint32_t>(plan.devices.size() - 1);
}

std::string CpuRemedy(const Node& node) {
  return node.device ? ": write device: cpu" : ": --device cpu";
}

// Reports a device that cannot be opened once per name.
std::optional<Device*> FindDevice(Planning& p, const Node& node) {
  const std::string& name = node.device ? node.device->value : p.in.device;
  if (name == kCpuName || p.in.devices == nullptr) return nullptr;
  const Result<Device*> device = p.in.devices->Find(name);
  if (device.ok()) return *device;
  const Span where = node.device ? node.device->span : Span{};
  if (!p.missing_devices.insert(name).second) return std::nullopt;
  if (device.status().code() == OPSRUN_INVALID_ARGUMENT) {
    p.Refuse("G223", device.status().message(), where, fmt::format("devices are: {}", p.in.devices->Names()));
  } else {
    p.Refuse("D201", fmt::format("device '{}' cannot be used: {}", name, device.status().message()), where,
             device.status().subject() + CpuRemedy(node));
  }
  return std::nullopt;
}

void CheckDeviceName(Planning& p, const Node& node) {
  if (node.device && p.in.devices != nullptr && !p.in.devices->IsName(node.device->value)) FindDevice(p, node);
}

// Tensors that are needed in the memory of another device: adds steps that copy them.
//
// A tensor is copied once per device that reads it, as soon as it exists, so that the copy overlaps with other work. A
// large feed is copied when it is first needed, because its copy keeps the CPU busy: what comes before is enqueued
// first. Copies between two devices other than the CPU go through CPU memory where they must. The source of a copy is
// kept until the run ends, because nothing would wait for the copy before reusing its memory.

namespace {

// The op of copies, for messages and pictures.
std::unique_ptr<const Plugin> CopyOp() {
  auto plugin = std::make_unique<Plugin>();
  plugin->name = "opsrun";
  RegisteredOp& op = plugin->ops.emplace_back();
  op.plugin = plugin.get();
  spec::ParseOp({.name = "Copy", .inputs = {"from: T"}, .outputs = {"to: T"}, .attrs = {"T: type"}}, &op.def);
  RegisteredKernel& kernel = plugin->kernels.emplace_back();
  kernel.plugin = plugin.get();
  kernel.def.op = op.def.name;
  kernel.def.device = "DEFAULT";
  return plugin;
}

class CopyPlanner {
 public:
  explicit CopyPlanner(Planning& p)
      : p_(p), plan_(p.plan), before_(p.plan.steps.size() + 1), after_(p.plan.steps.size()) {}

  void Run() {
    for (; current_ < plan_.steps.size(); ++current_) {
      PlaceInputs(plan_.steps[current_]);
      KeepLateOutputs(plan_.steps[current_]);
    }
    for (PlanOutput& output : plan_.outputs) {
      output.value = In(output.value, DeviceOf(output));
      plan_.values[output.value].kept = true;
    }
    for (PlanCheck& check : plan_.checks) check.value = In(check.value, kCpu);
    Insert();
  }

 private:
  // Where the caller wants the output.
  uint32_t DeviceOf(const PlanOutput& output) {
    const auto i = static_cast<size_t>(&output - plan_.outputs.data());
    const bool on_cpu = i >= p_.in.outputs.size() || HasSlots(plan_.values[output.value].dtype);
    return on_cpu ? kCpu : IndexOfDevice(plan_, p_.in.outputs[i]);
  }

  // The value that was copied, and the step that made it; kNone for a feed.
  struct Origin {
    uint32_t value = 0;
    uint32_t producer = PlanValue::kNone;
  };

  void PlaceInputs(Step& step) {
    for (const spec::ArgRange& range : step.signature().in_args) {
      for (uint32_t i = range.first; i < range.first + range.count; ++i) {
        uint32_t& input = step.inputs[i];
        input = In(input, DeviceOfArgument(step, range.name, plan_.values[input].dtype));
        // The kernel's work may read it after the kernel has returned.
        if (step.device != kCpu && plan_.values[input].device == kCpu) plan_.values[input].kept = true;
      }
    }
  }

  // The kernel's work may write them when no reader is left to wait for it.
  void KeepLateOutputs(const Step& step) {
    if ((step.kernel()->flags & OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM) == 0) return;
    for (const uint32_t output : step.outputs) plan_.values[output].kept |= plan_.values[output].device != step.device;
  }

  // The value with the same elements in the memory of `device`. Results are kept in the memory where they are read.
  uint32_t In(uint32_t value, uint32_t device) {
    const PlanValue& from = plan_.values[value];
    if (from.device == device) return value;
    const bool on_devices = from.device != kCpu && device != kCpu;
    if (on_devices && !plan_.devices[device].device->TakesFrom(*plan_.devices[from.device].device))
      return In(In(value, kCpu), device);
    const auto [copy, is_new] = copies_.emplace(std::pair(value, device), PlanValue::kNone);
    if (is_new) copy->second = AddCopy(value, device);
    return copy->second;
  }

  uint32_t AddCopy(uint32_t from, uint32_t device) {
    const uint32_t to = p_.AddValue(plan_.values[from].dtype, p_.value_shapes[from]);
    const Origin origin = OriginOf(from);
    origins_[to] = origin;
    PlanValue &source = plan_.values[from], &copy = plan_.values[to];
    copy.device = device;
    copy.copy_of = from;
    copy.sizes = source.sizes;
    copy.kept = source.kept && device == kCpu;
    if (const Tensor* const constant = device == kCpu ? nullptr : KnownAhead(from)) {
      copy.memory = PlanValue::Memory::kConstant;
      copy.offset = plan_.residents.size();
      plan_.residents.push_back(Resident(*plan_.devices[device].device, *constant));
      return to;
    }
    copy.memory =
        source.rank_known && IsWhole(source.shape()) ? PlanValue::Memory::kArena : PlanValue::Memory::kDynamic;
    source.kept = true;
    const bool is_feed = origin.producer == PlanValue::kNone;
    std::vector<Step>& place = !is_feed ? after_[origin.producer] : before_[IsLarge(copy) ? current_ : 0];
    place.push_back(StepFor(from, to, origin));
    return to;
  }

  // A constant, or what the CPU computes from constants and shapes, such as the count of a mean: no run copies it.
  const Tensor* KnownAhead(uint32_t value) {
    const PlanValue& source = plan_.values[value];
    const bool is_original = source.device == kCpu && value < p_.elements.size() && !HasSlots(source.dtype);
    return is_original ? FoldedValue(p_, value) : nullptr;
  }

  bool IsLarge(const PlanValue& value) const {
    constexpr size_t kLarge = size_t{1} << 20;
    return value.memory == PlanValue::Memory::kArena && plan_.ArenaBytes(value) >= kLarge;
  }

  std::shared_ptr<const ResidentConstant> Resident(Device& device, const Tensor& constant) const {
    if (p_.in.constants != nullptr) return p_.in.constants->On(device, constant);
    return std::make_shared<const ResidentConstant>(device, constant);
  }

  Origin OriginOf(uint32_t value) const {
    const auto copied = origins_.find(value);
    return copied == origins_.end() ? Origin{value, plan_.values[value].producer} : copied->second;
  }

  Step StepFor(uint32_t from, uint32_t to, const Origin& origin) {
    if (plan_.copy_op == nullptr) {
      plan_.copy_op = CopyOp();
      const auto signature = std::make_shared<const spec::Signature>(
          spec::Signature{.in_args = {{"from", 0, 1, false}}, .out_args = {{"to", 0, 1, false}}});
      plan_.kinds.push_back({&plan_.copy_op->ops.front(), &plan_.copy_op->kernels.front(), signature, nullptr, {}, 0});
      copy_kind_ = &plan_.kinds.back();
    }
    const bool out = plan_.values[to].device == kCpu;
    Step step;
    step.node = static_cast<uint32_t>(p_.nodes.size() + plan_.copy_nodes.size());
    step.device = plan_.values[out ? from : to].device;
    step.copy = out ? Step::Copy::kOut : Step::Copy::kIn;
    step.kind = copy_kind_;
    step.inputs = plan_.Keep({&from, 1});
    step.outputs = plan_.Keep({&to, 1});
    plan_.copy_nodes.push_back(NodeFor(origin, plan_.devices[plan_.values[to].device].name));
    return step;
  }

  // "x to gpu:0", located at the value that is copied.
  Node NodeFor(const Origin& origin, const std::string& device) const {
    const Located<std::string> what = NameOf(origin);
    Node node;
    node.name = {fmt::format("{} to {}", what.value, device), what.span};
    node.op = {"Copy", what.span};
    node.span = node.inputs_span = what.span;
    return node;
  }

  // "x"; for a node with several outputs, "x.1".
  Located<std::string> NameOf(const Origin& origin) const {
    if (origin.producer == PlanValue::kNone) {
      const auto feed = std::find(p_.feed_values.begin(), p_.feed_values.end(), origin.value);
      return p_.graph.feeds[static_cast<size_t>(feed - p_.feed_values.begin())].name;
    }
    const Step& step = plan_.steps[origin.producer];
    Located<std::string> name{std::string(plan_.NodeName(step)), {}};
    if (p_.graph.compiled == nullptr) name.span = plan_.NodeOf(step).name.span;
    const auto output = std::find(step.outputs.begin(), step.outputs.end(), origin.value) - step.outputs.begin();
    if (step.outputs.size() > 1) name.value += fmt::format(".{}", output);
    return name;
  }

  // Inserts copies of feeds before the steps that were found, and other copies after the step that makes their source.
  void Insert() {
    std::vector<Step> steps;
    for (size_t s = 0; s <= plan_.steps.size(); ++s) {
      std::move(before_[s].begin(), before_[s].end(), std::back_inserter(steps));
      if (s == plan_.steps.size()) break;
      steps.push_back(std::move(plan_.steps[s]));
      std::move(after_[s].begin(), after_[s].end(), std::back_inserter(steps));
    }
    plan_.steps = std::move(steps);
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      for (const uint32_t value : plan_.steps[s].outputs) plan_.values[value].producer = s;
    }
  }

  Planning& p_;
  Plan& plan_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> copies_;  // by value and device
  std::map<uint32_t, Origin> origins_;                        // by copy
  size_t current_ = 0;                                        // the step whose inputs are being placed
  const StepKind* copy_kind_ = nullptr;
  std::vector<std::vector<Step>> before_, after_;  // by step; the last: before the end
};

}  // namespace

uint32_t DeviceOfArgument(const Step& step, const std::string& argument, DType dtype) {
  if (step.device == kCpu) return kCpu;
  const std::vector<std::string>& host_memory = step.kernel()->def.host_memory;
  const bool on_host =
      HasSlots(dtype) || std::find(host_memory.begin(), host_memory.end(), argument) != host_memory.end();
  return on_host ? kCpu : step.device;
}

void PlanCopies(Planning& p) {
  const auto is_device = [](const Device* device) { return device != nullptr; };
  const bool wanted = std::any_of(p.in.outputs.begin(), p.in.outputs.end(), is_device);
  if (p.plan.devices.size() > 1 || wanted) CopyPlanner(p).Run();
}

}  // namespace opsrun::host

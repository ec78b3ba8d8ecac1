// host/plan/placement.cc: the device that a node runs on, and its kernel for that device.
//
// What the graph says of a node wins over what the caller says of all nodes. A node whose op has no kernel for the
// device runs on the CPU, with copies, unless the caller is strict.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/plan/planning.h"

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

// What cannot be opened is reported where it is written, once for each name.
std::optional<Device*> FindDevice(Planning& p, const Node& node) {
  const std::string& name = node.device ? node.device->value : p.in.device;
  if (name == kCpuName || p.in.devices == nullptr) return nullptr;
  const Result<Device*> device = p.in.devices->Find(name);
  if (device.ok()) return *device;
  const Span where = node.device ? node.device->span : Span{};
  if (!p.missing_devices.insert(name).second) return std::nullopt;
  if (device.status().code() == OPSRUN_INVALID_ARGUMENT) {
    p.Error("G223", device.status().message(), where)
        .help.push_back(fmt::format("devices are: {}", p.in.devices->Names()));
  } else {
    p.Error("D201", fmt::format("device '{}' cannot be used: {}", name, device.status().message()), where)
        .help.push_back(device.status().subject() + CpuRemedy(node));
  }
  return std::nullopt;
}

}  // namespace opsrun::host

// host/device/devices.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/device/devices.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace opsrun::host {
namespace {

// The number behind the colon, 0 without one; -1 if it is none.
int NumberOf(std::string_view name, size_t colon) {
  if (colon == std::string_view::npos) return 0;
  const std::string_view digits = name.substr(colon + 1);
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

Devices::Devices(std::unique_ptr<Device> cpu) : cpu_(std::move(cpu)) {}

void Devices::AddKind(const std::string& kind, Opener open) {
  kinds_[kind].open = std::move(open);
}

Result<Device*> Devices::Find(std::string_view name) {
  if (name == kCpuName) return cpu_.get();
  const size_t colon = name.find(':');
  const int number = NumberOf(name, colon);
  const auto kind = kinds_.find(name.substr(0, colon));
  if (kind == kinds_.end() || number < 0) return InvalidArgument(fmt::format("'{}' is not the name of a device", name));
  const std::lock_guard<std::mutex> lock(mutex_);
  auto device = kind->second.opened.find(number);
  if (device == kind->second.opened.end()) {
    device = kind->second.opened.emplace(number, kind->second.open(number)).first;
  }
  if (!device->second.ok()) return device->second.status();
  return device->second->get();
}

void Devices::Trim() {
  cpu_->Trim();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [name, kind] : kinds_) {
    for (const auto& [number, device] : kind.opened) {
      if (device.ok()) (*device)->Trim();
    }
  }
}

std::string Devices::Names() const {
  std::string names = kCpuName;
  for (const auto& [kind, devices] : kinds_) names += fmt::format(", {0}, {0}:N", kind);
  return names;
}

}  // namespace opsrun::host

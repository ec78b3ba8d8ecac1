// host/device/devices.h: the devices that graphs of an engine may use, by their names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "host/device/device.h"

namespace opsrun::host {

// Any thread, except for AddKind.
class Devices {
 public:
  // Opens device `number` of its kind. Of a failure, the message says what is missing, and the subject what to do; it
  // ends with "run on the CPU".
  using Opener = std::function<Result<std::unique_ptr<Device>>(int number)>;

  explicit Devices(std::unique_ptr<Device> cpu);
  Devices(const Devices&) = delete;

  // Adds a kind beside the CPU: "gpu". Before the first Find.
  void AddKind(const std::string& kind, Opener open);

  Device& cpu() { return *cpu_; }
  // "cpu", "gpu" (its first device), "gpu:1". Opens the device when it is first asked for, which may take a second; a
  // failure is kept too. INVALID_ARGUMENT: that is not the name of a device. Any other code: it cannot be opened.
  Result<Device*> Find(std::string_view name);
  // Device::Trim of all that are open.
  void Trim();
  // "cpu, gpu, gpu:N"
  std::string Names() const;

 private:
  struct Kind {
    Opener open;
    std::map<int, Result<std::unique_ptr<Device>>> opened;  // by number
  };

  const std::unique_ptr<Device> cpu_;
  std::mutex mutex_;  // guards kinds_, and is held while a device is opened
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace opsrun::host

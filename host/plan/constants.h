// host/plan/constants.h: what all plans of a graph share: the arrays of files, and constants in the memory of
// devices. A plan for other shapes reads and copies nothing again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// A constant of a plan in the memory of a device, where all lanes of the plan read it.

// Takes no memory before a lane asks for it: many plans are made to be looked at. Any thread. The device must outlive
// it.
class ResidentConstant {
 public:
  ResidentConstant(Device& device, Tensor constant) : device_(device), constant_(std::move(constant)) {}
  ResidentConstant(const ResidentConstant&) = delete;
  // No lane reads it any more.
  ~ResidentConstant();

  const Tensor& constant() const { return constant_; }
  // Copies it if that has not been done, and waits for that. RESOURCE_EXHAUSTED: the device has not enough memory.
  Result<void*> Memory() const;

 private:
  Status Copy() const;

  Device& device_;
  const Tensor constant_;
  mutable std::mutex mutex_;  // guards what follows
  mutable void* memory_ = nullptr;
};

// Any thread.
class GraphConstants {
 public:
  // The array of a feed that was read from its file before; nothing if it was not.
  std::optional<Tensor> Find(const std::string& feed) const;
  void Keep(const std::string& feed, const Tensor& array);

  // The same for equal constants: copies of one tensor. It lives as long as a plan has it.
  std::shared_ptr<const ResidentConstant> On(Device& device, const Tensor& constant);

 private:
  using Place = std::pair<const Device*, const void*>;  // the device, and the elements of the constant

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Tensor> arrays_;
  std::map<Place, std::weak_ptr<const ResidentConstant>> residents_;
};

}  // namespace opsrun::host

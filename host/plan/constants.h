// host/plan/constants.h: what all plans of a graph share: arrays from files, and constants in device memory. A plan for
// other shapes does not read or copy them again.
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

// A constant in the memory of a device, shared by all lanes. Allocates no memory until a lane asks for it, because many
// plans are never run. Thread-safe. The device must outlive it.
class ResidentConstant {
 public:
  ResidentConstant(Device& device, Tensor constant) : device_(device), constant_(std::move(constant)) {}
  ResidentConstant(const ResidentConstant&) = delete;
  // Requires: no lane reads it any longer.
  ~ResidentConstant();

  const Tensor& constant() const { return constant_; }
  // Copies the constant at the first call, and waits for the copy. RESOURCE_EXHAUSTED if the device's memory is
  // insufficient.
  Result<void*> Memory() const;

 private:
  Status Copy() const;

  Device& device_;
  const Tensor constant_;
  mutable std::mutex mutex_;  // guards memory_
  mutable void* memory_ = nullptr;
};

// Thread-safe.
class GraphConstants {
 public:
  // The array of a feed if Keep was called for it.
  std::optional<Tensor> Find(const std::string& feed) const;
  void Keep(const std::string& feed, const Tensor& array);

  // The same object for equal constants, which are copies of one tensor. It lives as long as a plan uses it.
  std::shared_ptr<const ResidentConstant> On(Device& device, const Tensor& constant);

 private:
  using Place = std::pair<const Device*, const void*>;  // the device, and the elements of the constant

  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, Tensor> arrays_;
  std::map<Place, std::weak_ptr<const ResidentConstant>> residents_;
};

}  // namespace opsrun::host

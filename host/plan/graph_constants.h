// host/plan/graph_constants.h: what all plans of a graph share: the arrays of files, and constants in the memory of
// devices. A plan for other shapes reads and copies nothing again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "host/plan/resident_constant.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

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

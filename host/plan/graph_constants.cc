// host/plan/graph_constants.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/graph_constants.h"

namespace opsrun::host {

std::optional<Tensor> GraphConstants::Find(const std::string& feed) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = arrays_.find(feed);
  return found == arrays_.end() ? std::nullopt : std::optional(found->second);
}

void GraphConstants::Keep(const std::string& feed, const Tensor& array) {
  const std::lock_guard<std::mutex> lock(mutex_);
  arrays_.emplace(feed, array);
}

std::shared_ptr<const ResidentConstant> GraphConstants::On(Device& device, const Tensor& constant) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::weak_ptr<const ResidentConstant>& known = residents_[{&device, constant.data()}];
  std::shared_ptr<const ResidentConstant> resident = known.lock();
  const bool same = resident != nullptr && resident->constant().dtype() == constant.dtype() &&
                    resident->constant().shape() == constant.shape();
  if (!same) known = resident = std::make_shared<const ResidentConstant>(device, constant);
  return resident;
}

}  // namespace opsrun::host

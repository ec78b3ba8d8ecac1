// SPDX-License-Identifier: Apache-2.0
#include "host/cli/isolated/handles.h"

#include <utility>

namespace opsrun::host {

uint64_t Handles::Add(const opsrun_resource* handle) {
  if (handle == nullptr || handle->host->resource_retain(handle) != OPSRUN_OK) return 0;
  all_.emplace(++last_, handle);
  return last_;
}

bool Handles::Find(const std::vector<uint64_t>& tokens, std::vector<const opsrun_resource*>& handles) const {
  handles.clear();
  for (const uint64_t token : tokens) {
    const auto found = all_.find(token);
    if (token != 0 && found == all_.end()) return false;
    handles.push_back(token == 0 ? nullptr : found->second);
  }
  return true;
}

void Handles::Drop(const std::vector<uint64_t>& tokens) {
  for (const uint64_t token : tokens) {
    const auto node = all_.extract(token);
    if (!node.empty()) node.mapped()->host->resource_release(node.mapped());
  }
}

void Handles::Clear() {
  for (const auto& [token, handle] : std::exchange(all_, {})) handle->host->resource_release(handle);
}

}  // namespace opsrun::host

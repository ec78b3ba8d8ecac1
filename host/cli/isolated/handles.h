// host/cli/isolated/handles.h: resources and variants that other requests may read: the parent has a token for each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun::host {

// For one thread. Owns a reference to each object.
class Handles {
 public:
  Handles() = default;
  Handles(const Handles&) = delete;
  ~Handles() { Clear(); }

  // A token that was never given before; 0 for null, an empty element.
  uint64_t Add(const opsrun_resource* handle);
  // The objects, without references of their own. False if there is none of a token.
  bool Find(const std::vector<uint64_t>& tokens, std::vector<const opsrun_resource*>& handles) const;
  // Others than those that there are mean nothing.
  void Drop(const std::vector<uint64_t>& tokens);
  void Clear();

 private:
  std::map<uint64_t, const opsrun_resource*> all_;
  uint64_t last_ = 0;
};

}  // namespace opsrun::host

// host/run/held_tensors.h: which tensors plugins hold, to find those that are never released.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace opsrun::host {

// Tensors that plugins allocated or retained, and who did it. Thread-safe. Outlives no host table: see HeldOf.
class HeldTensors {
 public:
  // tensor: a new one, for the code that runs on this thread. bytes: the size of its elements.
  void Add(const void* tensor, size_t bytes);
  void Remove(const void* tensor);

  // "node 'y' (op Last) never released 3 tensors, 12000 bytes in all", for each node or plugin that holds some.
  std::vector<std::string> NeverReleased() const;

 private:
  struct Held {
    std::string owner;
    size_t bytes = 0;
  };

  mutable std::mutex mutex_;  // guards the member below
  std::unordered_map<const void*, Held> held_;
};

}  // namespace opsrun::host

// host/plan/tasks.h: which tasks are certain to end before others begin. Private to this library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opsrun::host {

// Tasks are numbered so that each comes after those it waits for.
class TaskOrder {
 public:
  // waits[t]: the tasks that t waits for.
  explicit TaskOrder(const std::vector<std::vector<uint32_t>>& waits);

  // True only if it is certain. Exact for up to kExact tasks; a table of all pairs would be too large for more. Then
  // only narrow tasks, with which all others are ordered, are considered.
  bool EndsBefore(uint32_t task, uint32_t other) const;

  static constexpr size_t kExact = 4096;

 private:
  void FillAncestors(const std::vector<std::vector<uint32_t>>& waits);
  void FindNarrows(const std::vector<std::vector<uint32_t>>& waits);

  size_t words_ = 0;                 // words per row of ancestors_; 0: not exact
  std::vector<uint64_t> ancestors_;  // a row of bits per task
  std::vector<uint32_t> stage_;      // number of narrow tasks up to and including this one
  std::vector<bool> narrow_;         // all earlier tasks end before it, and all later ones begin after it
};

}  // namespace opsrun::host

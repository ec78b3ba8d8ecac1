// host/plan/task_order.cc: which tasks end before others begin.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/plan/planning.h"

namespace opsrun::host {

TaskOrder::TaskOrder(const std::vector<std::vector<uint32_t>>& waits) {
  if (waits.size() <= kExact) {
    FillAncestors(waits);
  } else {
    FindNarrows(waits);
  }
}

void TaskOrder::FillAncestors(const std::vector<std::vector<uint32_t>>& waits) {
  words_ = (waits.size() + 63) / 64;
  ancestors_.assign(words_ * waits.size(), 0);
  for (size_t task = 0; task < waits.size(); ++task) {
    uint64_t* row = &ancestors_[task * words_];
    for (const uint32_t earlier : waits[task]) {
      const uint64_t* theirs = &ancestors_[earlier * words_];
      for (size_t w = 0; w < words_; ++w) row[w] |= theirs[w];
      row[earlier / 64] |= uint64_t{1} << (earlier % 64);
    }
  }
}

// A task is narrow if all earlier tasks lead to it (so far, it is the only one that no other waits for) and it leads to
// all later ones (the highest task that each of them waits for is this one or a later one).
void TaskOrder::FindNarrows(const std::vector<std::vector<uint32_t>>& waits) {
  const size_t n = waits.size();
  // For the tasks from t on, the minimum of each task's highest wait; -1 if a task waits for nothing.
  std::vector<int64_t> lowest_wait(n + 1, static_cast<int64_t>(n));
  for (size_t t = n; t-- > 0;) {
    const int64_t highest = waits[t].empty() ? int64_t{-1} : *std::max_element(waits[t].begin(), waits[t].end());
    lowest_wait[t] = std::min(lowest_wait[t + 1], highest);
  }
  std::vector<bool> waited_for(n, false);
  size_t ends = 0;
  uint32_t stage = 0;
  for (size_t t = 0; t < n; ++t) {
    ++ends;
    for (const uint32_t earlier : waits[t]) {
      if (!waited_for[earlier]) --ends;
      waited_for[earlier] = true;
    }
    const bool narrow = ends == 1 && (t + 1 == n || lowest_wait[t + 1] >= static_cast<int64_t>(t));
    narrow_.push_back(narrow);
    stage_.push_back(stage += narrow);
  }
}

bool TaskOrder::EndsBefore(uint32_t task, uint32_t other) const {
  if (words_ != 0) return (ancestors_[other * words_ + task / 64] >> (task % 64) & 1) != 0;
  if (task >= other) return false;
  return narrow_[task] || stage_[task] < stage_[other];
}

}  // namespace opsrun::host

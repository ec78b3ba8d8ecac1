// host/engine/lru_cache.h: a cache with a bounded number of values, which keeps the most recently used. Private to this
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace opsrun::host {

// For few values: a lookup compares keys one by one, most recently used first. Any thread.
template <typename Key, typename Value>
class LruCache {
 public:
  explicit LruCache(size_t most) : most_(most) {}

  // A copy of the value whose key satisfies `is`, or Value().
  template <typename Is>
  Value Find(Is is) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return is(entry.first); });
    if (found == entries_.end()) return Value();
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().second;
  }

  // If there are too many values, the least recently used one is removed. It is destroyed with its last user.
  void Add(Key key, Value value) {
    Value oldest{};
    const std::lock_guard<std::mutex> lock(mutex_);
    if (most_ == 0) return;
    if (entries_.size() == most_) {
      oldest = std::move(entries_.back().second);
      entries_.pop_back();
    }
    entries_.emplace(entries_.begin(), std::move(key), std::move(value));
  }

 private:
  using Entry = std::pair<Key, Value>;

  const size_t most_;
  std::mutex mutex_;  // guards entries_
  std::vector<Entry> entries_;
};

}  // namespace opsrun::host

// host/engine/lru_cache.h: a cache with a bounded number of values and bytes, which keeps the most recently used.
// Private to this room.
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
  static constexpr size_t kMostBytes = size_t{256} << 20;

  // A copy of the value whose key satisfies `is`, or Value().
  template <typename Is>
  Value Find(Is is) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return is(entry.key); });
    if (found == entries_.end()) return Value();
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().value;
  }

  // If there are too many values, or more than kMostBytes of them, the least recently used ones are removed, but never
  // this one. They are destroyed with their last users.
  void Add(Key key, Value value, size_t bytes) {
    std::vector<Entry> oldest;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (most_ == 0) return;
    bytes_ += bytes;
    while (!entries_.empty() && (entries_.size() >= most_ || bytes_ > kMostBytes)) {
      bytes_ -= entries_.back().bytes;
      oldest.push_back(std::move(entries_.back()));
      entries_.pop_back();
    }
    entries_.insert(entries_.begin(), {std::move(key), std::move(value), bytes});
  }

 private:
  struct Entry {
    Key key;
    Value value;
    size_t bytes = 0;
  };

  const size_t most_;
  std::mutex mutex_;  // guards what follows
  size_t bytes_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace opsrun::host

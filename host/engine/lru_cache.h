// host/engine/lru_cache.h: a cache with a limited number of values and bytes, which is read without a lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace opsrun::host {

// Keeps the most recently used values. Private to this room. For few values: a lookup compares keys one by one, the one
// that was found last first. Any thread.
//
// Values are in a list that never changes. Whoever adds one makes another list, and destroys the old one once nobody
// reads it any longer: readers count themselves in one of two counters, and those that come after the new list in the
// other one.
template <typename Key, typename Value>
class LruCache {
 public:
  explicit LruCache(size_t most) : most_(most) {}
  LruCache(const LruCache&) = delete;
  ~LruCache() { delete list_.load(); }
  static constexpr size_t kMostBytes = size_t{256} << 20;

  // A copy of all values.
  std::vector<Value> All() {
    const Reader reader(*this);
    std::vector<Value> all;
    for (const std::shared_ptr<Entry>& entry : *list_.load()) all.push_back(entry->value);
    return all;
  }

  // A copy of the value whose key satisfies `is`, or Value().
  template <typename Is>
  Value Find(Is is) {
    const Reader reader(*this);
    const List& list = *list_.load();
    const auto fits = [&](const std::shared_ptr<Entry>& entry) { return is(entry->key); };
    size_t at = last_found_.load(std::memory_order_relaxed);
    if (at >= list.size() || !fits(list[at])) {
      at = static_cast<size_t>(std::find_if(list.begin(), list.end(), fits) - list.begin());
      if (at == list.size()) return Value();
      last_found_.store(at, std::memory_order_relaxed);
    }
    Entry& entry = *list[at];
    const uint64_t now = added_.load(std::memory_order_relaxed) + 1;
    if (entry.used.load(std::memory_order_relaxed) != now) entry.used.store(now, std::memory_order_relaxed);
    return entry.value;
  }

  // If there are too many values, or more than kMostBytes of them, drops those that were used before others were added,
  // but never the new one. Dropped values are destroyed with their last users.
  void Add(Key key, Value value, size_t bytes) {
    std::unique_ptr<const List> old;  // destroyed without the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    if (most_ == 0) return;
    auto list = std::make_unique<List>(*list_.load());
    bytes_ += bytes;
    while (!list->empty() && (list->size() >= most_ || bytes_ > kMostBytes)) {
      const auto oldest = std::ranges::min_element(*list, {}, [](const auto& entry) { return entry->used.load(); });
      bytes_ -= (*oldest)->bytes;
      list->erase(oldest);
    }
    list->push_back(std::shared_ptr<Entry>(new Entry{std::move(key), std::move(value), bytes, ++added_}));
    last_found_.store(list->size() - 1, std::memory_order_relaxed);
    old.reset(list_.exchange(list.release()));
    const std::atomic<int64_t>& readers = readers_[epoch_.fetch_add(1) % 2];
    while (readers.load() != 0) std::this_thread::yield();
  }

 private:
  struct Entry {
    Key key;
    Value value;
    size_t bytes = 0;
    std::atomic<uint64_t> used;  // how many were added before it was found last
  };
  using List = std::vector<std::shared_ptr<Entry>>;

  // While it exists, the list that is read after it was made is not destroyed.
  class Reader {
   public:
    explicit Reader(LruCache& cache) {
      for (;;) {
        const uint64_t epoch = cache.epoch_.load();
        readers_ = &cache.readers_[epoch % 2];
        readers_->fetch_add(1);
        if (cache.epoch_.load() == epoch) return;
        readers_->fetch_sub(1);  // it may not be waited for
      }
    }
    Reader(const Reader&) = delete;
    ~Reader() { readers_->fetch_sub(1); }

   private:
    std::atomic<int64_t>* readers_;
  };

  const size_t most_;
  std::atomic<const List*> list_{new List};
  std::atomic<size_t> last_found_{0};
  std::atomic<uint64_t> epoch_{0}, added_{0};
  std::atomic<int64_t> readers_[2] = {0, 0};
  std::mutex mutex_;  // of Add; guards bytes_
  size_t bytes_ = 0;
};

}  // namespace opsrun::host

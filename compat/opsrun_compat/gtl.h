// opsrun_compat/gtl.h: namespace gtl: containers, and functions on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "opsrun/array_slice.h"
#include "opsrun_compat/hash.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace gtl {

template <typename K, typename V, typename H = hash<K>, typename E = std::equal_to<K>>
using FlatMap = std::unordered_map<K, V, H, E>;
template <typename K, typename H = hash<K>, typename E = std::equal_to<K>>
using FlatSet = std::unordered_set<K, H, E>;

using absl::InlinedVector;
using std::make_optional, std::nullopt, std::optional;

// Calls a function at the end of the scope.
template <typename F>
class Cleanup {
 public:
  explicit Cleanup(F f) : f_(std::move(f)) {}
  Cleanup(Cleanup&& other) : f_(std::move(other.f_)), is_armed_(std::exchange(other.is_armed_, false)) {}
  ~Cleanup() {
    if (is_armed_) f_();
  }
  F release() { return is_armed_ = false, std::move(f_); }
  bool is_released() const { return !is_armed_; }

 private:
  F f_;
  bool is_armed_ = true;
};

template <typename F>
Cleanup<F> MakeCleanup(F f) {
  return Cleanup<F>(std::move(f));
}

template <typename Container>
void STLDeleteElements(Container* container) {
  for (auto* element : *container) delete element;
  container->clear();
}

template <typename Map>
void STLDeleteValues(Map* map) {
  for (auto& pair : *map) delete pair.second;
  map->clear();
}

inline char* string_as_array(std::string* text) {
  return text->empty() ? nullptr : text->data();
}

template <typename T>
void STLSortAndRemoveDuplicates(T* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

template <typename Map>
auto FindOrNull(Map&& map, const typename std::remove_reference_t<Map>::key_type& key)
    -> decltype(&map.find(key)->second) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

// For maps of pointers: NULL if the key is missing.
template <typename Map>
typename Map::mapped_type FindPtrOrNull(const Map& map, const typename Map::key_type& key) {
  const auto at = map.find(key);
  return at == map.end() ? typename Map::mapped_type() : at->second;
}

// A reference to the value, or to `value`, which must outlive it.
template <typename Map>
const typename Map::mapped_type& FindWithDefault(const Map& map, const typename Map::key_type& key,
                                                 const typename Map::mapped_type& value) {
  const auto at = map.find(key);
  return at == map.end() ? value : at->second;
}

template <typename Map>
auto& FindOrDie(Map&& map, const typename std::remove_reference_t<Map>::key_type& key) {
  auto* const value = FindOrNull(map, key);
  CHECK(value != nullptr) << "Map key not found";
  return *value;
}

// True if the key is new.
template <typename Map>
bool InsertOrUpdate(Map* map, const typename Map::key_type& key, const typename Map::mapped_type& value) {
  return map->insert_or_assign(key, value).second;
}

template <typename Map>
bool InsertIfNotPresent(Map* map, const typename Map::key_type& key, const typename Map::mapped_type& value) {
  return map->insert({key, value}).second;
}

template <typename Set>
bool InsertIfNotPresent(Set* set, const typename Set::value_type& value) {
  return set->insert(value).second;
}

template <typename Map>
void InsertOrDie(Map* map, const typename Map::key_type& key, const typename Map::mapped_type& value) {
  CHECK(InsertIfNotPresent(map, key, value)) << "Map key is there already";
}

template <typename Map>
typename Map::mapped_type& LookupOrInsert(Map* map, const typename Map::key_type& key,
                                          const typename Map::mapped_type& value) {
  return map->insert({key, value}).first->second;
}

template <typename Container>
bool ContainsKey(const Container& container, const typename Container::key_type& key) {
  return container.find(key) != container.end();
}

// gtl::iterator_range: a pair of iterators, for range-based loops.

template <typename Iterator>
class iterator_range {
 public:
  iterator_range(Iterator begin, Iterator end) : begin_(std::move(begin)), end_(std::move(end)) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_, end_;
};

template <typename Iterator>
iterator_range<Iterator> make_range(Iterator begin, Iterator end) {
  return {std::move(begin), std::move(end)};
}

// Keeps the `limit` best values, where is_better(a, b) compares two. The caller owns the returned vectors.
template <typename T, typename IsBetter = std::greater<T>>
class TopN {
 public:
  explicit TopN(size_t limit, const IsBetter& is_better = IsBetter()) : limit_(limit), is_better_(is_better) {}

  size_t limit() const { return limit_; }
  size_t size() const { return heap_.size(); }
  bool empty() const { return heap_.empty(); }
  void reserve(size_t n) { heap_.reserve(std::min(n, limit_)); }

  // *dropped: the value that was removed, if any. It may be NULL.
  template <typename U>
  void push(U&& value, T* dropped = nullptr) {
    if (heap_.size() < limit_) {
      heap_.push_back(std::forward<U>(value));
      std::push_heap(heap_.begin(), heap_.end(), is_better_);
    } else if (limit_ > 0 && is_better_(value, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), is_better_);
      if (dropped != nullptr) *dropped = std::move(heap_.back());
      heap_.back() = std::forward<U>(value);
      std::push_heap(heap_.begin(), heap_.end(), is_better_);
    } else if (dropped != nullptr) {
      *dropped = std::forward<U>(value);
    }
  }
  // The worst value that is kept. Requires: there is at least one.
  const T& peek_bottom() const { return heap_.front(); }

  // The values, the best one first, or in any order. Removes all of them.
  std::vector<T>* Extract() {
    std::sort_heap(heap_.begin(), heap_.end(), is_better_);
    return ExtractUnsorted();
  }
  std::vector<T>* ExtractUnsorted() { return new std::vector<T>(std::exchange(heap_, {})); }
  // The same, but keeps the values.
  std::vector<T>* ExtractNondestructive() const { return TopN(*this).Extract(); }
  void ExtractNondestructive(std::vector<T>* values) const {
    *values = heap_;
    std::sort_heap(values->begin(), values->end(), is_better_);
  }
  // Iterates over the values in any order.
  typedef typename std::vector<T>::const_iterator UnsortedIterator;
  UnsortedIterator unsorted_begin() const { return heap_.begin(); }
  UnsortedIterator unsorted_end() const { return heap_.end(); }
  void Reset() { heap_.clear(); }

 private:
  std::vector<T> heap_;  // a heap with the worst value at the front
  size_t limit_;
  IsBetter is_better_;
};

// The number of insertions, deletions and replacements between two sequences; are_equal(a, b) compares elements.
template <typename First, typename Second, typename AreEqual>
int64_t LevenshteinDistance(const First& from, const Second& to, const AreEqual& are_equal) {
  const size_t n = to.size();
  std::vector<int64_t> row(n + 1), next(n + 1);  // of the part of `from` so far, to each prefix of `to`
  for (size_t k = 0; k <= n; ++k) row[k] = static_cast<int64_t>(k);
  for (size_t i = 0; i < from.size(); ++i) {
    next[0] = static_cast<int64_t>(i) + 1;
    for (size_t k = 0; k < n; ++k) {
      const int64_t replaced = row[k] + (are_equal(from.data()[i], to.data()[k]) ? 0 : 1);
      next[k + 1] = std::min({replaced, row[k + 1] + 1, next[k] + 1});
    }
    row.swap(next);
  }
  return row[n];
}

}  // namespace gtl

}  // namespace OPSRUN_HIDDEN

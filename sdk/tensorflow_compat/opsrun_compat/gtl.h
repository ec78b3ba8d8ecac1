// opsrun_compat/gtl.h: gtl::FlatMap, FlatSet, InlinedVector, optional, MakeCleanup and STLDeleteElements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opsrun/array_slice.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/hash.h"

#if defined(OPSRUN_ABSL) || __has_include("absl/opsrun_layer.h")
#include "absl/container/inlined_vector.h"
#endif

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace gtl {

template <typename K, typename V, typename H = hash<K>, typename E = std::equal_to<K>>
using FlatMap = std::unordered_map<K, V, H, E>;
template <typename K, typename H = hash<K>, typename E = std::equal_to<K>>
using FlatSet = std::unordered_set<K, H, E>;

#if defined(OPSRUN_ABSL) || __has_include("absl/opsrun_layer.h")
using absl::InlinedVector;
#else
template <typename T, int N>
using InlinedVector = std::vector<T>;
#endif

using std::make_optional;
using std::nullopt;
using std::optional;

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

}  // namespace gtl
}  // namespace OPSRUN_HIDDEN

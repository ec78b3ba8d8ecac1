// absl/container/hash_containers.h: what the hash maps and sets of the layer have in common. Not a header of abseil.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/hash/hash.h"

OPSRUN_ABSL_BEGIN
namespace internal {

// What looks up a K: a K itself or, in a table of strings, whatever converts to a string or a view.
template <typename K, typename Asked>
decltype(auto) KeyOf(const Asked& asked) {
  if constexpr (std::is_same_v<Asked, K>) {
    return (asked);
  } else {
    return K(asked);
  }
}

template <typename K, typename V, typename H, typename E, typename Allocator>
class HashMap : public std::unordered_map<K, V, H, E, Allocator> {
  typedef std::unordered_map<K, V, H, E, Allocator> Base;

 public:
  using Base::Base;
  using Base::erase;

  template <typename Asked = K>
  auto find(const Asked& key) {
    return Base::find(KeyOf<K>(key));
  }
  template <typename Asked = K>
  auto find(const Asked& key) const {
    return Base::find(KeyOf<K>(key));
  }
  template <typename Asked = K>
  bool contains(const Asked& key) const {
    return find(key) != this->end();
  }
  template <typename Asked = K>
  size_t count(const Asked& key) const {
    return contains(key) ? 1 : 0;
  }
  template <typename Asked = K>
  V& at(const Asked& key) {
    return Base::at(KeyOf<K>(key));
  }
  template <typename Asked = K>
  const V& at(const Asked& key) const {
    return Base::at(KeyOf<K>(key));
  }
  template <typename Asked = K>
  V& operator[](const Asked& key) {
    return Base::operator[](KeyOf<K>(key));
  }
};

template <typename K, typename H, typename E, typename Allocator>
class HashSet : public std::unordered_set<K, H, E, Allocator> {
  typedef std::unordered_set<K, H, E, Allocator> Base;

 public:
  using Base::Base;

  template <typename Asked = K>
  auto find(const Asked& key) const {
    return Base::find(KeyOf<K>(key));
  }
  template <typename Asked = K>
  bool contains(const Asked& key) const {
    return find(key) != this->end();
  }
  template <typename Asked = K>
  size_t count(const Asked& key) const {
    return contains(key) ? 1 : 0;
  }
};

}  // namespace internal
OPSRUN_ABSL_END

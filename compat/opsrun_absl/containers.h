// opsrun_absl/containers.h: containers, and absl::Hash<T> for numbers, text, pairs, tuples, vectors and classes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "opsrun_absl/base.h"

OPSRUN_ABSL_BEGIN

namespace internal {

// A hash in progress. A class has a friend AbslHashValue(H h, const Class& c): H::combine(std::move(h), c.a, c.b).
class HashState {
 public:
  template <typename... Parts>
  static HashState combine(HashState state, const Parts&... parts) {
    (state.Add(parts), ...);
    return state;
  }
  template <typename T>
  static HashState combine_contiguous(HashState state, const T* data, size_t size) {
    for (size_t i = 0; i < size; ++i) state.Add(data[i]);
    return combine(std::move(state), size);
  }
  size_t value() const { return static_cast<size_t>(value_); }

 private:
  template <typename T, typename = void>
  struct HasOwn : std::false_type {};
  template <typename T>
  struct HasOwn<T, std::void_t<decltype(AbslHashValue(std::declval<HashState>(), std::declval<const T&>()))>>
      : std::true_type {};

  void Mix(uint64_t number) {
    value_ = (value_ ^ number) * 0x9ddfea08eb382d69ULL;
    value_ ^= value_ >> 32;
  }
  template <typename T>
  void Add(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      Mix(static_cast<uint64_t>(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      Mix(std::hash<std::string_view>()(value));
    } else if constexpr (HasOwn<T>::value) {
      *this = AbslHashValue(std::move(*this), value);
    } else {
      Mix(std::hash<T>()(value));
    }
  }
  template <typename A, typename B>
  void Add(const std::pair<A, B>& pair) {
    Add(pair.first);
    Add(pair.second);
  }
  template <typename... T>
  void Add(const std::tuple<T...>& values) {
    std::apply([this](const auto&... value) { (Add(value), ...); }, values);
  }
  template <typename T>
  void Add(const std::vector<T>& values) {
    for (const auto& value : values) Add(value);
    Mix(values.size());
  }

  uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace internal

template <typename T>
struct Hash {
  size_t operator()(const T& value) const { return internal::HashState::combine(internal::HashState(), value).value(); }
};
template <typename... T>
size_t HashOf(const T&... values) {
  return internal::HashState::combine(internal::HashState(), values...).value();
}

namespace internal {

// The key to look up: what converts to a view or to K becomes a K; the container itself is asked for the rest.
template <typename K, typename Asked>
decltype(auto) KeyOf(const Asked& asked) {
  constexpr bool kConverts =
      std::is_convertible_v<const Asked&, std::string_view> || std::is_convertible_v<const Asked&, K>;
  if constexpr (kConverts && !std::is_same_v<Asked, K>) {
    return K(asked);
  } else {
    return (asked);
  }
}

// A container of the standard library with abseil's look-ups.
template <typename Base>
class Lookup : public Base {
  typedef typename Base::key_type K;

 public:
  using Base::Base;

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
};
template <typename Base>
class MapLookup : public Lookup<Base> {
  typedef typename Base::key_type K;
  typedef typename Base::mapped_type V;

 public:
  using Lookup<Base>::Lookup;

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

}  // namespace internal

// The containers are those of the standard library. Tables of strings accept any text type as a key for look-ups.

template <typename K, typename V, typename H = Hash<K>, typename E = std::equal_to<K>,
          typename Allocator = std::allocator<std::pair<const K, V>>>
class flat_hash_map : public internal::MapLookup<std::unordered_map<K, V, H, E, Allocator>> {
 public:
  using internal::MapLookup<std::unordered_map<K, V, H, E, Allocator>>::MapLookup;
};
template <typename K, typename H = Hash<K>, typename E = std::equal_to<K>, typename Allocator = std::allocator<K>>
class flat_hash_set : public internal::Lookup<std::unordered_set<K, H, E, Allocator>> {
 public:
  using internal::Lookup<std::unordered_set<K, H, E, Allocator>>::Lookup;
};
template <typename K, typename V, typename H = Hash<K>, typename E = std::equal_to<K>,
          typename Allocator = std::allocator<std::pair<const K, V>>>
class node_hash_map : public internal::MapLookup<std::unordered_map<K, V, H, E, Allocator>> {
 public:
  using internal::MapLookup<std::unordered_map<K, V, H, E, Allocator>>::MapLookup;
};
template <typename K, typename H = Hash<K>, typename E = std::equal_to<K>, typename Allocator = std::allocator<K>>
class node_hash_set : public internal::Lookup<std::unordered_set<K, H, E, Allocator>> {
 public:
  using internal::Lookup<std::unordered_set<K, H, E, Allocator>>::Lookup;
};

template <typename K, typename V, typename Less = std::less<>>
class btree_map : public internal::MapLookup<std::map<K, V, Less>> {
 public:
  using internal::MapLookup<std::map<K, V, Less>>::MapLookup;
};
template <typename K, typename Less = std::less<>>
class btree_set : public internal::Lookup<std::set<K, Less>> {
 public:
  using internal::Lookup<std::set<K, Less>>::Lookup;
};
template <typename K, typename V, typename Less = std::less<>>
using btree_multimap = std::multimap<K, V, Less>;
template <typename K, typename Less = std::less<>>
using btree_multiset = std::multiset<K, Less>;

// absl::FixedArray<T>: an array whose size is set by its constructor.

template <typename T, size_t N = 0>
class FixedArray : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  void fill(const T& value) { this->assign(this->size(), value); }
};

// absl::InlinedVector<T, N>: a std::vector, whose elements are on the heap.

template <typename T, size_t N, typename Allocator = std::allocator<T>>
class InlinedVector : public std::vector<T, Allocator> {
 public:
  using std::vector<T, Allocator>::vector;
};

namespace internal {

// A std::vector<bool> does not contain bools that a view could refer to.
struct OneBool {
  OneBool(bool the_value = false) : value(the_value) {}
  operator bool&() { return value; }
  operator const bool&() const { return value; }
  bool value;
};

}  // namespace internal

template <size_t N, typename Allocator>
class InlinedVector<bool, N, Allocator> : public std::vector<internal::OneBool> {
 public:
  using std::vector<internal::OneBool>::vector;
  bool* data() { return reinterpret_cast<bool*>(std::vector<internal::OneBool>::data()); }
  const bool* data() const { return reinterpret_cast<const bool*>(std::vector<internal::OneBool>::data()); }
};

OPSRUN_ABSL_END

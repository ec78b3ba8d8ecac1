// absl/container/flat_hash_map.h: absl::flat_hash_map, here a std::unordered_map that finds text by any kind of text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/container/hash_containers.h"

OPSRUN_ABSL_BEGIN

template <typename K, typename V, typename H = Hash<K>, typename E = std::equal_to<K>,
          typename Allocator = std::allocator<std::pair<const K, V>>>
class flat_hash_map : public internal::HashMap<K, V, H, E, Allocator> {
 public:
  using internal::HashMap<K, V, H, E, Allocator>::HashMap;
};

OPSRUN_ABSL_END

// absl/container/node_hash_set.h: absl::node_hash_set, here a std::unordered_set that finds text by any kind of text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/container/hash_containers.h"

OPSRUN_ABSL_BEGIN

template <typename K, typename H = Hash<K>, typename E = std::equal_to<K>, typename Allocator = std::allocator<K>>
class node_hash_set : public internal::HashSet<K, H, E, Allocator> {
 public:
  using internal::HashSet<K, H, E, Allocator>::HashSet;
};

OPSRUN_ABSL_END

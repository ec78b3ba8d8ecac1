// absl/container/btree_map.h: absl::btree_map, here a std::map.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename K, typename V, typename Less = std::less<>>
class btree_map : public std::map<K, V, Less> {
 public:
  using std::map<K, V, Less>::map;
  template <typename Asked = K>
  bool contains(const Asked& key) const {
    return this->find(key) != this->end();
  }
};
template <typename K, typename V, typename Less = std::less<>>
using btree_multimap = std::multimap<K, V, Less>;

OPSRUN_ABSL_END

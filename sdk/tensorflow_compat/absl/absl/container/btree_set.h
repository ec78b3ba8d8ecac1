// absl/container/btree_set.h: absl::btree_set, here a std::set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

template <typename K, typename Less = std::less<>>
class btree_set : public std::set<K, Less> {
 public:
  using std::set<K, Less>::set;
  template <typename Asked = K>
  bool contains(const Asked& key) const {
    return this->find(key) != this->end();
  }
};
template <typename K, typename Less = std::less<>>
using btree_multiset = std::multiset<K, Less>;

OPSRUN_ABSL_END

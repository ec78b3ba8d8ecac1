// opsrun_compat/map_util.h: gtl::FindOrNull, FindWithDefault, InsertIfNotPresent and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/logging.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace gtl {

template <typename Map>
const typename Map::mapped_type* FindOrNull(const Map& map, const typename Map::key_type& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}
template <typename Map>
typename Map::mapped_type* FindOrNull(Map& map, const typename Map::key_type& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}
// For maps of pointers: NULL if there is no such key.
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
const typename Map::mapped_type& FindOrDie(const Map& map, const typename Map::key_type& key) {
  const auto at = map.find(key);
  CHECK(at != map.end()) << "Map key not found";
  return at->second;
}
template <typename Map>
typename Map::mapped_type& FindOrDie(Map& map, const typename Map::key_type& key) {
  const auto at = map.find(key);
  CHECK(at != map.end()) << "Map key not found";
  return at->second;
}

// True if the key is new.
template <typename Map>
bool InsertOrUpdate(Map* map, const typename Map::key_type& key, const typename Map::mapped_type& value) {
  const bool is_new = map->find(key) == map->end();
  (*map)[key] = value;
  return is_new;
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

}  // namespace gtl
}  // namespace OPSRUN_HIDDEN

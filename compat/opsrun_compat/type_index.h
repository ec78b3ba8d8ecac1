// opsrun_compat/type_index.h: TypeIndex, the identity of a type in this plugin, without run-time type information.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/resource_call.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class TypeIndex {
 public:
  template <typename T>
  static TypeIndex Make() {
    return TypeIndex(internal::TypeText<T>().data());
  }

  // The compiler's spelling of the type; NUL-terminated, and valid as long as the plugin is loaded.
  const char* name() const { return name_; }
  uint64_t hash_code() const { return reinterpret_cast<uintptr_t>(name_); }
  bool operator==(const TypeIndex& other) const { return name_ == other.name_; }
  bool operator!=(const TypeIndex& other) const { return name_ != other.name_; }

 private:
  explicit TypeIndex(const char* name) : name_(name) {}

  const char* name_;  // unique per type
};

template <typename T>
TypeIndex MakeTypeIndex() {
  return TypeIndex::Make<T>();
}

}  // namespace OPSRUN_HIDDEN

template <>
struct std::hash<::OPSRUN_NAMESPACE::TypeIndex> {
  size_t operator()(const ::OPSRUN_NAMESPACE::TypeIndex& type) const { return type.hash_code(); }
};

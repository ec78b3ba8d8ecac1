// host/wrap/unique_names.h: names in a scope of generated code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace opsrun::host {

// The names of a scope. Each is given out once; what is taken or reserved gets a '_' at its end.
class UniqueNames {
 public:
  // taken: names that the scope has already.
  explicit UniqueNames(bool (*is_reserved)(std::string_view), std::set<std::string> taken = {})
      : is_reserved_(is_reserved), taken_(std::move(taken)) {}

  std::string Take(std::string name) {
    while (is_reserved_(name) || !taken_.insert(name).second) name += '_';
    return name;
  }

 private:
  bool (*is_reserved_)(std::string_view);
  std::set<std::string> taken_;
};

// The same text with '_' in place of what no identifier has: "my-ops" is "my_ops". Never begins with a digit.
std::string Identifier(std::string_view name);

}  // namespace opsrun::host

// host/schema/op_choice.h: from the name of a node's op to what follows from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "host/schema/definitions.h"

namespace opsrun::host {

// Not one "oneOf": an editor that finds none of a thousand alternatives to fit can only say so. Each name is a
// condition of its own, and of many names a few at a time: an editor asks all of this for each node whenever a key is
// pressed.
class OpChoice {
 public:
  void Add(const std::string& name, const Json& then) { choices_.emplace_back(name, then); }

  bool empty() const { return choices_.empty(); }

  // Added as `name`; groups of names as `name`.1 and so on.
  Json Schema(const std::string& name, Definitions& definitions) const;

 private:
  Json Group(size_t first, size_t last) const;  // a list of conditions

  std::vector<std::pair<std::string, Json>> choices_;
};

}  // namespace opsrun::host

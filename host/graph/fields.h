// host/graph/fields.h: maps with fixed keys: the file's root, a feed, a node, an output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"
#include "host/yaml/value.h"

namespace opsrun::host {

struct Fields {
  std::string owner;                 // "a node"
  std::vector<std::string> allowed;  // in the order of the documentation
  std::vector<std::string> later;    // keys of the format that this version does not support
};

// Reports keys that are neither allowed nor begin with "x-" (G102, G104). Requires: a map.
void CheckKeys(const Value& map, const Fields& fields, Reporter& reporter);

// True if `value` is of the kind; otherwise false and an error G105: "<what> must be a map, found a list", with `help`.
bool CheckKind(const Value& value, Value::Kind kind, const std::string& what, const std::string& help,
               Reporter& reporter);

// The text of a string that is not empty, or nothing and an error G105.
std::optional<Located<std::string>> ReadText(const Value& value, const std::string& what, const std::string& help,
                                             Reporter& reporter);

// Whether a feed or a node may have this name: [A-Za-z_][A-Za-z0-9_-]*
bool IsName(std::string_view text);

// Whether the key is one, otherwise an error G107. `what` is "a feed", "a node" ...
bool CheckName(const Value::Entry& entry, const std::string& what, Reporter& reporter);

}  // namespace opsrun::host

// host/graph/fields.h: maps with fixed keys: the file's root, a feed, a node, an output; names and references.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
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

// The same, but also corrects unknown keys, to avoid further errors. An unknown key becomes the allowed key that it
// resembles, if the map lacks that one. Otherwise the map becomes incomplete, because the key may be any of those
// missing.
void CorrectKeys(Value& map, const Fields& fields, Reporter& reporter);

// True if `value` is of the kind; otherwise adds an error G105, "<what> must be a map, found a list", with `help`.
bool CheckKind(const Value& value, Value::Kind kind, const std::string& what, const std::string& help,
               Reporter& reporter);

// The text of a nonempty string, or nothing and an error G105.
std::optional<Located<std::string>> ReadText(const Value& value, const std::string& what, const std::string& help,
                                             Reporter& reporter);

// Reads a key that the map may lack. False after an error G105.
bool TakeText(const Value& map, const char* key, const std::string& help, std::optional<Located<std::string>>& to,
              Reporter& reporter);
bool TakeFlag(const Value& map, const char* key, bool& to, Reporter& reporter);

// Reads 'key', the name of an array in the archive 'npz'. Returns `otherwise` if it is missing; nothing and an error if
// there is no 'npz' (G106) or the value is not a text (G105). Requires: a map.
std::optional<Located<std::string>> ReadArrayKey(const Value& map, Located<std::string> otherwise, Reporter& reporter);

// Moves the value to `to`; returns false if there is none.
template <typename From, typename To>
bool Take(std::optional<From> from, To& to) {
  if (from) to = *std::move(from);
  return from.has_value();
}

// True if a feed or a node can have this name: [A-Za-z_][A-Za-z0-9_-]*
bool IsName(std::string_view text);

// True if the key is a valid name; otherwise adds an error G107. what: "a feed", "a node" ...
bool CheckName(const Value::Entry& entry, const std::string& what, Reporter& reporter);

// Reads "node", "node.output" or "node.output.i". Checks only the form, not whether the node or feed exists. Returns
// nothing and an error G108 for other forms. of_lists: also accepts "list.i".
std::optional<Reference> ReadReference(const Value& value, Reporter& reporter, bool of_lists = false);

}  // namespace opsrun::host

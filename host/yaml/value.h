// host/yaml/value.h: YAML as a tree of values, each with its location.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

struct Value {
  enum class Kind { kNull, kScalar, kBytes, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text;     // of a scalar, unescaped; or bytes: a string that is not UTF-8
  bool quoted = false;  // a quoted or block scalar is always a string, and so are bytes
  std::vector<Value> items;
  std::vector<Entry> entries;  // in the order written
  bool incomplete = false;     // of a map: an entry was refused, so do not report missing keys
  Span span;

  const Value* Find(std::string_view key) const;  // of a map; null if not found
  Value* Find(std::string_view key);
};

struct Value::Entry {
  std::string key;
  Span key_span;
  Value value;
};

// "a map", "a list", "a string", "an integer", "a decimal number", "bytes", "nothing" ...: for messages.
std::string KindText(const Value& value);

// A scalar's text in quotes, or the kind; FoundWithKind gives both: "an integer '7'".
std::string FoundText(const Value& value);
std::string FoundWithKind(const Value& value);

// Values that are not parsed from text.
Value PlainValue(std::string text, const Span& span = {});   // a number or a boolean
Value StringValue(std::string text, const Span& span = {});  // always a string; bytes if not UTF-8
Value ListValue(const Span& span = {});
Value MapValue(const Span& span = {});
void AddEntry(Value& map, std::string key, Value value);

// Values that aliases refer to, with limits.

// The size of a value with everything in it.
struct TreeSize {
  size_t values = 1;
  size_t bytes = 0;  // of texts and keys
  size_t depth = 0;

  void Add(const TreeSize& inner, size_t key_bytes);
};

// Functions that fail have reported an error.
class Anchors {
 public:
  struct Marked {
    bool complete = false;
    Value value;
    TreeSize size;
  };

  // The reporter must outlive this object.
  explicit Anchors(Reporter& reporter) : reporter_(reporter) {}

  // The value with this anchor begins. Aliases in it cannot refer to it.
  void Begin(const std::string& name) { marked_[name] = {}; }

  // Keeps a copy of the value. Requires: Begin.
  bool End(const std::string& name, const Value& value, const TreeSize& size);

  // The value that the alias at `span` refers to; null if it is not available.
  const Marked* Repeat(std::string_view name, const Span& span);

 private:
  Reporter& reporter_;
  std::unordered_map<std::string, Marked> marked_;
  TreeSize kept_{0};
  TreeSize repeated_{0};
};

}  // namespace opsrun::host

// host/yaml/anchors.h: the values that aliases repeat, with limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/yaml/reporter.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// The size of a value, including all levels.
struct TreeSize {
  size_t values = 1;
  size_t bytes = 0;  // of texts and keys
  size_t depth = 0;

  void Add(const TreeSize& inner, size_t key_bytes);
};

// Functions that fail report an error.
class Anchors {
 public:
  struct Marked {
    bool complete = false;
    Value value;
    TreeSize size;
  };

  // The reporter outlives this.
  explicit Anchors(Reporter& reporter) : reporter_(reporter) {}

  // The value after the anchor begins: an alias within it cannot refer to it.
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

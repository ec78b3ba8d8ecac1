// host/show/wrap/wrapped_plugin.h: what the generators of C++ and Python code share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/plugin/plugin.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// A plugin and its public ops, sorted by name. Borrows the ops.
struct WrappedPlugin {
  std::string name;
  std::string version;                  // may be empty
  std::vector<const spec::OpDef*> ops;  // whose names do not begin with '_'
};

WrappedPlugin OpsToWrap(const Plugin& plugin);

// "opsrun wrap of opsrun 0.1.0, from plugin 'pad' 1.2", on one line.
std::string MadeBy(const std::vector<WrappedPlugin>& plugins);

// Descriptions of an op's arguments and attrs in generated code.

// Breaks text at spaces into lines of up to `width` characters, indented by these numbers of spaces. A longer word has
// its own line.
struct FilledLines {
  size_t width;
  size_t first_indent;
  size_t next_indent;
};
std::string Fill(std::string_view text, FilledLines lines);

// "a tensor of type T, one of float32, int32", "a list of tensors of type string".
std::string ArgWords(const spec::OpDef& op, const spec::ArgDef& arg);

// "int, at least 1; the default is 2". default_text: empty if there is no default. quote: quotes an allowed string.
std::string AttrWords(const spec::AttrDef& attr, std::string_view default_text, std::string (*quote)(std::string_view));

// "x: a tensor of type T. The author's documentation"
std::string Item(std::string_view name, std::string_view words, std::string_view doc);

// Names in a scope of generated code.

// The names of a scope. Each is given out once; taken or reserved names get a '_' appended.
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

// The text as an identifier: invalid characters become '_', so "my-ops" becomes "my_ops". Never begins with a digit.
std::string Identifier(std::string_view name);

}  // namespace opsrun::host

// host/show/wrap/wrap.h: the ops of plugins as code in C++ and in Python, and what the generators of both share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include "host/plugin/plugin.h"
#include "host/show/json_text.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// A plugin and its public ops, sorted by name. Borrows the ops.
struct WrappedPlugin {
  std::string name;
  std::string version;                  // may be empty
  std::vector<const spec::OpDef*> ops;  // whose names do not begin with '_'
};

WrappedPlugin OpsToWrap(const Plugin& plugin);

// The text of a header with a class for each op, on top of opsrun/embed_op.hpp. name_space: for all ops, "a::b"; if
// empty, the ops of each plugin are in a namespace named after the plugin.
std::string CppHeader(const std::vector<WrappedPlugin>& plugins, const std::string& name_space);

// True if the text is a valid name_space.
bool IsCppNamespace(std::string_view text);

// The text of a .pyi file for the module that opsrun.load_op_library returns.
std::string PythonStub(const WrappedPlugin& plugin);

// The same facts about one op, from which the package opsrun makes its function: "function", the names of "inputs" and
// "outputs", "attrs" that the caller sets, by their names in the op, with name and annotation, and "help": the
// documentation up to the last attr, and from there on, since what a framework adds is documented between the two.
Json PythonJson(const spec::OpDef& op, const std::string& plugin);

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

// Types and values of attrs in C++.

// A string literal, or an expression if the text contains a NUL.
std::string CppString(std::string_view text);

// "int64_t", "std::vector<std::string>".
std::string CppType(spec::AttrType type);
// True if variables of the type are passed by value and not moved.
bool IsCppNumber(spec::AttrType type);

// What initializes a variable of that type: "3", "{1, 2}". Empty for a tensor, which has no such text.
std::string CppInitializer(const spec::AttrValue& value);

// "Int", "Strings": the function of embed::Attr that makes such an attr.
std::string CppAttrFunction(spec::AttrType type);

// Keywords of C++, macros that headers or compilers define, and namespaces that users cannot define.
bool IsCppReserved(std::string_view word);

// "text" with escapes; a byte that is not UTF-8 becomes U+FFFD, as in JSON.
std::string PythonQuote(std::string_view text);

}  // namespace opsrun::host

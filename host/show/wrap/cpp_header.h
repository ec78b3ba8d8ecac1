// host/show/wrap/cpp_header.h: the ops of plugins as a C++17 header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/show/wrap/wrapped_plugin.h"

namespace opsrun::host {

// The text of a header with a class for each op, on top of opsrun/embed_op.hpp. name_space: for all ops, "a::b"; if
// empty, the ops of each plugin are in a namespace named after the plugin.
std::string CppHeader(const std::vector<WrappedPlugin>& plugins, const std::string& name_space);

// True if the text is a valid name_space.
bool IsCppNamespace(std::string_view text);

// One op as a C++ class on top of opsrun/embed_op.hpp.

// The class, with its comment, in a scope where `embed` is opsrun::embed:
//
//   class ZeroOut {
//    public:
//     struct Attrs { Attrs& PreserveIndex(int64_t value); ... };  // without attrs that inputs determine
//     ZeroOut(const embed::Engine& engine, const Attrs& attrs);
//     embed::Tensor operator()(const embed::View& to_zero, const embed::Stop* stop = nullptr) const;
//   };
std::string CppOp(const spec::OpDef& op, const std::string& plugin, const std::string& class_name);

// "// text" on lines of up to 120 columns, indented. Keeps the line breaks of the text; continuation lines of a long
// line are indented by `hanging` more.
std::string CppComment(std::string_view text, size_t indent, size_t hanging = 0);

}  // namespace opsrun::host

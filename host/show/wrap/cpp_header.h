// host/show/wrap/cpp_header.h: the ops of plugins as a C++17 header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/show/wrap/wrapped_plugin.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// The text of a header with a class for each op, over opsrun/embed_op.hpp. name_space: of all ops, "a::b"; if empty,
// the ops of each plugin have a namespace of its name.
std::string CppHeader(const std::vector<WrappedPlugin>& plugins, const std::string& name_space);

// Whether the text may be given as a name_space.
bool IsCppNamespace(std::string_view text);

// One op as a C++ class over opsrun/embed_op.hpp.

// The class, with its comment, in a scope where `embed` is opsrun::embed:
//
//   class ZeroOut {
//    public:
//     struct Attrs { Attrs& PreserveIndex(int64_t value); ... };  // without attrs that inputs determine
//     ZeroOut(const embed::Engine& engine, const Attrs& attrs);
//     embed::Tensor operator()(const embed::View& to_zero, const embed::Stop* stop = nullptr) const;
//   };
std::string CppOp(const spec::OpDef& op, const std::string& plugin, const std::string& class_name);

// "// text" on lines of up to 120 columns, indented. The lines of the text stay lines; what goes on in the next line
// because it is too long is indented by `hanging` more.
std::string CppComment(std::string_view text, size_t indent, size_t hanging = 0);

}  // namespace opsrun::host

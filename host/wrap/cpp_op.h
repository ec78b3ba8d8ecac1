// host/wrap/cpp_op.h: one op as a C++ class over opsrun/embed_op.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/op_def.h"

namespace opsrun::host {

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

// host/wrap/cpp_header.h: the ops of plugins as a C++17 header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/wrap/wrapped_plugin.h"

namespace opsrun::host {

// The text of a header with a class for each op, over opsrun/embed_op.hpp. name_space: of all ops, "a::b"; if empty,
// the ops of each plugin have a namespace of its name.
std::string CppHeader(const std::vector<WrappedPlugin>& plugins, const std::string& name_space);

// Whether the text may be given as a name_space.
bool IsCppNamespace(std::string_view text);

}  // namespace opsrun::host

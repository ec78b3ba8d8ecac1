// host/wrap/cpp_header.cc: see cpp_header.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/wrap/cpp_header.h"

#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/wrap/cpp_op.h"
#include "host/wrap/cpp_value.h"
#include "host/wrap/unique_names.h"

namespace opsrun::host {
namespace {

std::string InNamespace(const std::string& name, const std::string& text) {
  return fmt::format("\nnamespace {0} {{\n\nnamespace embed = ::opsrun::embed;\n{1}\n}}  // namespace {0}\n", name,
                     text);
}

std::string Classes(const WrappedPlugin& plugin, UniqueNames& names) {
  std::string text;
  for (const spec::OpDef* op : plugin.ops) {
    text += "\n" + CppOp(*op, plugin.name, names.Take(Identifier(op->name)));
  }
  return text;
}

// Names that classes use within themselves.
UniqueNames ClassNames() {
  return UniqueNames(IsCppReserved, {"Attrs", "Result"});
}

}  // namespace

std::string CppHeader(const std::vector<WrappedPlugin>& plugins, const std::string& name_space) {
  std::string text = CppComment(fmt::format("Written by {}. Write it again rather than edit it.", MadeBy(plugins)), 0);
  text +=
      "#pragma once\n\n#include <cstdint>\n#include <limits>\n#include <optional>\n#include <string>\n#include "
      "<utility>\n"
      "#include <vector>\n\n#include \"opsrun/embed_op.hpp\"\n";
  UniqueNames spaces(IsCppReserved);
  UniqueNames classes = ClassNames();
  std::string all;
  for (const WrappedPlugin& plugin : plugins) {
    if (name_space.empty()) {
      UniqueNames own = ClassNames();
      text += InNamespace(spaces.Take(Identifier(plugin.name)), Classes(plugin, own));
    } else {
      all += Classes(plugin, classes);
    }
  }
  return name_space.empty() ? text : text + InNamespace(name_space, all);
}

bool IsCppNamespace(std::string_view text) {
  while (true) {
    const size_t colons = text.find("::");
    const std::string_view part = text.substr(0, colons);
    if (part.empty() || Identifier(part) != part || IsCppReserved(part)) return false;
    if (colons == std::string_view::npos) return true;
    text.remove_prefix(colons + 2);
  }
}

}  // namespace opsrun::host

// host/show/declared_gradient.cc: see declared_gradient.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/declared_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace opsrun::host {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

size_t IndentOf(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool IsEmpty(std::string_view line) {
  return IndentOf(line) == line.size();
}

}  // namespace

std::string DeclaredGradientText(const RegisteredOp& op, size_t indent) {
  if (op.gradient.empty()) {
    const bool said = (op.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0;
    return said ? fmt::format("{0:{1}}gradient\n{0:{1}}  none: not differentiable\n", "", indent) : "";
  }
  const std::string from = op.gradient_line == 0 ? "" : fmt::format(", line {} of its source", op.gradient_line);
  std::string text = fmt::format("{:{}}gradient{}\n", "", indent, from);
  std::vector<std::string_view> lines = LinesOf(op.gradient);
  std::erase_if(lines, IsEmpty);
  size_t common = lines.empty() ? 0 : IndentOf(lines[0]);
  for (const std::string_view line : lines) common = std::min(common, IndentOf(line));
  for (const std::string_view line : lines) text += fmt::format("{:{}}{}\n", "", indent + 2, line.substr(common));
  return text;
}

}  // namespace opsrun::host

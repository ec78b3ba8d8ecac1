// host/plan/explain/attr_help.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/attr_help.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/spec/check_attr.h"

namespace opsrun::host {
namespace {

// One value that the attr may have, as YAML.
std::string ExampleElement(const spec::AttrDef& attr) {
  if (!attr.allowed_strings.empty()) return fmt::format("'{}'", attr.allowed_strings.front());
  if (!attr.allowed_types.empty()) return AllowedWords(attr).front();
  switch (attr.type.kind) {
    case OPSRUN_ATTR_INT:
      return attr.type.list ? "1" : fmt::format("{}", std::max<int64_t>(1, attr.minimum.value_or(1)));
    case OPSRUN_ATTR_FLOAT:
      return "0.5";
    case OPSRUN_ATTR_BOOL:
      return "true";
    case OPSRUN_ATTR_TYPE:
      return "float32";
    case OPSRUN_ATTR_SHAPE:
      return "[2, -1]";
    case OPSRUN_ATTR_TENSOR:
      return "[1, 2]";
    default:
      return "'text'";
  }
}

std::string Example(const spec::AttrDef& attr) {
  if (!attr.type.list) return ExampleElement(attr);
  constexpr int64_t kShown = 4;
  const int64_t count = std::clamp<int64_t>(attr.minimum.value_or(1), 1, kShown);
  return fmt::format("[{}]",
                     fmt::join(std::vector<std::string>(static_cast<size_t>(count), ExampleElement(attr)), ", "));
}

}  // namespace

std::vector<std::string> AllowedWords(const spec::AttrDef& attr) {
  std::vector<std::string> words = attr.allowed_strings;
  for (const DType dtype : attr.allowed_types) words.emplace_back(DTypeName(dtype));
  return words;
}

std::string MissingAttrHelp(const spec::AttrDef& attr) {
  const std::string allowed = spec::AllowedText(attr);
  const std::string may_be = allowed.empty() ? "" : fmt::format("; it may be {}", allowed);
  return fmt::format("add it, such as attrs: {{{}: {}}}{}", attr.name, Example(attr), may_be);
}

std::string KindOfAttr(const spec::AttrDef& attr) {
  if (attr.type.kind != OPSRUN_ATTR_TYPE) return spec::AttrTypeName(attr.type);
  return attr.type.list ? "a list of data types" : "a data type";
}

}  // namespace opsrun::host

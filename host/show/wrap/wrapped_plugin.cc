// host/show/wrap/wrapped_plugin.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/wrap/wrapped_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/base/text.h"
#include "host/spec/parse_op.h"

namespace opsrun::host {

WrappedPlugin OpsToWrap(const Plugin& plugin) {
  WrappedPlugin wrapped{plugin.name, plugin.version, {}};
  for (const RegisteredOp& op : plugin.ops) {
    if (!op.def.name.starts_with('_')) wrapped.ops.push_back(&op.def);
  }
  std::sort(wrapped.ops.begin(), wrapped.ops.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return wrapped;
}

std::string MadeBy(const std::vector<WrappedPlugin>& plugins) {
  std::string from;
  for (const WrappedPlugin& plugin : plugins) {
    from += fmt::format("{} plugin '{}'", from.empty() ? "" : ",", plugin.name);
    if (!plugin.version.empty()) from += " " + plugin.version;
  }
  // Fill joins lines: a version may contain line breaks, and the second line would be code.
  return Fill(fmt::format("opsrun wrap of opsrun {}, from{}", OPSRUN_VERSION, from), {SIZE_MAX, 0, 0});
}

namespace {

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const auto* const begin = std::find_if_not(text.begin(), text.end(), IsBlank);
    const auto* const end = std::find_if(begin, text.end(), IsBlank);
    if (begin == end) return words;
    words.emplace_back(begin, end);
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
  }
}

size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuationByte(c); }));
}

}  // namespace

std::string Fill(std::string_view text, FilledLines lines) {
  std::string filled(lines.first_indent, ' ');
  size_t column = lines.first_indent;
  bool begins = true;
  for (const std::string_view word : WordsOf(text)) {
    const size_t length = Characters(word);
    if (!begins && column + 1 + length > lines.width) {
      filled += "\n" + std::string(lines.next_indent, ' ');
      column = lines.next_indent;
      begins = true;
    }
    if (!begins) filled += ' ';
    column += length + (begins ? 0 : 1);
    filled += word;
    begins = false;
  }
  return filled;
}

std::string ArgWords(const spec::OpDef& op, const spec::ArgDef& arg) {
  std::string kind;
  if (arg.dtype != DType::kInvalid) {
    kind = DTypeName(arg.dtype);
  } else {
    const std::string& name = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
    const spec::AttrDef* const attr = op.FindAttr(name);
    std::vector<std::string> allowed;
    if (attr != nullptr)
      std::transform(attr->allowed_types.begin(), attr->allowed_types.end(), std::back_inserter(allowed), DTypeName);
    kind = name + (allowed.empty() ? ", any type" : fmt::format(", one of {}", fmt::join(allowed, ", ")));
  }
  return (arg.is_list() ? "a list of tensors of type " : "a tensor of type ") + kind;
}

std::string AttrWords(const spec::AttrDef& attr, std::string_view default_text,
                      std::string (*quote)(std::string_view)) {
  std::vector<std::string> allowed;
  for (const DType type : attr.allowed_types) allowed.push_back(DTypeName(type));
  for (const std::string& text : attr.allowed_strings) allowed.push_back(quote(text));
  std::string words = spec::AttrTypeName(attr.type);
  if (!allowed.empty()) words += fmt::format(", one of {}", fmt::join(allowed, ", "));
  if (attr.minimum) words += fmt::format(", at least {}", *attr.minimum);
  if (!default_text.empty()) words += fmt::format("; the default is {}", default_text);
  return words;
}

std::string Item(std::string_view name, std::string_view words, std::string_view doc) {
  return fmt::format("{}: {}. {}", name, words, doc);
}

std::string Identifier(std::string_view name) {
  std::string identifier = name.empty() || IsDigit(name[0]) ? "n" : "";
  for (const char c : name) identifier += IsLetter(c) || IsDigit(c) ? c : '_';
  return identifier;
}

}  // namespace opsrun::host

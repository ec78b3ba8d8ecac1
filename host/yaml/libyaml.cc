// host/yaml/libyaml.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/libyaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "host/base/text.h"

namespace opsrun::host {
namespace {

constexpr size_t kEscape = 6;  // "\ud83d"
// Two noncharacters of Unicode, which do not occur in text.
constexpr std::string_view kMark = "\\ufdd0\\ufdd1";
constexpr std::string_view kMarkUnescaped = "\xef\xb7\x90\xef\xb7\x91";

// 0 if there is no "\u" with four digits at `at`.
uint32_t EscapeAt(std::string_view text, size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), kEscape);
  uint32_t code = 0;
  if (escape.size() < kEscape || escape.substr(0, 2) != "\\u") return 0;
  return std::from_chars(escape.data() + 2, escape.data() + kEscape, code, 16).ptr == escape.end() ? code : 0;
}

bool IsEscaped(std::string_view text, size_t at) {
  size_t backslashes = 0;
  while (backslashes < at && text[at - backslashes - 1] == '\\') ++backslashes;
  return backslashes % 2 != 0;
}

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

YamlEvent View(const yaml_event_t& raw) {
  const auto& scalar = raw.data.scalar;
  switch (raw.type) {
    case YAML_SCALAR_EVENT:
      return {raw.type,
              scalar.style,
              {reinterpret_cast<const char*>(scalar.value), scalar.length},
              View(scalar.anchor),
              View(scalar.tag)};
    case YAML_ALIAS_EVENT:
      return {raw.type, {}, View(raw.data.alias.anchor)};
    case YAML_SEQUENCE_START_EVENT:
      return {raw.type, {}, {}, View(raw.data.sequence_start.anchor), View(raw.data.sequence_start.tag)};
    case YAML_MAPPING_START_EVENT:
      return {raw.type, {}, {}, View(raw.data.mapping_start.anchor), View(raw.data.mapping_start.tag)};
    default:
      return {raw.type};
  }
}

constexpr size_t kMaxRepeated = 100'000;
constexpr size_t kMaxRepeatedBytes = size_t{16} << 20;
constexpr size_t kMaxAnchored = 10;  // copies for possible aliases are limited to this multiple: anchors can be nested

bool Fits(const TreeSize& size, size_t times) {
  return size.values <= times * kMaxRepeated && size.bytes <= times * kMaxRepeatedBytes;
}

}  // namespace

TextPlaces::TextPlaces(std::string_view text) : text_(text), line_begins_{0} {
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    line_begins_.push_back(at + 1);
  }
}

Position TextPlaces::PositionOf(size_t line, size_t characters) {
  if (line >= line_begins_.size()) return PositionAt(text_.size());
  if (line != line_) {
    line_ = line;
    characters_ = 0;
    offset_ = line_begins_[line_];
  }
  for (; characters_ < characters && offset_ < text_.size(); ++characters_) {
    ++offset_;
    while (offset_ < text_.size() && IsContinuationByte(text_[offset_])) ++offset_;
  }
  for (; characters_ > characters; --characters_) {
    --offset_;
    while (IsContinuationByte(text_[offset_])) --offset_;
  }
  return {static_cast<uint32_t>(line_) + 1, static_cast<uint32_t>(offset_ - line_begins_[line_]) + 1};
}

Position TextPlaces::PositionAt(size_t offset) const {
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  return {static_cast<uint32_t>(next - line_begins_.begin()), static_cast<uint32_t>(offset - *(next - 1)) + 1};
}

std::optional<size_t> TextPlaces::Indent(uint32_t line) const {
  const size_t begin = line_begins_[line - 1];
  const size_t content = text_.find_first_not_of(" \t", begin);
  if (content == std::string_view::npos || text_[content] == '\n' || text_[content] == '\r') return std::nullopt;
  return content - begin;
}

LibyamlText::LibyamlText(std::string_view source) : source_(source), text_(source) {
  BlankTabs();
  MarkSurrogates();
}

void LibyamlText::BlankTabs() {
  for (size_t tab = text_.find('\t'); tab != std::string::npos; tab = text_.find('\t', tab + 1)) {
    const size_t content = std::min(text_.find_first_not_of(" \t\r", tab), text_.size());
    const size_t before = text_.find_last_not_of(" \t", tab);
    const bool indents = before == std::string::npos || text_[before] == '\n';
    const bool empty = content == text_.size() || text_[content] == '\n' || text_[content] == '#';
    if (indents && empty)
      std::replace(text_.begin() + static_cast<ptrdiff_t>(tab), text_.begin() + static_cast<ptrdiff_t>(content), '\t',
                   ' ');
    tab = content - 1;
  }
}

void LibyamlText::MarkSurrogates() {
  for (size_t at = text_.find("\\u"); at != std::string::npos; at = text_.find("\\u", at + 2)) {
    const uint32_t high = EscapeAt(text_, at), low = EscapeAt(text_, at + kEscape);
    if (high >> 10 != 0x36 || low >> 10 != 0x37 || IsEscaped(text_, at)) continue;  // 0xd800 and 0xdc00, ten bits each
    AppendUtf8(0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff), &surrogates_.emplace_back(at, "").second);
    text_.replace(at, kMark.size(), kMark);
  }
}

std::string LibyamlText::Restore(std::string_view value, const Extent& extent, bool double_quoted) const {
  if (surrogates_.empty()) return std::string(value);
  const std::string_view mark = double_quoted ? kMarkUnescaped : kMark;
  const auto before = [&](const auto& each) { return each.first < extent.begin; };
  auto next = std::partition_point(surrogates_.begin(), surrogates_.end(), before);
  std::string restored;
  for (; next != surrogates_.end() && next->first < extent.end; ++next) {
    const size_t at = value.find(mark);
    if (at == std::string_view::npos) break;
    restored += value.substr(0, at);
    restored += double_quoted ? next->second : source_.substr(next->first, kMark.size());
    value.remove_prefix(at + mark.size());
  }
  return restored.append(value);
}

std::optional<size_t> LibyamlText::LostTab(const Extent& extent) const {
  for (size_t at = source_.find('\t', extent.begin); at < extent.end; at = source_.find('\t', at + 1)) {
    if (text_[at] != '\t') return at;
  }
  return std::nullopt;
}

YamlEvents::YamlEvents(std::string_view text) : places_(text) {
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

YamlEvents::~YamlEvents() {
  yaml_event_delete(&raw_);
  yaml_parser_delete(&parser_);
}

const YamlEvent* YamlEvents::Next() {
  yaml_event_delete(&raw_);
  if (yaml_parser_parse(&parser_, &raw_) == 0) {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    return nullptr;
  }
  event_ = View(raw_);
  event_.span = {PositionOf(raw_.start_mark), PositionOf(raw_.end_mark)};
  event_.extent = {places_.OffsetOf(event_.span.begin), places_.OffsetOf(event_.span.end)};
  return &event_;
}

YamlProblem YamlEvents::problem() {
  return {parser_.problem == nullptr ? "" : parser_.problem, parser_.context == nullptr ? "" : parser_.context,
          PositionOf(parser_.problem_mark), PositionOf(parser_.context_mark)};
}

void TreeSize::Add(const TreeSize& inner, size_t key_bytes) {
  values += inner.values;
  bytes += inner.bytes + key_bytes;
  depth = std::max(depth, inner.depth + 1);
}

// A value that is too large for an alias, which may be the whole file, is not copied.
bool Anchors::End(const std::string& name, const Value& value, const TreeSize& size) {
  const bool fits = Fits(size, 1);
  marked_[name] = {true, fits ? value : Value(), size};
  if (!fits) return true;
  kept_.Add(size, 0);
  return Fits(kept_, kMaxAnchored) ||
         reporter_.Refuse("G007", value.span, "the anchors up to here mark too many values",
                          "put '&' only before values that an alias repeats");
}

const Anchors::Marked* Anchors::Repeat(std::string_view name, const Span& span) {
  const auto found = marked_.find(std::string(name));
  if (found == marked_.end()) {
    reporter_.Refuse("G006", span, fmt::format("no anchor is named {}", Quote(name)),
                     "an anchor '&name' must come before its alias '*name'");
    return nullptr;
  }
  const Marked& marked = found->second;
  if (!marked.complete) {
    reporter_.Refuse("G007", span, "an alias is inside the value that it repeats", "write the value out");
    return nullptr;
  }
  repeated_.Add(marked.size, 0);
  if (Fits(repeated_, 1)) return &marked;
  const std::string limit = repeated_.values > kMaxRepeated ? fmt::format("{} values", kMaxRepeated)
                                                            : fmt::format("{} bytes", kMaxRepeatedBytes);
  reporter_.Refuse("G007", span, fmt::format("the aliases expand to more than {}", limit),
                   "put large values into a .npy file");
  return nullptr;
}

}  // namespace opsrun::host

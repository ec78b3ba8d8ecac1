// host/yaml/tree_builder.cc: what yaml-cpp's event parser tells, as a Value.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/tree_builder.h"

#include <fmt/core.h>

#include <algorithm>

#include "host/yaml/duplicate_keys.h"
#include "host/yaml/sentences.h"

namespace opsrun::host {
namespace {

constexpr size_t kMaxAliasedValues = 100000;
constexpr size_t kMaxAliasedBytes = size_t{16} << 20;
constexpr size_t kMaxAnchored = 10;  // times as much is kept for aliases that may come: anchors stand within anchors
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

}  // namespace

Position EndOfBlock(const Value& collection) {
  if (!collection.items.empty()) return collection.items.back().span.end;
  if (collection.entries.empty()) return collection.span.begin;
  const Value::Entry& last = collection.entries.back();
  return last.value.kind == Value::Kind::kNull ? last.key_span.end : last.value.span.end;
}

void TreeBuilder::Size::Add(const Size& inner, size_t key_bytes) {
  values += inner.values;
  bytes += inner.bytes + key_bytes;
  depth = std::max(depth, inner.depth + 1);
}

bool TreeBuilder::Size::Fits(size_t times) const {
  return values <= times * kMaxAliasedValues && bytes <= times * kMaxAliasedBytes;
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (complete_) RefuseSecondDocument(PositionOf(mark));
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Value value;
  value.span = NullSpan(PositionOf(mark));
  if (ExpectsKey()) RefuseKey(value.span, "nothing");
  if (IsMissing(value)) RefuseMissingValue();
  Add(std::move(value), {}, anchor);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Span span = SpanFrom(PositionOf(mark));
  if (ExpectsKey()) RefuseKey(span, "an alias");
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    reporter_.Error("G007", span, "an alias stands inside the value that it repeats")
        .help.push_back("write the value out");
    throw Stop();
  }
  CountAliased(found->second.second, span);
  Value value = found->second.first;
  value.span = span;
  Add(std::move(value), found->second.second, YAML::NullAnchor);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.text = text;
  value.quoted = tag == "!";  // any other tag is refused; the value is read as if it had none
  value.span = SpanFrom(PositionOf(mark));
  CheckTag(tag, value.span);
  if (ExpectsKey()) return TakeKey(std::move(value));
  Add(std::move(value), {1, text.size(), 0}, anchor);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value style) {
  Begin(Value::Kind::kList, mark, tag, anchor, style);
}
void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  Begin(Value::Kind::kMap, mark, tag, anchor, style);
}

void TreeBuilder::OnSequenceEnd() {
  Finish();
}

void TreeBuilder::OnMapEnd() {
  const bool section = frames_.size() == 2;
  DropDuplicateKeys(frames_.back().value, section ? frames_.front().key : std::string_view(), reporter_);
  Finish();
}

// Whether a key in '{}' has no value at all, not even a ':' behind it: "{b:1}" has the key "b:1", and
// "{shape: f(2,3)}" the key "3)".
bool TreeBuilder::IsMissing(const Value& null) const {
  if (frames_.empty() || !frames_.back().has_key || !frames_.back().flow) return false;
  const Span& key = frames_.back().key_span;
  const bool empty = null.span.begin.column == key.begin.column && null.span.begin.line == key.begin.line;
  const std::string_view text = reporter_.source().text;
  const size_t behind = text.find_first_not_of(" \t", scanned_.OffsetOf(key.end));
  return empty && (behind == std::string_view::npos || text[behind] != ':');
}

Position TreeBuilder::PositionOf(const YAML::Mark& mark) const {
  return {lines_before_ + static_cast<uint32_t>(mark.line) + 1, static_cast<uint32_t>(mark.column) + 1};
}

Span TreeBuilder::SpanFrom(Position begin) {
  const Extent* extent = scanned_.ExtentFrom(scanned_.OffsetOf(begin), extent_);
  return {begin, extent == nullptr ? begin : scanned_.PositionAt(extent->end, begin.line)};
}

// An empty value has no text: its key stands for it, or the '-' before it. Its mark is that of whatever comes next.
Span TreeBuilder::NullSpan(Position mark) {
  const size_t offset = scanned_.OffsetOf(mark);
  const Extent* extent = scanned_.ExtentFrom(offset, extent_);
  if (extent != nullptr && extent->begin == offset && IsNullText(*extent))
    return {mark, scanned_.PositionAt(extent->end, mark.line)};
  const Frame* frame = frames_.empty() ? nullptr : &frames_.back();
  if (frame != nullptr && frame->has_key) return frame->key_span;
  const bool item = frame != nullptr && frame->value.kind == Value::Kind::kList && !frame->flow;
  if (item) mark = LastDash(frame->value.span.begin, mark);
  return {mark, {mark.line, mark.column + 1}};
}

// The last '-' of a list before a mark: all stand in the column of the first.
Position TreeBuilder::LastDash(Position first, Position mark) const {
  const std::string_view text = reporter_.source().text;
  for (uint32_t line = mark.line; line > first.line; --line) {
    const size_t begin = scanned_.line_begins[line - 1], dash = begin + first.column - 1;
    const bool found = text.find_first_not_of(' ', begin) == dash && text[dash] == '-';
    if (found && dash < scanned_.OffsetOf(mark)) return {line, first.column};
  }
  return first;
}

bool TreeBuilder::IsNullText(const Extent& extent) const {
  const std::string_view text = reporter_.source().text;
  const std::string_view word = text.substr(extent.begin, extent.end - extent.begin);
  return word == "~" || word == "null" || word == "Null" || word == "NULL";
}

bool TreeBuilder::ExpectsKey() const {
  return !frames_.empty() && frames_.back().value.kind == Value::Kind::kMap && !frames_.back().has_key;
}

void TreeBuilder::TakeKey(Value key) {
  Frame& frame = frames_.back();
  frame.has_key = true;
  frame.drop = key.text == "<<" && !key.quoted;
  frame.key = std::move(key.text);
  frame.key_span = key.span;
  if (!frame.drop) return;
  frame.value.incomplete = true;
  Diagnostic& error = reporter_.Error("G008", frame.key_span, "the merge key '<<' is not supported");
  error.help.push_back("write the keys out");
}

void TreeBuilder::Begin(Value::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                        YAML::EmitterStyle::value style) {
  const Position begin = PositionOf(mark);
  const Span span{begin, {begin.line, begin.column + 1}};
  if (ExpectsKey()) RefuseKey(span, kind == Value::Kind::kList ? "a list" : "a map");
  CheckDepth(1, span);
  CheckTag(tag, span);
  Frame frame;
  frame.value.kind = kind;
  frame.value.span = span;
  frame.anchor = anchor;
  frame.flow = style == YAML::EmitterStyle::Flow;
  frames_.push_back(std::move(frame));
}

void TreeBuilder::Finish() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  Span& span = frame.value.span;
  span.end = frame.flow ? SpanFrom(span.begin).end : EndOfBlock(frame.value);
  frame.size.depth = std::max<size_t>(frame.size.depth, 1);
  Add(std::move(frame.value), frame.size, frame.anchor);
}

void TreeBuilder::Add(Value value, const Size& size, YAML::anchor_t anchor) {
  if (++values_ > kMaxValues) RefuseMoreValues(value.span);
  if (anchor != YAML::NullAnchor) Keep(value, size, anchor);
  if (frames_.empty()) {
    root_ = std::move(value);
    complete_ = true;
    return;
  }
  Frame& frame = frames_.back();
  frame.size.Add(size, frame.key.size());
  if (frame.value.kind == Value::Kind::kList) return frame.value.items.push_back(std::move(value));
  if (!frame.drop) frame.value.entries.push_back({std::move(frame.key), frame.key_span, std::move(value)});
  frame.has_key = false;
}

void TreeBuilder::RefuseMoreValues(const Span& span) {
  reporter_.Error("G013", span, fmt::format("the file holds more than {} values", kMaxValues))
      .help.push_back("put large values into a .npy file");
  throw Stop();
}

// For the aliases of this anchor. What no alias may stand for is not copied: it may be the whole file.
void TreeBuilder::Keep(const Value& value, const Size& size, YAML::anchor_t anchor) {
  anchors_[anchor] = {size.Fits(1) ? value : Value(), size};
  if (!size.Fits(1)) return;
  anchored_.Add(size, 0);
  if (anchored_.Fits(kMaxAnchored)) return;
  reporter_.Error("G007", value.span, "the anchors up to here mark too much")
      .help.push_back("put '&' only before what an alias repeats");
  throw Stop();
}

void TreeBuilder::CheckDepth(size_t added, const Span& span) {
  if (frames_.size() + added <= kMaxDepth) return;
  Diagnostic& error =
      reporter_.Error("G005", span, fmt::format("this stands in more than {} levels of lists and maps", kMaxDepth));
  error.help.push_back("nest less deeply");
  throw Stop();
}

void TreeBuilder::CountAliased(const Size& size, const Span& span) {
  CheckDepth(size.depth, span);
  aliased_.Add(size, 0);
  if (aliased_.Fits(1)) return;
  const std::string limit = aliased_.values > kMaxAliasedValues ? fmt::format("{} values", kMaxAliasedValues)
                                                                : fmt::format("{} bytes", kMaxAliasedBytes);
  Diagnostic& error = reporter_.Error("G007", span, fmt::format("the aliases stand for more than {}", limit));
  error.help.push_back("put large values into a .npy file");
  throw Stop();
}

void TreeBuilder::CheckTag(std::string_view tag, const Span& span) {
  if (tag.empty() || tag == "?" || tag == "!") return;
  const bool core = tag.substr(0, kCoreTag.size()) == kCoreTag;
  const std::string shown = core ? fmt::format("!!{}", tag.substr(kCoreTag.size())) : std::string(tag);
  Diagnostic& error = reporter_.Error("G009", span, fmt::format("the tag {} is not supported", Quote(shown)));
  error.help.push_back("remove it; quotes make any value a string");
}

void TreeBuilder::RefuseKey(const Span& span, std::string_view found) {
  Diagnostic& error = reporter_.Error("G012", span, fmt::format("a key must be a text, found {}", found));
  error.help.push_back("put the key in quotes");
  throw Stop();
}

void TreeBuilder::RefuseMissingValue() {
  Frame& frame = frames_.back();
  frame.drop = true;
  frame.value.incomplete = true;
  Diagnostic& error = reporter_.Error("G006", frame.key_span, fmt::format("the key {} has no value", Quote(frame.key)));
  const bool colon = frame.key.find(':') != std::string::npos;
  error.help.push_back(colon ? "put a blank after the ':'"
                             : "write 'key: value', and put a text that holds ',' in quotes");
}

void TreeBuilder::RefuseSecondDocument(Position begin) {
  const Span span{begin, {begin.line, begin.column + 1}};
  const size_t offset = scanned_.OffsetOf(begin);
  const bool marked = std::any_of(scanned_.documents.begin(), scanned_.documents.end(),
                                  [&](size_t marker) { return marker > 0 && marker <= offset; });
  if (marked) {
    reporter_.Error("G010", span, "a second document begins here")
        .help.push_back("a graph file holds one; remove '---' or '...'");
  } else {
    const YamlSentence sentence =
        ExplainYamlError("end of map not found", reporter_.source().Line(begin.line).substr(begin.column - 1));
    reporter_.Error("G006", span, sentence.message).help.push_back(sentence.help);
  }
  throw Stop();
}

}  // namespace opsrun::host

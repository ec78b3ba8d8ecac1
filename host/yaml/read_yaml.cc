// host/yaml/read_yaml.cc: the events of a text as a Value, within limits.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "host/base/text.h"
#include "host/yaml/libyaml.h"

namespace opsrun::host {
namespace {

constexpr size_t kMaxValues = 10'000'000;  // each takes a few hundred bytes
constexpr size_t kMaxDepth = 80;
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";
constexpr std::string_view kBinaryTag = "tag:yaml.org,2002:binary";

Span CharacterBefore(Position place) {
  return {{place.line, place.column - 1}, place};
}

bool IsNullText(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// A list or map without brackets ends with its last element.
Position EndOfBlock(const Value& collection) {
  if (!collection.items.empty()) return collection.items.back().span.end;
  return collection.entries.empty() ? collection.span.begin : collection.entries.back().value.span.end;
}

std::string DefinedTwice(std::string_view section, const std::string& key) {
  const std::string name = Quote(key);
  if (section == "nodes") return fmt::format("node {} is defined twice", name);
  if (section == "feeds") return fmt::format("feed {} is defined twice", name);
  if (section == "outputs") return fmt::format("output {} is defined twice", name);
  return fmt::format("the key {} is given twice", name);
}

bool HasDuplicateKeys(const Value& map) {
  const std::vector<Value::Entry>& entries = map.entries;
  constexpr size_t kFew = 8;  // faster to compare than to put into a table
  if (entries.size() > kFew) {
    std::unordered_set<std::string_view> keys;
    keys.reserve(entries.size());
    return !std::ranges::all_of(entries, [&](const Value::Entry& entry) { return keys.insert(entry.key).second; });
  }
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    if (std::any_of(entries.begin(), entry, [&](const Value::Entry& other) { return other.key == entry->key; }))
      return true;
  }
  return false;
}

// Removes all but the first entry of each key, with an error G103 for each removed one. section: the key of the map in
// the root of the file ("nodes"), or empty for other maps.
void DropDuplicateKeys(Value& map, std::string_view section, Reporter& reporter) {
  if (!HasDuplicateKeys(map)) return;
  std::unordered_map<std::string, Span> first;
  std::erase_if(map.entries, [&](const Value::Entry& entry) {
    const auto [seen, is_new] = first.emplace(entry.key, entry.key_span);
    if (is_new) return false;
    Diagnostic& error = reporter.Error("G103", entry.key_span, DefinedTwice(section, entry.key));
    error.label = "second definition; the checks below use the first";
    error.also.push_back({seen->second, "first definition here"});
    error.help.push_back("remove or rename one of them");
    return true;
  });
}

// Each function that reads something starts at its first event and stops at its last. It returns false if an error was
// reported or libyaml has found a problem.
class TreeReader {
 public:
  TreeReader(const LibyamlText& given, Reporter& reporter)
      : given_(given),
        text_(given.text()),
        reporter_(reporter),
        events_(text_),
        places_(events_.places()),
        anchors_(reporter) {}

  std::optional<Value> Read() {
    Value root;
    const bool read = ReadDocument(root);
    if (event_ == nullptr) ReportSyntaxError(events_.problem(), so_far_, places_, reporter_);
    return read ? std::optional<Value>(std::move(root)) : std::nullopt;
  }

 private:
  bool Next() {
    event_ = events_.Next();
    return event_ != nullptr;
  }

  bool IsEnd() const { return event_->type == YAML_SEQUENCE_END_EVENT || event_->type == YAML_MAPPING_END_EVENT; }

  bool ReadDocument(Value& root) {
    if (!Next() || !Next()) return false;  // the start of the stream and of the document
    if (event_->type == YAML_STREAM_END_EVENT) {
      return reporter_.Refuse("G011", {{1, 1}, {1, 2}}, "the file is empty", "begin with 'opsrun: 1'");
    }
    TreeSize size;
    if (!Next() || !ReadValue(root, size) || !Next() || !Next()) return false;
    return event_->type == YAML_STREAM_END_EVENT ||
           reporter_.Refuse("G010", OneCharacter(event_->span.begin), "a second document begins here",
                            "a graph file has one; remove '---' or '...'");
  }

  bool ReadValue(Value& value, TreeSize& size) {
    if (++values_ > kMaxValues) {
      return reporter_.Refuse("G013", event_->span, fmt::format("the file holds more than {} values", kMaxValues),
                              "put large values into a .npy file");
    }
    return event_->type == YAML_ALIAS_EVENT ? ReadAlias(value, size) : ReadWritten(value, size);
  }

  bool ReadAlias(Value& value, TreeSize& size) {
    const Anchors::Marked* marked = anchors_.Repeat(event_->text, event_->span);
    if (marked == nullptr || !CheckDepth(marked->size.depth, event_->span)) return false;
    value = marked->value;
    value.span = event_->span;
    size = marked->size;
    return true;
  }

  bool ReadWritten(Value& value, TreeSize& size) {
    const std::string anchor(event_->anchor);
    if (!anchor.empty()) anchors_.Begin(anchor);
    if (!(event_->type == YAML_SCALAR_EVENT ? ReadScalar(value, size) : ReadCollection(value, size))) return false;
    return anchor.empty() || anchors_.End(anchor, value, size);
  }

  bool ReadScalar(Value& value, TreeSize& size) {
    value.span = event_->extent.empty() ? OneCharacter(event_->span.begin) : event_->span;
    if (IsBlockText() && !EndBlockText(value.span)) return false;
    const bool binary = event_->tag == kBinaryTag;
    if (!binary) CheckTag(value.span);
    if (!CheckQuote()) return false;
    if (!event_->extent.empty()) so_far_.last_text = value.span;
    if (binary) return ReadBase64(value, size);
    value.quoted = event_->style != YAML_PLAIN_SCALAR_STYLE || event_->tag == "!";
    if (!value.quoted && IsNullText(event_->text)) return true;
    value.kind = Value::Kind::kScalar;
    value.text = given_.Restore(event_->text, event_->extent, event_->style == YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    size.bytes = value.text.size();
    return true;
  }

  // Reads a string of any bytes. After an error, the rest of the file is still read.
  bool ReadBase64(Value& value, TreeSize& size) {
    const Result<std::string> bytes = DecodeBase64(event_->text);
    if (!bytes.ok()) {
      reporter_.Refuse("G014", value.span, bytes.status().message(),
                       "write the bytes of the string in base64, such as !!binary \"/wB6\"");
    }
    value = StringValue(bytes.ok() ? *bytes : std::string(), value.span);
    size.bytes = value.text.size();
    return true;
  }

  bool IsBlockText() const {
    return event_->style == YAML_LITERAL_SCALAR_STYLE || event_->style == YAML_FOLDED_SCALAR_STYLE;
  }

  // The text ends before the empty lines that libyaml includes.
  bool EndBlockText(Span& span) {
    const size_t end = text_.find_last_not_of(" \r\n", event_->extent.end - 1) + 1;
    span.end = places_.PositionAt(end);
    const std::optional<size_t> tab = given_.LostTab({event_->extent.begin, end});
    return !tab || ReportIndentTab(places_.PositionAt(*tab), places_, reporter_);
  }

  bool ReadCollection(Value& value, TreeSize& size) {
    const bool list = event_->type == YAML_SEQUENCE_START_EVENT;
    value.kind = list ? Value::Kind::kList : Value::Kind::kMap;
    value.span = OneCharacter(event_->span.begin);
    size.depth = 1;
    if (!CheckDepth(1, value.span)) return false;
    CheckTag(value.span);
    const bool brackets = OpenBracket();
    ++depth_;
    if (!(list ? ReadItems(value, size) : ReadEntries(value, size, brackets))) return false;
    --depth_;
    value.span.end = brackets ? event_->span.end : EndOfBlock(value);
    if (brackets) so_far_.brackets.pop_back();
    return true;
  }

  bool ReadItems(Value& list, TreeSize& size) {
    while (Next() && !IsEnd()) {
      Value& item = list.items.emplace_back();
      TreeSize item_size;
      const bool empty = event_->extent.empty();
      if (!ReadValue(item, item_size)) return false;
      if (empty && item.kind == Value::Kind::kNull) item.span = CharacterBefore(item.span.begin);  // its '-'
      size.Add(item_size, 0);
    }
    return event_ != nullptr;
  }

  bool ReadEntries(Value& map, TreeSize& size, bool braces) {
    while (Next() && !IsEnd()) {
      if (map.entries.empty() && depth_ > 2) map.entries.reserve(2);
      Value::Entry& entry = map.entries.emplace_back();
      if (!ReadKey(entry)) return false;
      const bool keep = CheckMergeKey(entry) && (!braces || CheckHasValue(entry));
      if (!keep) map.incomplete = true;
      if (depth_ == 1) section_ = entry.key;
      const bool empty = event_->extent.empty();
      TreeSize value_size;
      if (!ReadValue(entry.value, value_size)) return false;
      if (empty && entry.value.kind == Value::Kind::kNull) entry.value.span = entry.key_span;
      size.Add(value_size, entry.key.size());
      if (!keep) map.entries.pop_back();
    }
    if (event_ == nullptr) return false;
    DropDuplicateKeys(map, depth_ == 2 ? std::string_view(section_) : std::string_view(), reporter_);
    return true;
  }

  // Also advances to the value.
  bool ReadKey(Value::Entry& entry) {
    if (event_->type == YAML_ALIAS_EVENT) return ReportKeyOfNoText(event_->span, "an alias", reporter_);
    if (event_->type == YAML_SEQUENCE_START_EVENT)
      return ReportKeyOfNoText(OneCharacter(event_->span.begin), "a list", reporter_);
    if (event_->type == YAML_MAPPING_START_EVENT)
      return ReportKeyOfNoText(OneCharacter(event_->span.begin), "a map", reporter_);
    Value key;
    TreeSize size;
    if (!ReadWritten(key, size)) return false;
    if (key.kind != Value::Kind::kScalar) return ReportKeyOfNoText(key.span, KindText(key), reporter_);
    merge_ = key.text == "<<" && !key.quoted;
    entry.key = std::move(key.text);
    entry.key_span = key.span;
    return Next();
  }

  bool CheckMergeKey(const Value::Entry& entry) {
    return !merge_ ||
           reporter_.Refuse("G008", entry.key_span, "the merge key '<<' is not supported", "write the keys out");
  }

  // Checks that a key in braces has a value or is followed by ':'. For example, "{b:1}" has the key "b:1", and "{shape:
  // f(2,3)}" has the key "3)".
  bool CheckHasValue(const Value::Entry& entry) {
    if (event_->type != YAML_SCALAR_EVENT || !event_->extent.empty()) return true;
    const size_t behind = text_.find_first_not_of(" \t", places_.OffsetOf(entry.key_span.end));
    if (behind != std::string_view::npos && text_[behind] == ':') return true;
    const bool colon = entry.key.find(':') != std::string::npos;
    return reporter_.Refuse(
        "G006", entry.key_span, fmt::format("the key {} has no value", Quote(entry.key)),
        colon ? "put a space after the ':'" : "write 'key: value', and put text that contains ',' in quotes");
  }

  // A quoted text can continue on lines that are indented more than its first line. If a line is not, the closing quote
  // was probably forgotten, and libyaml has read on to the next quote in the file.
  bool CheckQuote() {
    const bool single = event_->style == YAML_SINGLE_QUOTED_SCALAR_STYLE;
    if (event_->span.begin.line == event_->span.end.line) return true;
    if (!single && event_->style != YAML_DOUBLE_QUOTED_SCALAR_STYLE) return true;
    const Position begin = places_.PositionAt(text_.find(single ? '\'' : '"', event_->extent.begin));
    const std::optional<size_t> indent = places_.Indent(begin.line);
    for (uint32_t line = begin.line + 1; line <= event_->span.end.line; ++line) {
      const std::optional<size_t> next = places_.Indent(line);
      if (next && next <= indent) return ReportUnclosedQuote(begin, places_, reporter_);
    }
    return true;
  }

  bool OpenBracket() {
    const size_t last = event_->extent.end - 1;
    const bool opens = !event_->extent.empty() && (text_[last] == '[' || text_[last] == '{');
    if (opens) so_far_.brackets.push_back(last);
    return opens;
  }

  bool CheckDepth(size_t added, const Span& span) {
    return depth_ + added <= kMaxDepth ||
           reporter_.Refuse("G005", span, fmt::format("lists and maps are nested more than {} levels deep", kMaxDepth),
                            "use fewer levels");
  }

  void CheckTag(const Span& span) {
    std::string_view tag = event_->tag;
    if (tag.empty() || tag == "!") return;
    const bool core = tag.substr(0, kCoreTag.size()) == kCoreTag;
    if (core) tag.remove_prefix(kCoreTag.size());
    reporter_.Refuse("G009", span,
                     fmt::format("the tag {} is not supported", Quote(fmt::format("{}{}", core ? "!!" : "", tag))),
                     "remove it; for a string, use quotes");
  }

  const LibyamlText& given_;
  const std::string_view text_;
  Reporter& reporter_;
  YamlEvents events_;
  const TextPlaces& places_;
  Anchors anchors_;
  const YamlEvent* event_ = nullptr;
  ReadSoFar so_far_;
  std::string section_;  // the key in the root that this value belongs to
  bool merge_ = false;   // whether the last key was a merge key
  size_t depth_ = 0;
  size_t values_ = 0;
};

}  // namespace

std::optional<Value> ReadYaml(const SourceFile& source, Diagnostics& diagnostics) {
  Reporter reporter(source, diagnostics);
  if (!CheckCharacters(reporter)) return std::nullopt;
  const LibyamlText given(source.text);
  return TreeReader(given, reporter).Read();
}

}  // namespace opsrun::host

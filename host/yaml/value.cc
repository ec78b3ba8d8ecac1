// host/yaml/value.cc: values, what scalars mean, and their text, which libyaml's emitter writes.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <utility>

#include "host/base/text.h"
#include "host/yaml/libyaml.h"

namespace opsrun::host {
namespace {

constexpr size_t kLongest = 60;

std::string_view Shortened(std::string_view text) {
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && IsContinuationByte(text[end])) --end;
  return text.substr(0, end);
}

bool IsPlain(const Value& value) {
  return value.kind == Value::Kind::kScalar && !value.quoted;
}

// Parses an integer without its sign. signed_text: it had one, which only decimal integers may have.
std::optional<uint64_t> ParseMagnitude(std::string_view text, bool signed_text) {
  const std::string_view prefix = text.substr(0, 2);
  if (prefix == "0x") return signed_text ? std::nullopt : ParseInteger<uint64_t>(text.substr(2), 16);
  if (prefix == "0o") return signed_text ? std::nullopt : ParseInteger<uint64_t>(text.substr(2), 8);
  return ParseInteger<uint64_t>(text);
}

constexpr size_t kLineWidth = 100;
constexpr size_t kSections = 2;  // levels of maps that are never in braces: the sections of a graph and their entries

// Words that some versions of YAML do not read as strings.
constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off"};

bool IsWord(std::string_view text) {
  const auto same = [](char a, char b) { return Lower(a) == b; };
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(), same);
  });
}

// True if every version of YAML reads the text as a string without quotes. Requires: UTF-8.
bool IsPlainString(std::string_view text) {
  if (text.empty() || IsWord(text)) return false;
  const char first = text[0];
  if (!IsLetter(first) && first != '_' && static_cast<unsigned char>(first) < 0x80) return false;
  while (!text.empty()) {
    const Utf8Character character = DecodeUtf8(text);
    if (!IsPrintable(character.code)) return false;
    text.remove_prefix(character.size);
  }
  return true;
}

bool HoldsMaps(const Value& list) {
  return std::any_of(list.items.begin(), list.items.end(), [](const Value& item) {
    return item.kind == Value::Kind::kMap || (item.kind == Value::Kind::kList && HoldsMaps(item));
  });
}

// True if the value takes at most *width characters on a line, which are subtracted from *width.
bool Fits(const Value& value, size_t* width) {
  const auto take = [width](size_t size) { return *width >= size && ((*width -= size), true); };
  if (!take(value.text.size() + 4)) return false;  // quotes or brackets, and the separator
  const auto item_fits = [&](const Value& item) { return Fits(item, width); };
  const auto entry_fits = [&](const Value::Entry& entry) {
    return take(entry.key.size() + 2) && Fits(entry.value, width);
  };
  return std::all_of(value.items.begin(), value.items.end(), item_fits) &&
         std::all_of(value.entries.begin(), value.entries.end(), entry_fits);
}

bool IsInBraces(const Value& value, size_t level) {
  if (value.kind == Value::Kind::kList && !HoldsMaps(value)) return true;
  size_t width = kLineWidth - std::min(2 * level, kLineWidth);
  return level >= kSections && Fits(value, &width);
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t size = DecodeUtf8(text).size;
    valid += size == 0 ? kReplacementCharacter : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return valid;
}

class Writer {
 public:
  Writer() {
    if (yaml_emitter_initialize(&emitter_) == 0) throw std::bad_alloc();
    yaml_emitter_set_output(&emitter_, Append, &text_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, -1);
  }
  Writer(const Writer&) = delete;
  ~Writer() { yaml_emitter_delete(&emitter_); }

  std::string Write(const Value& root) {
    yaml_event_t event;
    Emit(yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), event);
    Emit(yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1), event);
    WriteValue(root, 0);
    Emit(yaml_document_end_event_initialize(&event, 1), event);
    Emit(yaml_stream_end_event_initialize(&event), event);
    return std::move(text_);
  }

 private:
  static int Append(void* text, unsigned char* bytes, size_t size) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  // The emitter takes ownership of the event. The events form a tree, so it fails only if memory runs out.
  void Emit(int made, yaml_event_t& event) {
    if (made == 0 || yaml_emitter_emit(&emitter_, &event) == 0) throw std::bad_alloc();
  }

  // Without a tag, the style determines the type.
  void EmitScalar(const std::string& text, const char* tag, yaml_scalar_style_t style) {
    const auto as_yaml = [](const char* from) { return reinterpret_cast<yaml_char_t*>(const_cast<char*>(from)); };
    const int implicit = tag == nullptr ? 1 : 0;
    yaml_event_t event;
    Emit(yaml_scalar_event_initialize(&event, nullptr, as_yaml(tag), as_yaml(text.data()),
                                      static_cast<int>(text.size()), implicit, implicit, style),
         event);
  }

  void WriteScalar(const std::string& given, bool string) {
    const std::string text = ReplaceInvalidUtf8(given);
    const bool plain = !string || IsPlainString(text);
    EmitScalar(text, nullptr, plain ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  void WriteList(const Value& list, size_t level) {
    const yaml_sequence_style_t style = IsInBraces(list, level) ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
    yaml_event_t event;
    Emit(yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, style), event);
    for (const Value& item : list.items) WriteValue(item, level + 1);
    Emit(yaml_sequence_end_event_initialize(&event), event);
  }

  void WriteMap(const Value& map, size_t level) {
    const yaml_mapping_style_t style = IsInBraces(map, level) ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
    yaml_event_t event;
    Emit(yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, style), event);
    for (const Value::Entry& entry : map.entries) {
      WriteScalar(entry.key, true);
      WriteValue(entry.value, level + 1);
    }
    Emit(yaml_mapping_end_event_initialize(&event), event);
  }

  void WriteValue(const Value& value, size_t level) {
    switch (value.kind) {
      case Value::Kind::kNull:
        return WriteScalar("null", false);
      case Value::Kind::kScalar:
        return WriteScalar(value.text, value.quoted);
      case Value::Kind::kBytes:
        return EmitScalar(EncodeBase64(value.text), "tag:yaml.org,2002:binary", YAML_DOUBLE_QUOTED_SCALAR_STYLE);
      case Value::Kind::kList:
        return WriteList(value, level);
      case Value::Kind::kMap:
        return WriteMap(value, level);
    }
  }

  yaml_emitter_t emitter_;
  std::string text_;
};

}  // namespace

const Value* Value::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::Find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).Find(key));
}

std::string KindText(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kBytes:
      return "bytes";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a map";
    case Value::Kind::kScalar:
      break;
  }
  if (AsBool(value)) return "a boolean";
  if (AsInt(value) || AsUint(value)) return "an integer";
  if (AsFloat(value)) return "a decimal number";
  return "a string";
}

std::string FoundText(const Value& value) {
  return value.kind == Value::Kind::kScalar ? Quote(value.text) : KindText(value);
}

std::string FoundWithKind(const Value& value) {
  return value.kind == Value::Kind::kScalar ? KindText(value) + " " + Quote(value.text) : KindText(value);
}

Value PlainValue(std::string text, const Span& span) {
  return {.kind = Value::Kind::kScalar, .text = std::move(text), .span = span};
}

Value StringValue(std::string text, const Span& span) {
  const Value::Kind kind = IsUtf8(text) ? Value::Kind::kScalar : Value::Kind::kBytes;
  return {.kind = kind, .text = std::move(text), .quoted = true, .span = span};
}

Value ListValue(const Span& span) {
  return {.kind = Value::Kind::kList, .span = span};
}

Value MapValue(const Span& span) {
  return {.kind = Value::Kind::kMap, .span = span};
}

void AddEntry(Value& map, std::string key, Value value) {
  map.entries.push_back({std::move(key), map.span, std::move(value)});
}

std::optional<double> ParseSpecial(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  const bool minus = TakeSign(text);
  if (text != ".inf" && text != ".Inf" && text != ".INF") return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return minus ? -infinity : infinity;
}

std::optional<bool> AsBool(const Value& value) {
  if (!IsPlain(value)) return std::nullopt;
  const std::string& text = value.text;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

std::optional<int64_t> AsInt(const Value& value) {
  if (!IsPlain(value)) return std::nullopt;
  std::string_view text = value.text;
  const bool minus = TakeSign(text);
  const std::optional<uint64_t> magnitude = ParseMagnitude(text, text.size() != value.text.size());
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (minus ? 1 : 0);
  if (!magnitude || *magnitude > limit) return std::nullopt;
  return static_cast<int64_t>(minus ? uint64_t{0} - *magnitude : *magnitude);
}

std::optional<uint64_t> ParseUint(std::string_view text) {
  const size_t size = text.size();
  const bool minus = TakeSign(text);
  const std::optional<uint64_t> magnitude = ParseMagnitude(text, text.size() != size);
  return minus && magnitude != uint64_t{0} ? std::nullopt : magnitude;
}

std::optional<uint64_t> AsUint(const Value& value) {
  return IsPlain(value) ? ParseUint(value.text) : std::nullopt;
}

std::optional<double> AsFloat(const Value& value) {
  if (!IsPlain(value)) return std::nullopt;
  if (IsDecimalText(value.text)) return NearestDouble(value.text);
  if (const std::optional<uint64_t> integer = AsUint(value)) return static_cast<double>(*integer);
  return ParseSpecial(value.text);
}

std::optional<std::string> AsString(const Value& value) {
  if (value.kind != Value::Kind::kScalar) return std::nullopt;
  if (!value.quoted && (AsBool(value) || AsFloat(value))) return std::nullopt;
  return value.text;
}

std::optional<std::string> AsBytes(const Value& value) {
  return value.kind == Value::Kind::kBytes ? value.text : AsString(value);
}

Diagnostic& Reporter::Error(Code code, const Span& where, std::string message) {
  return diagnostics_.Error(code, std::move(message), source_.path, where);
}

ErrorReported Reporter::Refuse(Code code, const Span& where, std::string message, std::string help) {
  Error(code, where, std::move(message)).help.push_back(std::move(help));
  return {};
}

std::string Quote(std::string_view text) {
  const std::string_view shown = Shortened(text);
  std::string quoted = "'";
  for (const char c : shown) {
    const unsigned char byte = static_cast<unsigned char>(c);
    quoted += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return quoted + (shown.size() < text.size() ? "...'" : "'");
}

std::string WriteYaml(const Value& root) {
  return Writer().Write(root);
}

}  // namespace opsrun::host

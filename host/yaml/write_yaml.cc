// host/yaml/write_yaml.cc: the text of a value, which libyaml's emitter writes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "host/base/text.h"
#include "host/yaml/libyaml.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

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

// A word that every version of YAML reads as written, as a string if `string`.
bool IsSimple(std::string_view word, bool string) {
  const auto is_simple = [](char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '.'; };
  if (word.empty() || word.size() >= kLineWidth || !std::all_of(word.begin(), word.end(), is_simple)) return false;
  return !string || !(IsDigit(word[0]) || word[0] == '.' || IsWord(word));
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

  // section, further: see WriteYaml.
  std::string Write(const Value& root, const Value* section = nullptr, const FurtherEntries* further = nullptr) {
    section_ = section;
    further_ = further;
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
    const bool valid = IsUtf8(given);
    const std::string replaced = valid ? "" : ReplaceInvalidUtf8(given);
    const std::string& text = valid ? given : replaced;
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
    for (const Value::Entry& entry : map.entries) WriteEntry(entry, level + 1);
    if (&map == section_) WriteFurther(map.entries.size());
    Emit(yaml_mapping_end_event_initialize(&event), event);
  }

  // Most entries are simple. libyaml, which writes a line break before the next key, need not know about them. But it
  // looks three events ahead at the beginning of a map, so has not written the first entries yet.
  void WriteFurther(size_t written) {
    for (size_t i = 0; i < further_->count; ++i) {
      const EntryLine line = further_->line(i);
      if (written + i >= 2 && line.simple()) {
        if (yaml_emitter_flush(&emitter_) == 0) throw std::bad_alloc();
        text_.append("\n  ").append(line.text());
      } else {
        WriteEntry(further_->entry(i), kSections);
      }
    }
  }

  void WriteEntry(const Value::Entry& entry, size_t level) {
    WriteScalar(entry.key, true);
    WriteValue(entry.value, level);
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
  const Value* section_ = nullptr;
  const FurtherEntries* further_ = nullptr;
};

}  // namespace

std::string WriteYaml(const Value& root) {
  return Writer().Write(root);
}

std::string WriteYaml(const Value& root, std::string_view section, const FurtherEntries& further) {
  return Writer().Write(root, root.Find(section), &further);
}

// Counts characters as Fits does.

EntryLine::EntryLine(std::string_view key) : width_(kLineWidth - 2 * kSections) {
  text_.reserve(kLineWidth);
  Append(key, true);
  text_ += ": ";
}

void EntryLine::Take(size_t width) {
  simple_ = simple_ && width <= width_;
  if (simple_) width_ -= width;
}

void EntryLine::Separate() {
  if (!first_) text_ += ", ";
  first_ = false;
}

void EntryLine::Append(std::string_view word, bool string) {
  simple_ = simple_ && IsSimple(word, string);
  if (simple_) text_ += word;
}

void EntryLine::Open(char bracket) {
  Separate();
  Take(4);
  text_ += bracket;
  first_ = true;
}

void EntryLine::Close(char bracket) {
  text_ += bracket;
  first_ = false;
}

void EntryLine::Key(std::string_view key) {
  Separate();
  Take(key.size() + 2);
  Append(key, true);
  text_ += ": ";
  first_ = true;
}

void EntryLine::Word(std::string_view word) {
  Separate();
  Take(word.size() + 4);
  Append(word, true);
}

void EntryLine::Add(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kScalar:
      Separate();
      Take(value.text.size() + 4);
      return Append(value.text, value.quoted);
    case Value::Kind::kList:
      Open('[');
      for (const Value& item : value.items) Add(item);
      return Close(']');
    case Value::Kind::kMap:
      Open('{');
      for (const Value::Entry& entry : value.entries) {
        Key(entry.key);
        Add(entry.value);
      }
      return Close('}');
    default:
      simple_ = false;
  }
}

}  // namespace opsrun::host

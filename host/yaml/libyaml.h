// host/yaml/libyaml.h: parses a text with libyaml, and does what libyaml leaves to its users: locations in bytes,
// characters that it should accept, limits of aliases, and errors that an author understands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/yaml/value.h"

namespace opsrun::host {

// Byte offsets, [begin, end).
struct Extent {
  size_t begin = 0;
  size_t end = 0;
  bool empty() const { return begin == end; }
};

inline Span OneCharacter(Position place) {
  return {place, {place.line, place.column + 1}};
}

class TextPlaces {
 public:
  // Requires: text is UTF-8, and outlives this object.
  explicit TextPlaces(std::string_view text);

  std::string_view text() const { return text_; }
  size_t lines() const { return line_begins_.size(); }

  // line and characters are counted from 0; the column of the result counts bytes from 1. Fast if each location is
  // close to the previous one.
  Position PositionOf(size_t line, size_t characters);

  Position PositionAt(size_t offset) const;

  // Requires: a location in the text.
  size_t OffsetOf(Position place) const { return line_begins_[place.line - 1] + place.column - 1; }

  // The number of leading spaces and tabs of a line, which is counted from 1; nothing if the line has nothing else.
  std::optional<size_t> Indent(uint32_t line) const;

 private:
  std::string_view text_;
  std::vector<size_t> line_begins_;
  size_t line_ = 0;  // the last location: its line, characters and offset
  size_t characters_ = 0;
  size_t offset_ = 0;
};

// A text of the same length that libyaml accepts, so that locations are the same.
//
// libyaml 0.2.5 refuses tabs in empty lines and before comments, which become spaces, and characters that JSON writes
// as two escapes, "\ud83d\ude00", which are replaced by marks.
class LibyamlText {
 public:
  // source must outlive this object.
  explicit LibyamlText(std::string_view source);

  const std::string& text() const { return text_; }

  // The value of the scalar at `extent`, for which libyaml returned `value`.
  std::string Restore(std::string_view value, const Extent& extent, bool double_quoted) const;

  // The offset of the first tab in `extent` that became a space.
  std::optional<size_t> LostTab(const Extent& extent) const;

 private:
  void BlankTabs();
  void MarkSurrogates();

  std::string_view source_;
  std::string text_;
  std::vector<std::pair<size_t, std::string>> surrogates_;  // offset; the character, in UTF-8
};

// Checks that the text is UTF-8 without forbidden characters. On failure, adds an error G001 at the first invalid byte
// or control character that YAML does not allow, and returns false.
bool CheckCharacters(Reporter& reporter);

// True if a text may contain the character without an escape. Line feeds and tabs are also allowed.
bool IsPrintable(uint32_t code);

struct YamlEvent {
  yaml_event_type_t type = YAML_NO_EVENT;
  yaml_scalar_style_t style = YAML_ANY_SCALAR_STYLE;
  std::string_view text;    // of a scalar, unescaped; the name of an alias
  std::string_view anchor;  // empty: none
  std::string_view tag;     // in full, "tag:yaml.org,2002:str"; empty: none
  Span span;                // includes anchor and tag; for a list or map, only its beginning
  Extent extent;
};

// Why a text is not YAML, in libyaml's words.
struct YamlProblem {
  std::string_view problem;
  std::string_view context;  // "while scanning a quoted scalar"; may be empty
  Position place;
  Position context_place;
};

class YamlEvents {
 public:
  // Requires: CheckCharacters accepts the text, which must outlive this object.
  explicit YamlEvents(std::string_view text);
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;
  ~YamlEvents();

  // The next event, valid until the next call; null if there is a problem. Throws std::bad_alloc if memory runs out.
  const YamlEvent* Next();

  // Requires: Next has returned null.
  YamlProblem problem();

  const TextPlaces& places() const { return places_; }

 private:
  Position PositionOf(const yaml_mark_t& mark) { return places_.PositionOf(mark.line, mark.column); }

  TextPlaces places_;
  yaml_parser_t parser_{};
  yaml_event_t raw_{};
  YamlEvent event_;
};

// Explanations of libyaml's errors for the author of the file.

// The parser's state before the problem.
struct ReadSoFar {
  std::vector<size_t> brackets;  // offsets of the open ones
  Span last_text;
};

// Adds an error G002 to G012.
void ReportSyntaxError(const YamlProblem& problem, const ReadSoFar& before, const TextPlaces& places,
                       Reporter& reporter);

// The following functions return false.

// Adds an error G012: "found a list".
bool ReportKeyOfNoText(const Span& key, std::string_view found, Reporter& reporter);

// Adds an error G002.
bool ReportIndentTab(Position tab, const TextPlaces& places, Reporter& reporter);

// Adds an error G003.
bool ReportUnclosedQuote(Position quote, const TextPlaces& places, Reporter& reporter);

// Values that aliases refer to, with limits.

// The size of a value with everything in it.
struct TreeSize {
  size_t values = 1;
  size_t bytes = 0;  // of texts and keys
  size_t depth = 0;

  void Add(const TreeSize& inner, size_t key_bytes);
};

// Functions that fail have reported an error.
class Anchors {
 public:
  struct Marked {
    bool complete = false;
    Value value;
    TreeSize size;
  };

  // The reporter must outlive this object.
  explicit Anchors(Reporter& reporter) : reporter_(reporter) {}

  // The value with this anchor begins. Aliases in it cannot refer to it.
  void Begin(const std::string& name) { marked_[name] = {}; }

  // Keeps a copy of the value. Requires: Begin.
  bool End(const std::string& name, const Value& value, const TreeSize& size);

  // The value that the alias at `span` refers to; null if it is not available.
  const Marked* Repeat(std::string_view name, const Span& span);

 private:
  Reporter& reporter_;
  std::unordered_map<std::string, Marked> marked_;
  TreeSize kept_{0};
  TreeSize repeated_{0};
};

}  // namespace opsrun::host

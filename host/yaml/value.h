// host/yaml/value.h: YAML as a tree of values, each with its location; read from a text and written as one.
//
// Supports YAML 1.2 scalars, and anchors and aliases within limits. Errors, with their lines, are: duplicate keys,
// unclosed quotes, merge keys, more than 80 levels, more than 100,000 values or 16 MiB of text from aliases, tabs as
// indentation, bytes that are not UTF-8, and several documents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

struct Value {
  enum class Kind { kNull, kScalar, kBytes, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text;     // of a scalar, unescaped; or bytes: a string that is not UTF-8
  bool quoted = false;  // a quoted or block scalar is always a string, and so are bytes
  std::vector<Value> items;
  std::vector<Entry> entries;  // in the order written
  bool incomplete = false;     // of a map: an entry was refused, so do not report missing keys
  Span span;

  const Value* Find(std::string_view key) const;  // of a map; null if not found
  Value* Find(std::string_view key);
};

struct Value::Entry {
  std::string key;
  Span key_span;
  Value value;
};

// "a map", "a list", "a string", "an integer", "a decimal number", "bytes", "nothing" ...: for messages.
std::string KindText(const Value& value);

// A scalar's text in quotes, or the kind; FoundWithKind gives both: "an integer '7'".
std::string FoundText(const Value& value);
std::string FoundWithKind(const Value& value);

// Values that are not parsed from text.
Value PlainValue(std::string text, const Span& span = {});   // a number or a boolean
Value StringValue(std::string text, const Span& span = {});  // always a string; bytes if not UTF-8
Value ListValue(const Span& span = {});
Value MapValue(const Span& span = {});
void AddEntry(Value& map, std::string key, Value value);

// What scalars mean in YAML 1.2. Each returns nothing if the value is not such a scalar. Quoted scalars are always
// strings.
std::optional<bool> AsBool(const Value& value);           // true, True, TRUE, false, False, FALSE
std::optional<int64_t> AsInt(const Value& value);         // decimal, 0x, 0o; must fit int64
std::optional<uint64_t> AsUint(const Value& value);       // the same up to 2^64 - 1
std::optional<double> AsFloat(const Value& value);        // also .inf, -.inf, .nan, and integers
std::optional<std::string> AsString(const Value& value);  // quoted, or plain and none of the above
std::optional<std::string> AsBytes(const Value& value);   // a string, or bytes that are not text

// The text of what AsString accepts; otherwise null.
const std::string* FindText(const Value& value);

// Parse plain text: an integer as AsUint reads it; .inf, -.inf and .nan.
std::optional<uint64_t> ParseUint(std::string_view text);
std::optional<double> ParseSpecial(std::string_view text);

// Returns the document, or nothing and at least one error (G0xx) in `diagnostics`. After a duplicate key (G103), a
// merge key or a tag, the rest is still read; the first of duplicate keys is kept.
std::optional<Value> ReadYaml(const SourceFile& source, Diagnostics& diagnostics);

// The text for `root`, a map; parsing it gives an equal value. Its entries and theirs are written on separate lines.
// Deeper values are written in braces and brackets if they fit on a line; so are all lists of numbers or strings. Keys
// and scalars that are `quoted` are strings, and get quotes if some version of YAML would otherwise read them as
// something else. Bytes become !!binary; bytes of a key that are not UTF-8 become U+FFFD. Ignores locations.
std::string WriteYaml(const Value& root);

// The text of an entry of a section, "n7: {op: Add, in: [a, b]}", made without a value. Simple means that it fits on a
// line and consists of words that need no quotes; then WriteYaml would write the same.
class EntryLine {
 public:
  explicit EntryLine(std::string_view key);

  // Parts in order. Keys and words are strings; a value within may be any.
  void Open(char bracket);
  void Close(char bracket);
  void Key(std::string_view key);
  void Word(std::string_view word);
  void Add(const Value& value);

  bool simple() const { return simple_; }
  const std::string& text() const { return text_; }

 private:
  void Separate();
  void Append(std::string_view word, bool string);
  void Take(size_t width);

  std::string text_;
  size_t width_;
  bool simple_ = true;
  bool first_ = true;  // in the innermost brackets
};

// Entries that exist one at a time.
struct FurtherEntries {
  size_t count = 0;
  std::function<EntryLine(size_t)> line;
  std::function<Value::Entry(size_t)> entry;  // if the line is not simple
};

// The same with further entries at the end of the map `section` of `root`.
std::string WriteYaml(const Value& root, std::string_view section, const FurtherEntries& further);

// Diagnostics about one file.
class Reporter {
 public:
  // Both must outlive the reporter.
  Reporter(const SourceFile& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  // Adds an error at `where`. Use the reference to fill in the rest; it is valid until the next call.
  Diagnostic& Error(Code code, const Span& where, std::string message);

  // Adds an error with one help line.
  ErrorReported Refuse(Code code, const Span& where, std::string message, std::string help);

  const SourceFile& source() const { return source_; }

 private:
  const SourceFile& source_;
  Diagnostics& diagnostics_;
};

// For messages: the text in single quotes. Control characters are written as "\x1b"; text that is too long for a line
// ends in "...".
std::string Quote(std::string_view text);

}  // namespace opsrun::host

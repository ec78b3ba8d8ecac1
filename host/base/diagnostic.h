// host/base/diagnostic.h: a message for the person who wrote a graph, with its place.
//
// Rooms make diagnostics, the command line prints them. A diagnostic is data: the same one becomes a picture with a
// caret, one line for an editor, or a JSON object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/codes.h"

namespace opsrun::host {

// A text file that was read, as its diagnostics show it. path is as the user wrote it.
struct SourceFile {
  std::string path;
  std::string text;
};

// From 1. column counts bytes.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

// [begin, end). line 0: nowhere in particular.
struct Span {
  Position begin;
  Position end;
  bool known() const { return begin.line != 0; }
};

struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  enum class Severity { kError, kWarning };

  Severity severity = Severity::kError;
  Code code;
  std::string message;             // a sentence without a full stop; holds the offending text: "no op named 'ZeroOt'"
  std::string file;                // path of the file that `where` and `also` are in; empty: no place
  Span where;                      // the primary place: where the graph asks
  std::string label;               // said under the caret: "unknown op"; may be empty
  std::vector<Label> also;         // further places in the same file: "first definition here"
  std::vector<std::string> help;   // what to do; the first one is appended to the sentence in the short format
  std::vector<std::string> notes;  // what else there is to know
  std::string suggestion;          // what may be meant instead of the text at `where`; empty: nothing is near
};

// An error without a place. help may be empty.
Diagnostic MakeError(Code code, std::string message, std::string help = {});

// Adds DidYouMean as a help and, if one of `names` is near, the nearest as the suggestion. before: what stands before
// the word in the text at d.where, such as "node." of an output.
void SuggestName(Diagnostic& d, std::string_view word, const std::vector<std::string>& names, std::string_view what,
                 std::string_view before = "");

// All that was found wrong in one run.
class Diagnostics {
 public:
  // Adds an error; fill in more through the reference, which the next call makes invalid.
  Diagnostic& Error(Code code, std::string message);
  // The same for a warning, which is an error once warnings are refused.
  Diagnostic& Warning(Code code, std::string message);
  void RefuseWarnings() { refuse_warnings_ = true; }

  bool has_errors() const;
  const std::vector<Diagnostic>& all() const { return all_; }
  std::vector<Diagnostic>& all() { return all_; }

 private:
  std::vector<Diagnostic> all_;
  bool refuse_warnings_ = false;
};

// Of the errors; the graph's own mistakes win. kExitOk without errors.
ExitStatus ExitCode(const Diagnostics& diagnostics);

}  // namespace opsrun::host

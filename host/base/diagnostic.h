// host/base/diagnostic.h: a message for the author of a graph, with its location.
//
// The libraries of the host create diagnostics, and the command line prints them. A diagnostic is data: it can be
// printed as a source line with carets, as one line for an editor, or as a JSON object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/codes.h"

namespace opsrun::host {

// A text file that was read, kept to show diagnostics. `path` is as the user wrote it.
struct SourceFile {
  std::string path;
  std::string text;
};

// Counted from 1. Columns count bytes.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

// [begin, end). If the line is 0, the location is unknown.
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
  std::string file;                // the file that contains `where` and `also`; empty: no location
  Span where;                      // the primary location
  std::string label;               // text under the caret: "unknown op"; may be empty
  std::vector<Label> also;         // further locations in the same file: "first definition here"
  std::vector<std::string> help;   // what to do; the first one is appended to the sentence in the short format
  std::vector<std::string> notes;  // further information
  std::string suggestion;          // likely replacement for the text at `where`; empty if no name is similar
};

// An error without a location; help may be empty.
Diagnostic MakeError(Code code, std::string message, std::string help = {});

// Adds DidYouMean as a help line. If one of `names` is similar, the most similar one becomes the suggestion. before:
// the text in front of the word at d.where, such as "node." of an output.
void SuggestName(Diagnostic& d, std::string_view word, const std::vector<std::string>& names, std::string_view what,
                 std::string_view before = "");

// What a function returns after it has reported an error: false, or nothing.
struct ErrorReported {
  template <std::same_as<bool> T>
  operator T() const {  // NOLINT(google-explicit-constructor): return reporter.Refuse(..);
    return false;
  }
  template <typename T>
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return std::nullopt;
  }
};

// All diagnostics of one run.
class Diagnostics {
 public:
  // Adds an error. Use the reference to fill in the rest; it is valid until the next call.
  Diagnostic& Error(Code code, std::string message);
  Diagnostic& Error(Code code, std::string message, const std::string& file, const Span& where);
  // Adds a warning, or an error after RefuseWarnings.
  Diagnostic& Warning(Code code, std::string message);
  void RefuseWarnings() { refuse_warnings_ = true; }

  // Sorts by location; diagnostics without one come last.
  void Sort();
  // Drops diagnostics with the code, message and location of an earlier one.
  void DropRepeated();

  bool has_errors() const;
  const std::vector<Diagnostic>& all() const { return all_; }
  std::vector<Diagnostic>& all() { return all_; }

 private:
  std::vector<Diagnostic> all_;
  bool refuse_warnings_ = false;
};

// The exit status for the errors; errors of the graph have priority. kExitOk if there are no errors.
ExitStatus ExitCode(const Diagnostics& diagnostics);

// Why something is not used, and how to fix it. Both are sentences without a full stop.
struct Refusal {
  std::string reason;
  std::string remedy;
  bool out_of_memory = false;  // the only problem is a lack of memory
};

// The refusal for a failed system call: "`what`: too many open files", with a remedy. error: an errno.
Refusal RefusedBySystem(std::string_view what, int error);

}  // namespace opsrun::host

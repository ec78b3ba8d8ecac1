// host/yaml/reporter.h: diagnostics about one file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/yaml/text_places.h"
#include "host/yaml/yaml_events.h"

namespace opsrun::host {

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

}  // namespace opsrun::host

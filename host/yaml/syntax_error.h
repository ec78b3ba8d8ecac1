// host/yaml/syntax_error.h: explains errors of libyaml to the author of the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "host/yaml/reporter.h"
#include "host/yaml/text_places.h"
#include "host/yaml/yaml_events.h"

namespace opsrun::host {

// The state of the parser before the problem.
struct ReadSoFar {
  std::vector<size_t> brackets;  // offsets of the open ones
  Span last_text;
};

// Adds an error G002 to G012.
void ReportSyntaxError(const YamlProblem& problem, const ReadSoFar& before, const TextPlaces& places,
                       Reporter& reporter);

// Each of the others returns false.

// Adds an error G012: "found a list".
bool ReportKeyOfNoText(const Span& key, std::string_view found, Reporter& reporter);

// Adds an error G002.
bool ReportIndentTab(Position tab, const TextPlaces& places, Reporter& reporter);

// Adds an error G003.
bool ReportUnclosedQuote(Position quote, const TextPlaces& places, Reporter& reporter);

}  // namespace opsrun::host

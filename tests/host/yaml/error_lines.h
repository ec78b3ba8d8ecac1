// tests/host/yaml/error_lines.h: errors as lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

using Lines = std::vector<std::string>;

// "3:5-9", with the end's line where it is another one: "3:5-4:2".
inline std::string PlaceText(const Span& span) {
  std::string text = std::to_string(span.begin.line) + ":" + std::to_string(span.begin.column) + "-";
  if (span.end.line != span.begin.line) text += std::to_string(span.end.line) + ":";
  return text + std::to_string(span.end.column);
}

// "3:5-9 G102, 4:1-2 G103": where the errors are. Their words are in tests/graphs.
inline std::string PlacesOf(const Diagnostics& diagnostics) {
  std::string places;
  for (const Diagnostic& error : diagnostics.all())
    places += (places.empty() ? "" : ", ") + PlaceText(error.where) + " " + std::string(error.code.text());
  return places;
}

// "3:5-9 G102 unknown key 'devcie' in a node; did you mean 'device'?": the place and what the short format says.
inline Lines ErrorLines(const Diagnostics& diagnostics) {
  Lines lines;
  for (const Diagnostic& error : diagnostics.all()) {
    std::string line = PlaceText(error.where) + " " + std::string(error.code.text()) + " " + error.message;
    if (!error.help.empty()) line += "; " + error.help[0];
    lines.push_back(line);
  }
  return lines;
}

}  // namespace opsrun::host

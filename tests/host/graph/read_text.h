// tests/host/graph/read_text.h: a graph from a text, and its errors as lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/graph/read_graph.h"

namespace opsrun::host {

struct ReadText {
  explicit ReadText(std::string text)
      : graph(ReadGraph(std::make_shared<const SourceFile>(SourceFile{"g.yaml", std::move(text)}), diagnostics)) {}

  // "3:5-9 G102 unknown key 'devcie' in a node; did you mean 'device'?": the place, its end (with its line where it is
  // another one), and what the short format says.
  std::vector<std::string> Errors() const {
    std::vector<std::string> lines;
    for (const Diagnostic& error : diagnostics.all()) {
      std::string line = Place(error.where) + " " + error.code + " " + error.message;
      if (!error.help.empty()) line += "; " + error.help[0];
      lines.push_back(line);
    }
    return lines;
  }

  static std::string Place(const Span& span) {
    std::string text = std::to_string(span.begin.line) + ":" + std::to_string(span.begin.column) + "-";
    if (span.end.line != span.begin.line) text += std::to_string(span.end.line) + ":";
    return text + std::to_string(span.end.column);
  }

  Diagnostics diagnostics;
  std::optional<Graph> graph;
};

using Lines = std::vector<std::string>;

}  // namespace opsrun::host

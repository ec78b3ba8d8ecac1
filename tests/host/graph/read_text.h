// tests/host/graph/read_text.h: a graph from a text, and its errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/graph/read_graph.h"
#include "tests/host/yaml/error_lines.h"

namespace opsrun::host {

struct ReadGraphText {
  explicit ReadGraphText(std::string text)
      : graph(ReadGraph(std::make_shared<const SourceFile>(SourceFile{"g.yaml", std::move(text)}), diagnostics)) {}

  Lines Errors() const { return ErrorLines(diagnostics); }
  std::string Places() const { return PlacesOf(diagnostics); }

  Diagnostics diagnostics;
  std::optional<Graph> graph;
};

// A part of a graph, and its error.
struct TextAndError {
  std::string text;
  std::string error;
};

// `begin`, the text and a line feed are a graph with errors at these places; their words are in tests/graphs.
inline void ExpectPlaces(const std::string& begin, const std::vector<TextAndError>& rows) {
  for (const TextAndError& row : rows)
    EXPECT_EQ(ReadGraphText(begin + row.text + "\n").Places(), row.error) << row.text;
}

// The same with one error, and its words.
inline void ExpectErrors(const std::string& begin, const std::vector<TextAndError>& rows) {
  for (const TextAndError& row : rows)
    EXPECT_EQ(ReadGraphText(begin + row.text + "\n").Errors(), Lines{row.error}) << row.text;
}

}  // namespace opsrun::host

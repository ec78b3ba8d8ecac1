// tests/host/graph/read_text.h: a graph from a text, and its errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/graph/read_graph.h"
#include "tests/host/yaml/error_lines.h"

namespace opsrun::host {

struct ReadText {
  explicit ReadText(std::string text)
      : graph(ReadGraph(std::make_shared<const SourceFile>(SourceFile{"g.yaml", std::move(text)}), diagnostics)) {}

  Lines Errors() const { return ErrorLines(diagnostics); }

  Diagnostics diagnostics;
  std::optional<Graph> graph;
};

}  // namespace opsrun::host

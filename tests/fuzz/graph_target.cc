// tests/fuzz/graph_target.cc: a text to a graph or to messages, in every format that messages have.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "host/graph/read_graph.h"
#include "host/show/render_diagnostics.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

void CheckPlaces(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    Require(!d.message.empty() && !d.code.empty(), "a message says something and has a code");
    Require(d.where.known() && d.where.begin.column > 0, "a message about a text has its place");
    Require(!d.help.empty(), "a message says what to do");
  }
}

// Whoever asks for a tensor of gigabytes gets it, if the machine has them: no mistake, but no test either.
bool FillsMuch(std::string_view text) {
  if (text.find("fill") == std::string_view::npos) return false;
  for (size_t at = text.find("shape"); at != std::string_view::npos; at = text.find("shape", at + 1)) {
    const std::string_view shape = text.substr(at, text.find(']', at) - at);
    if (std::count_if(shape.begin(), shape.end(), [](char c) { return c >= '0' && c <= '9'; }) > 6) return true;
  }
  return false;
}

void Eat(std::string_view bytes) {
  if (FillsMuch(bytes)) return;
  const auto source = std::make_shared<const SourceFile>(SourceFile{"graph.yaml", std::string(bytes)});
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ReadGraph(source, diagnostics);
  Require(graph || diagnostics.has_errors(), "there is a graph or an error");
  CheckPlaces(diagnostics);
  for (ErrorFormat format : {ErrorFormat::kHuman, ErrorFormat::kShort, ErrorFormat::kJson})
    RenderDiagnostics(diagnostics, source.get(), {format, true});
}

std::vector<std::string> Seeds() {
  return Corpus("graph", FilesIn(OPSRUN_GRAPHS, ".yaml"));
}

std::vector<std::string> Words() {
  return {"opsrun: 1\n",  "feeds:\n",  "nodes:\n", "outputs:\n", "{value: [1, 2]}",
          "fill: ",       "shape: [",  "dtype: ",  "complex64",  "bfloat16",
          "int8",         "npy: ",     "op: ",     "in: ",       "attrs: ",
          "after: ",      "from: ",    "print: ",  "&a ",        "*a",
          "<<: ",         "!!binary ", "---\n",    "...\n",      "%YAML 1.2",
          "|2\n",         ">-\n",      "? ",       "- ",         "9223372036854775808",
          "-1",           "1e999",     ".nan",     "0x",         "1+2j",
          "\xEF\xBB\xBF", "\xC2\x85",  "\t",       "\r\n",       "\\x",
          "\"",           "'",         "# ",       "[[[[[[[[",   "]]]]]]]]",
          "{{{{",         "}}}}"};
}

}  // namespace

const Target kGraph = {"graph", Eat, Seeds, Words};

}  // namespace opsrun::fuzz

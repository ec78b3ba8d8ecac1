// tests/fuzz/graph_target.cc: parses a graph, and formats the messages in every format.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "host/graph/read_graph.h"
#include "host/graph/tensor_value.h"
#include "host/show/render_diagnostics.h"
#include "host/tensor/print.h"
#include "host/yaml/read_yaml.h"
#include "host/yaml/write_yaml.h"
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

// Excludes graphs with tensors of gigabytes: they are valid, but useless as tests.
bool FillsMuch(std::string_view text) {
  if (text.find("fill") == std::string_view::npos) return false;
  for (size_t at = text.find("shape"); at != std::string_view::npos; at = text.find("shape", at + 1)) {
    const std::string_view shape = text.substr(at, text.find(']', at) - at);
    if (std::count_if(shape.begin(), shape.end(), [](char c) { return c >= '0' && c <= '9'; }) > 6) return true;
  }
  return false;
}

// opsrun writes any tensor of a graph so that it can read it again. The printed form is equal; the bits of NaNs may
// differ.
void CheckRoundTrip(const Tensor& tensor) {
  Value map = MapValue();
  AddEntry(map, "value", ElementsValue(tensor));
  const SourceFile source{"written.yaml", WriteYaml(map)};
  Diagnostics diagnostics;
  const std::optional<Value> root = ReadYaml(source, diagnostics);
  Require(root.has_value(), "what is written is YAML");
  Reporter reporter(source, diagnostics);
  const std::optional<Tensor> again = ReadTensorValue(root->entries[0].value, tensor.dtype(), reporter);
  Require(again && again->shape() == tensor.shape(), "what is written can be read");
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    Require(ElementText(tensor, i) == ElementText(*again, i), "and is the same");
  }
}

void Eat(std::string_view bytes) {
  if (FillsMuch(bytes)) return;
  const auto source = std::make_shared<const SourceFile>(SourceFile{"graph.yaml", std::string(bytes)});
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ReadGraph(source, diagnostics);
  Require(graph || diagnostics.has_errors(), "there is a graph or an error");
  CheckPlaces(diagnostics);
  for (const Feed& feed : graph ? graph->feeds : std::vector<Feed>()) {
    if (feed.source == Feed::Source::kValue) CheckRoundTrip(feed.value);
  }
  for (ErrorFormat format : {ErrorFormat::kHuman, ErrorFormat::kShort, ErrorFormat::kJson})
    RenderDiagnostics(diagnostics, source.get(), {format, true});
}

std::vector<std::string> Seeds() {
  return ContentsOf(FilesIn(OPSRUN_GRAPHS, ".yaml"));
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
          "{{{{",         "}}}}",      "/wB6",     "1_000",      "yes",
          "nanj",         "+.nanj",    "0b1",      "None",       "null"};
}

}  // namespace

const Target kGraph = {"graph", Eat, Seeds, Words};

}  // namespace opsrun::fuzz

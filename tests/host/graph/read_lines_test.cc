// tests/host/graph/read_lines_test.cc: graphs whose nodes are read line by line are those that YAML has, with the same
// places, and so are the errors.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "host/graph/read_graph.h"
#include "host/yaml/simple_lines.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

std::string Dump(const Span& span) {
  return fmt::format("@{}.{}-{}.{} ", span.begin.line, span.begin.column, span.end.line, span.end.column);
}

std::string Dump(const Located<std::string>& text) {
  return text.value + Dump(text.span);
}

std::string Dump(const Rare<Located<std::string>>& text) {
  return text ? Dump(*text) : "-";
}

std::string Dump(const Value& value) {
  std::string text =
      fmt::format("{} {} {} ", static_cast<int>(value.kind), value.text, value.quoted) + Dump(value.span);
  for (const Value& item : value.items) text += Dump(item);
  for (const Value::Entry& entry : value.entries) text += entry.key + Dump(entry.key_span) + Dump(entry.value);
  return text;
}

std::string Dump(const Reference& reference) {
  return ReferenceText(reference) + Dump(reference.span);
}

std::string Dump(const Node& node) {
  std::string text = Dump(node.name) + Dump(node.op) + Dump(node.inputs_span) + Dump(node.span) + Dump(node.label) +
                     Dump(node.device) + Dump(node.gradient_of) + (node.stop_gradient ? "stop " : "");
  for (const NodeInput& input : node.inputs) {
    text += Dump(input.arg) + Dump(input.span) + (input.list ? "list " : "");
    for (const Reference& from : input.from) text += Dump(from);
  }
  for (const NodeAttr& attr : node.attrs) text += Dump(attr.name) + Dump(attr.value);
  for (const Located<std::string>& after : node.after) text += Dump(after);
  return text + "\n";
}

std::string Dump(const std::optional<Graph>& graph, const Diagnostics& found) {
  std::string text = graph ? "" : "none\n";
  for (const Diagnostic& each : found.all())
    text += std::string(each.code.text()) + each.message + Dump(each.where) + "\n";
  if (!graph) return text;
  for (const Feed& feed : graph->feeds) text += Dump(feed.name) + "\n";
  for (const Node& node : graph->nodes) text += Dump(node);
  for (const GraphOutput& output : graph->outputs) text += Dump(output.name) + Dump(output.from) + "\n";
  for (const std::string& left_out : graph->left_out) text += left_out + " left out\n";
  return text;
}

std::string ByLines(const std::string& text) {
  Diagnostics found;
  const std::optional<Graph> graph = ReadGraph(std::make_shared<const SourceFile>(SourceFile{"g.yaml", text}), found);
  return Dump(graph, found);
}

std::string AsAWhole(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", text});
  Diagnostics found;
  std::optional<Value> root = ReadYaml(*source, found);
  return Dump(root ? ReadTree(*std::move(root), source, found) : std::nullopt, found);
}

constexpr const char* kLines[] = {
    "  n1: {op: A, in: x}",
    "  n2: {op: A, in: [x, n1.y.3]}",
    "  n3: {op: A.b, in: {a: x, b: [n1, n2]}, device: cpu}",
    "  n4: {op: A, attrs: {a: -1, b: [+2, .5, 1e-3, null], c: {d: true, e: []}}}",
    "  n5: {op: A, attrs: {a: -1, b: [+2, 0x1F, NULL, -x, a-b], c: {d: {e: [[1], [2]]}}}}",
    "  n6: {op: 12, in: x}",
    "  n7: {op: A, in: x, after: [n1, n2], label: fast, stop_gradient: true, gradient_of: n1}",
    "",
    "  # a comment",
    "#",
    "  n8:\n    op: A\n    in: x",
    "   n9: {op: A, in: x}",
    "  n10: {op: A, in: 'x'}",
    "  n11: {op: A, in: x} # more",
    "  n1: {op: B, in: x}",
    "  x: {op: A}",
    "  null: {op: A}",
    "  n12: {op: A, op: B}",
    "  n13: {op: A, inn: x}",
    "  n14: {null: A, in: x}",
    "  n15: {op: A, in: }",
    "  n16: {op: A, in: {x}}",
    "  n17: {op : A, in: x}",
    "  n18: {op: A,in: x}",
    "  n19: {op: A, in: x}}",
    "  n20: {op: A, in: [x}",
    "  &a n21: {op: A}",
    "  &a",
    "  n22: &a",
    "  n23: *a",
    "  - n24",
    "- n25",
    "  ? n26",
    "  n27",
    "n28",
    "  {n29: {op: A}}",
    "\tn30: {op: A}",
    "  n31: {op: A}\t",
    "  n32: {op: A}\r",
    "...",
    "---",
    "nodes:",
    "outputs:",
    "outputs: [n1]",
    "x-more: 1",
    "  n33: |",
    "  n34: 'a",
    "  b'",
    "  n35: {op: A, in: [x,",
    "  n1]}",
    "  n1.5: {op: A}",
    "  n36: {op: a:b}",
    "  n37: {a}",
    "  !!map",
    "  n38: {op: \xc3\xa9}",
    "  n39: {op: A, in: x..y}",
    "  n40: {}",
    "  n41: {op: A, in: ...}",
    "  n42: {op: ---, in: -}",
    " ",
    "  n43: {op: \x01}"};
constexpr const char* kBefore[] = {"",         "",          "",         "",     "",       "x-a: 'b\n",
                                   "x-a: |\n", "x-a: &a\n", "{\n",      "- \n", "--- \n", "x-a: [\n",
                                   "x-a:\n",   "x-a: \"\n", "x-a: b\n", "? \n", "  \n",   "nodes: {}\n"};

TEST(ReadGraph, ReadsLinesAsYamlDoes) {
  size_t by_lines = 0;
  for (uint32_t seed = 0; seed < 8000; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&random](const auto& of, size_t begin) { return of[random() % (std::size(of) - begin)]; };
    std::string text = "opsrun: 1\nfeeds: {x: {value: 1, dtype: int32}}\n";
    text += draw(kBefore, 0);
    text += "nodes:\n";
    for (size_t count = random() % 6; count > 0; --count) {
      text += random() % 4 == 0 ? draw(kLines, 0) : draw(kLines, std::size(kLines) - 10);
      text += "\n";
    }
    if (random() % 2 == 0) text += "outputs: [n1]\n";
    if (random() % 4 == 0) text[random() % text.size()] = "{}[]:, #'\"-&*\n\tn"[random() % 16];
    if (random() % 16 == 0) text.pop_back();
    by_lines += SimpleLines(text, "nodes").size();
    ASSERT_EQ(ByLines(text), AsAWhole(text)) << text;
  }
  EXPECT_GT(by_lines, 4000U);
}

}  // namespace
}  // namespace opsrun::host

// tests/host/graph/compiled_graph_test.cc: files that opsrun compile wrote, and those that were changed since.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/compiled_graph.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "host/yaml/value.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

// x and y, of which z is made.
CompiledParts Parts() {
  CompiledParts parts;
  parts.head =
      "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [2]}\n  y: {dtype: bool, shape: [3]}\n"
      "nodes:\n  _0: {op: Join, in: [_, _]}\noutputs: [z]\nx-ops:\n  Join: 'Join(a: T)'\n";
  Diagnostics ignored;
  std::optional<Value> head = ReadYaml({"head", parts.head}, ignored);
  ForEachPlace(*head, [&](const Span& span) { parts.places.push_back(span); });
  parts.text =
      "opsrun: 1\nfeeds: {x: {value: [1, 2]}, y: {value: [true, true, false]}}\nnodes:\n  z: {op: Join, in: [x, y]}\n";
  parts.names = "z";
  parts.nodes = {{0, 0, 1, 4, 11, 4}};
  parts.inputs = {0, 1};
  parts.named = {0};
  const int32_t numbers[] = {5, 6};
  const char bools[] = {1, 7, 0};
  parts.arrays.emplace_back(0, *Tensor::CopyOf(DType::kInt32, {2}, numbers));
  parts.arrays.emplace_back(1, *Tensor::CopyOf(DType::kBool, {3}, bools));
  return parts;
}

std::string BytesOf(const CompiledParts& parts) {
  std::string bytes;
  const Status status = WriteCompiledGraph(parts, [&](const void* piece, size_t count) {
    return bytes.append(static_cast<const char*>(piece), count), OkStatus();
  });
  EXPECT_TRUE(status.ok());
  return bytes;
}

// What is wrong with the bytes; empty if nothing is.
std::string ErrorOf(const std::string& bytes) {
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ParseCompiledGraph("g.opsplan", bytes, diagnostics);
  EXPECT_EQ(graph.has_value(), diagnostics.all().empty());
  if (graph) return "";
  EXPECT_EQ(diagnostics.all()[0].code, Code("G015"));
  return diagnostics.all()[0].message;
}
// The same after a change of the parts.
template <typename Change>
std::string ErrorAfter(Change change) {
  CompiledParts parts = Parts();
  change(parts);
  return ErrorOf(BytesOf(parts));
}

constexpr const char* kDamaged = "'g.opsplan' cannot be used: it is damaged: ";

TEST(CompiledGraph, HasWhatWasWritten) {
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ParseCompiledGraph("g.opsplan", BytesOf(Parts()), diagnostics);
  ASSERT_TRUE(graph);
  ASSERT_EQ(graph->num_nodes(), 1u);
  const CompiledGraph& compiled = *graph->compiled;
  EXPECT_EQ(compiled.NameOf(0), "z");
  EXPECT_EQ(compiled.PlaceOf(0).end.column, 15u);
  EXPECT_EQ(compiled.inputs[1], 1u);
  EXPECT_EQ(compiled.ops[0].second, "Join(a: T)");
  EXPECT_EQ(graph->feeds[1].name.span.begin.line, 4u);
  EXPECT_EQ(static_cast<const int32_t*>(graph->feeds[0].value.data())[1], 6);
}

TEST(CompiledGraph, ReadsNodesOfItsTextWhenTheyAreWanted) {
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ParseCompiledGraph("g.opsplan", BytesOf(Parts()), diagnostics);
  EXPECT_EQ(graph->AllNodes()[0].op.span.begin.line, 4u);
  CompiledParts other = Parts();
  other.text = "opsrun: 1\nnodes: {y: {op: Join}}\n";
  const std::optional<Graph> mixed = ParseCompiledGraph("g.opsplan", BytesOf(other), diagnostics);
  EXPECT_EQ(mixed->AllNodes()[0].name.value, "z");
  EXPECT_FALSE(mixed->AllNodes()[0].op.span.known());
}

TEST(CompiledGraph, HasBoolsOfZeroAndOne) {
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ParseCompiledGraph("g.opsplan", BytesOf(Parts()), diagnostics);
  const auto* const bools = static_cast<const unsigned char*>(graph->feeds[1].value.data());
  EXPECT_EQ(std::vector<int>(bools, bools + 3), (std::vector<int>{1, 1, 0}));
}

TEST(CompiledGraph, IsRefusedIfItsBytesHaveChanged) {
  const std::string good = BytesOf(Parts());
  EXPECT_EQ(ErrorOf(good), "");
  std::string bad = good;
  bad[300] ^= 1;
  EXPECT_EQ(ErrorOf(bad), std::string(kDamaged) + "its bytes do not have their hash");
  bad = good;
  bad[bad.size() - 64] ^= 1;
  EXPECT_EQ(ErrorOf(bad), std::string(kDamaged) + "the bytes of an array");
  EXPECT_NE(ErrorOf(good + "x"), "");
  EXPECT_NE(ErrorOf(good.substr(0, good.size() - 1)), "");
  EXPECT_NE(ErrorOf(good.substr(0, 100)), "");
  bad = good;
  bad[8] = 2;
  EXPECT_EQ(ErrorOf(bad), "'g.opsplan' cannot be used: it has format 2; this version of opsrun reads format 1");
}

TEST(CompiledGraph, IsRefusedIfItsPartsDoNotFit) {
  EXPECT_EQ(ErrorAfter([](CompiledParts& p) { p.nodes[0].kind = 1; }), std::string(kDamaged) + "node 0");
  EXPECT_EQ(ErrorAfter([](CompiledParts& p) { p.nodes[0].place = 1; }), std::string(kDamaged) + "node 0");
  EXPECT_EQ(ErrorAfter([](CompiledParts& p) { p.nodes[0].name_end = 2; }), std::string(kDamaged) + "node 0");
  EXPECT_EQ(ErrorAfter([](CompiledParts& p) { p.names = "\n"; }), std::string(kDamaged) + "node 0");
  const std::string names = std::string(kDamaged) + "it names nodes that it does not have";
  EXPECT_EQ(ErrorAfter([](CompiledParts& p) { p.named = {1}; }), names);
  EXPECT_EQ(ErrorAfter([](CompiledParts& p) { p.after = {{0, 0}}; }), names);
  EXPECT_NE(ErrorAfter([](CompiledParts& p) { p.places.pop_back(); }), "");
  EXPECT_NE(ErrorAfter([](CompiledParts& p) { p.head = "[1]"; }), "");
  EXPECT_NE(ErrorAfter([](CompiledParts& p) { p.arrays[0].first = 2; }), "");
  EXPECT_NE(ErrorAfter([](CompiledParts& p) { p.arrays[1].first = 0; }), "");
}

TEST(CompiledGraph, LeavesLargeArraysInItsFile) {
  const TempDir dir;
  CompiledParts parts = Parts();
  constexpr int64_t kLarge = 1 << 20;
  parts.head.replace(parts.head.find("[2]"), 3, "[1048576]");
  parts.arrays[0].second = *Tensor::Create(DType::kInt32, {kLarge});
  static_cast<int32_t*>(parts.arrays[0].second.mutable_data())[kLarge - 1] = 9;
  const std::string path = dir.Write("g.opsplan", BytesOf(parts));
  EXPECT_TRUE(IsCompiledGraph(path));
  MappedFiles mapped;
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ReadCompiledGraph(path, &mapped, false, diagnostics);
  ASSERT_TRUE(graph);
  EXPECT_EQ(static_cast<const int32_t*>(graph->feeds[0].value.data())[kLarge - 1], 9);
  EXPECT_TRUE(mapped.Check().ok());
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(-128, std::ios::end).put('\7');
  EXPECT_FALSE(mapped.Check().ok()) << "it was written to";
  EXPECT_FALSE(ReadCompiledGraph(path, nullptr, true, diagnostics)) << "now all bytes are compared";
}

TEST(CompiledGraph, IsNotAPipeOrAnotherFile) {
  const TempDir dir;
  EXPECT_FALSE(IsCompiledGraph(dir.Write("g.yaml", "opsrun: 1\n")));
  EXPECT_FALSE(IsCompiledGraph(dir.path() + "/nowhere"));
  EXPECT_FALSE(IsCompiledGraph(dir.path()));
}

}  // namespace
}  // namespace opsrun::host

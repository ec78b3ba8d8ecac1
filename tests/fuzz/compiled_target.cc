// tests/fuzz/compiled_target.cc: compiled graphs: reads one, and plans it.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>

#include "tests/fuzz/planned_ops.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

namespace compiled {

// The header has the size of the file, and where its arrays begin: with others, nothing else would be read.
void Eat(std::string_view bytes) {
  constexpr size_t kData = 24, kSize = 32, kHeader = 184;
  if (bytes.size() < kHeader) return;
  std::string file(bytes);
  uint64_t data = 0;
  std::memcpy(&data, file.data() + kData, sizeof(data));
  const uint64_t size = file.size();
  std::memcpy(file.data() + kSize, &size, sizeof(size));
  if (data > size) return;
  std::string front = file.substr(0, data);
  SealCompiledGraph(front);
  file.replace(0, data, front);
  Diagnostics diagnostics;
  std::optional<Graph> graph = ParseCompiledGraph("graph.opsplan", file, diagnostics);
  Require(graph.has_value() != diagnostics.has_errors(), "there is a graph or an error");
  if (!graph) return;
  const std::unique_ptr<const Plan> plan = AllOps().MakePlan(*std::move(graph), true, diagnostics);
  Require(plan != nullptr || diagnostics.has_errors(), "there is a plan or an error");
  for (const Step& step : plan != nullptr ? plan->steps : std::vector<Step>())
    Require(!plan->NodeName(step).empty() && plan->NodeOf(step).name.value == plan->NodeName(step), "nodes have names");
}

std::vector<std::string> Seeds() {
  const std::string feeds =
      "feeds:\n  x: {value: [1, 2], dtype: int32}\n  d: {dtype: float32, shape: [-1, 3]}\n"
      "  s: {value: [a, b], dtype: string}\n  b: {value: [true, false]}\n";
  return {AllOps().Compiled(feeds + "nodes:\n  a: {op: Same, in: x}\n  b2: {op: Same, in: a, after: a}\n"
                                    "outputs: [b2, s]\nchecks:\n  - {from: a, value: [1, 2]}\n"),
          AllOps().Compiled(feeds + "nodes:\n  j: {op: Join, in: {first: d, xs: [d, e, d]}}\n"
                                    "  e: {op: Same, in: d, attrs: {k: 7}}\n  f: {op: Same, in: s}\n"
                                    "outputs:\n  out: {from: j, npy: out.npy}\n  f: f\n"),
          AllOps().Compiled("feeds:\n  x: {fill: 1, shape: [300], dtype: float64}\noutputs: [x]\n")};
}

std::vector<std::string> Words() {
  return {std::string("\1\0\0\0", 4), std::string("\0\0\0\0", 4), "\xff\xff\xff\xff", std::string("\2\0\0\0", 4),
          std::string("\0\1\0\0\0\0\0\0", 8)};
}

}  // namespace compiled
}  // namespace

const Target kCompiled = {"compiled", compiled::Eat, compiled::Seeds, compiled::Words};

}  // namespace opsrun::fuzz

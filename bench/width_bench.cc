// bench/width_bench.cc: 1,000 independent nodes, on one thread and on two.
//
// Arguments: plugin files with an op ZeroOut. The nodes are small (4 int32) or take about a microsecond (16,384).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "bench/zero_out_graph.h"

namespace {

using namespace opsrun::host;

constexpr int kNodes = 1000;

std::string WideText(int64_t elements) {
  std::string text = fmt::format("opsrun: 1\nfeeds:\n  x: {{fill: 7, shape: [{}], dtype: int32}}\nnodes:\n", elements);
  for (int i = 0; i < kNodes; ++i) text += fmt::format("  n{}: {{op: ZeroOut, in: x}}\n", i);
  return text + "outputs: [n0]\n";
}

}  // namespace

int main(int argc, char** argv) {
  return BenchPlugins(argc, argv, [](const std::string& plugin, const std::string& stem) {
    for (const int64_t elements : {4, 16384}) {
      for (const int threads : {1, 2}) {
        const std::string name = fmt::format("wide/{}/elements:{}/threads:{}", stem, elements, threads);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          RunNodes(state, PlanZeroOutGraph(plugin, WideText(elements), threads).get(), kNodes);
        })->UseRealTime();
      }
    }
  });
}

// bench/width_bench.cc: 1,000 independent nodes, on one thread and on two.
//
// Arguments: plugin files with an op ZeroOut. The nodes are small (4 int32) or take about a microsecond (16,384).
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
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

void Run(benchmark::State& state, const std::string& plugin, int64_t elements, int threads) {
  const std::unique_ptr<ZeroOutGraph> graph = PlanZeroOutGraph(plugin, WideText(elements), threads);
  if (graph == nullptr) return state.SkipWithError("the graph could not be planned");
  for (auto _ : state) {
    if (graph->lane->Run()) return state.SkipWithError("the graph failed");
  }
  state.counters["ns/node"] = benchmark::Counter(static_cast<double>(state.iterations() * kNodes) / 1e9,
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: width_bench [--benchmark_..] PLUGIN.so...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string plugin = std::filesystem::absolute(argv[i]).string();
    for (const int64_t elements : {4, 16384}) {
      for (const int threads : {1, 2}) {
        const std::string name = fmt::format("wide/{}/elements:{}/threads:{}",
                                             std::filesystem::path(plugin).stem().string(), elements, threads);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          Run(state, plugin, elements, threads);
        })->UseRealTime();
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// bench/chain_bench.cc: the cost of a node, in a chain of ZeroOut on 4 int32, with one thread and one lane.
//
// Arguments: plugin files, each with an op ZeroOut, including the guide's own file if available. The op of nothing.cc
// has no outputs; its nodes are ordered by dependencies instead.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "bench/zero_out_graph.h"

namespace {

using namespace opsrun::host;

// n0 reads the feed; each other node reads the one before it, or waits for it.
std::string ChainText(const std::string& plugin, int64_t n) {
  const bool waits = plugin.ends_with("nothing.so");
  std::string text = "opsrun: 1\nfeeds:\n  x: {value: [1, 2, 3, 4], dtype: int32}\nnodes:\n";
  for (int64_t i = 0; i < n; ++i) {
    const std::string before = fmt::format("n{}", i - 1);
    text += waits ? fmt::format("  n{}: {{op: Nothing, in: x{}}}\n", i, i == 0 ? "" : ", after: " + before)
                  : fmt::format("  n{}: {{op: ZeroOut, in: {}}}\n", i, i == 0 ? "x" : before);
  }
  return text + (waits ? "outputs: [x]\n" : fmt::format("outputs: [n{}]\n", n - 1));
}

void Run(benchmark::State& state, const std::string& plugin, int64_t n) {
  const std::unique_ptr<ZeroOutGraph> chain = PlanZeroOutGraph(plugin, ChainText(plugin, n), 1);
  RunNodes(state, chain.get(), n);
  if (chain != nullptr)
    state.counters["bytes/node"] = static_cast<double>(chain->lane->MemoryBytes()) / static_cast<double>(n);
}

}  // namespace

int main(int argc, char** argv) {
  return BenchPlugins(argc, argv, [](const std::string& plugin, const std::string& name) {
    for (const int64_t n : {100, 1000, 100000}) {
      benchmark::RegisterBenchmark(fmt::format("chain/{}/{}", name, n).c_str(),
                                   [plugin, n](benchmark::State& state) { Run(state, plugin, n); });
    }
  });
}

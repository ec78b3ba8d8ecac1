// bench/check_bench.cc: the cost of checking a graph of 100,000 nodes: reading its text, and finding every attr, type,
// shape and kernel.
//
// Sum: every node adds a feed of unknown length to the previous sum. Merge: every node adds another such feed, so that
// all unknown sizes are found to be equal.
//
// usage: check_bench list_ops.so
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "bench/zero_out_graph.h"
#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

constexpr int kNodes = 100'000;

std::string GraphText(bool one_feed) {
  std::string text = "opsrun: 1\nfeeds:\n";
  const int feeds = one_feed ? 1 : kNodes + 1;
  for (int i = 0; i < feeds; ++i) text += fmt::format("  x{}: {{dtype: float32, shape: [-1, 3]}}\n", i);
  text += "nodes:\n";
  for (int i = 0; i < kNodes; ++i) {
    const std::string before = i == 0 ? "x0" : fmt::format("n{}", i - 1);
    text += fmt::format("  n{}: {{op: AddN, in: [{}, x{}]}}\n", i, before, one_feed ? 0 : i + 1);
  }
  return text + fmt::format("outputs: [n{}]\n", kNodes - 1);
}

std::shared_ptr<const Graph> Read(const std::shared_ptr<const SourceFile>& source) {
  Diagnostics diagnostics;
  std::optional<Graph> graph = ReadGraph(source, diagnostics);
  return graph ? std::make_shared<const Graph>(*std::move(graph)) : nullptr;
}

bool Plans(Engine& engine, const std::shared_ptr<const Graph>& graph) {
  return graph != nullptr && engine.LoadGraph(graph)->Plan({{}, 1, nullptr}) != nullptr;
}

void Register(const char* name, bool one_feed, Engine& engine) {
  auto source = std::make_shared<const SourceFile>(SourceFile{"bench", GraphText(one_feed)});
  const auto read = [source](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(Read(source));
  };
  const auto plan = [source, &engine](benchmark::State& state) {
    const std::shared_ptr<const Graph> graph = Read(source);
    for (auto _ : state) {
      if (!Plans(engine, graph)) state.SkipWithError("there is no plan");
    }
  };
  benchmark::RegisterBenchmark(fmt::format("Read100000/{}", name).c_str(), read)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(fmt::format("Plan100000/{}", name).c_str(), plan)->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace opsrun::host

int main(int argc, char** argv) {
  return opsrun::host::BenchPlugins(argc, argv, [](const std::string& plugin, const std::string&) {
    // Benchmarks use it until the process ends.
    static const std::shared_ptr<opsrun::host::Engine> engine = opsrun::host::EngineWith(plugin, 1);
    if (engine == nullptr) std::exit(2);
    opsrun::host::Register("sum", true, *engine);
    opsrun::host::Register("merge", false, *engine);
  });
}

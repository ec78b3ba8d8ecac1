// bench/zero_out_graph.h: benchmarks of graphs with one plugin file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/engine/loaded_graph.h"

namespace opsrun::host {

// An engine with one plugin file. If it cannot be used, prints the reason to stderr and returns null.
inline std::shared_ptr<Engine> EngineWith(const std::string& plugin, int threads) {
  EngineOptions options;
  options.default_plugins = false;
  options.threads = threads;
  Diagnostics none;
  std::shared_ptr<Engine> engine = Engine::Create(std::move(options), none);
  std::string name;
  const std::optional<Refusal> refusal = engine->AddFile(plugin, &name);
  if (!refusal) return engine;
  std::fprintf(stderr, "%s: %s\n", plugin.c_str(), refusal->reason.c_str());
  return nullptr;
}

// Members are declared after those that they use.
struct ZeroOutGraph {
  std::shared_ptr<const PlannedGraph> planned;
  std::unique_ptr<Lane> lane;

  const Plan& plan() const { return planned->plan(); }
};

// Prints errors to stderr and returns null.
inline std::unique_ptr<ZeroOutGraph> PlanZeroOutGraph(const std::string& plugin, std::string text, int threads) {
  const std::shared_ptr<Engine> engine = EngineWith(plugin, threads);
  if (engine == nullptr) return nullptr;
  const std::shared_ptr<LoadedGraph> loaded =
      engine->LoadText(std::make_shared<const SourceFile>(SourceFile{"bench", std::move(text)}));
  auto made = std::make_unique<ZeroOutGraph>();
  if (loaded->graph() != nullptr) made->planned = loaded->Plan();
  for (const Diagnostic& d : loaded->diagnostics().all()) {
    std::fprintf(stderr, "%s %s\n", std::string(d.code.text()).c_str(), d.message.c_str());
  }
  if (made->planned == nullptr) return nullptr;
  Result<std::unique_ptr<Lane>> lane = Lane::Create(made->plan(), made->planned->Context(nullptr));
  if (!lane.ok()) return nullptr;
  made->lane = *std::move(lane);
  return made;
}

// Measures runs of a graph of n nodes; the counter "ns/node" is the figure to quote. graph: may be null.
inline void RunNodes(benchmark::State& state, const ZeroOutGraph* graph, int64_t n) {
  if (graph == nullptr) return state.SkipWithError("the graph could not be planned");
  for (auto _ : state) {
    if (graph->lane->Run()) return state.SkipWithError("the graph failed");
  }
  state.counters["ns/node"] = benchmark::Counter(static_cast<double>(state.iterations() * n) / 1e9,
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Runs the benchmarks that `add(path, name)` registers for each plugin file among the arguments; returns the exit
// status.
template <typename Add>
int BenchPlugins(int argc, char** argv, Add add) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s [--benchmark_..] PLUGIN.so...\n", argv[0]);
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path plugin = std::filesystem::absolute(argv[i]);
    add(plugin.string(), plugin.stem().string());
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace opsrun::host

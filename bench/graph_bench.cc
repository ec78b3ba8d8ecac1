// bench/graph_bench.cc: the costs of running and of checking graphs.
//
// usage: graph_bench PLUGIN.so...
//
// chain: the cost of a node, in a chain of ZeroOut on 4 int32, with one thread and one lane. Measured with each plugin
// but list_ops, including the guide's own file if available. The op of nothing.cc has no outputs; its nodes are ordered
// by dependencies instead. wide, with zero_out: 1,000 independent nodes, on one thread and on two. The nodes are small
// (4 int32) or take about a microsecond (16,384). isolated, with zero_out: the chain in a process of its own.
// Load100000, with zero_out: from the file of such a chain to its plan, which has no lane and so no memory for runs; as
// text and compiled. The counters are for a node. Read100000 and Plan100000, with list_ops: reading the text of a graph
// of 100,000 nodes, and finding every attr, type, shape and kernel. sum: every node adds a feed of unknown length to
// the previous sum. merge: every node adds another such feed, so that all unknown sizes are found to be equal.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/engine/loaded_graph.h"
#include "host/graph/compiled_graph.h"
#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

// An engine with one plugin file. If it cannot be used, prints the reason to stderr and returns null.
std::shared_ptr<Engine> EngineWith(const std::string& plugin, int threads, bool isolate = false) {
  EngineOptions options;
  if (isolate) options.isolate = {"all"};
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
std::unique_ptr<ZeroOutGraph> PlanZeroOutGraph(const std::string& plugin, std::string text, int threads,
                                               bool isolate = false) {
  const std::shared_ptr<Engine> engine = EngineWith(plugin, threads, isolate);
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
void RunNodes(benchmark::State& state, const ZeroOutGraph* graph, int64_t n) {
  if (graph == nullptr) return state.SkipWithError("the graph could not be planned");
  for (auto _ : state) {
    if (graph->lane->Run()) return state.SkipWithError("the graph failed");
  }
  state.counters["ns/node"] = benchmark::Counter(static_cast<double>(state.iterations() * n) / 1e9,
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

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

void RunChain(benchmark::State& state, const std::string& plugin, int64_t n) {
  const std::unique_ptr<ZeroOutGraph> chain = PlanZeroOutGraph(plugin, ChainText(plugin, n), 1);
  RunNodes(state, chain.get(), n);
  if (chain != nullptr)
    state.counters["bytes/node"] = static_cast<double>(chain->lane->MemoryBytes()) / static_cast<double>(n);
}

void RegisterChains(const std::string& plugin, const std::string& name) {
  for (const int64_t n : {100, 1000, 100000}) {
    benchmark::RegisterBenchmark(fmt::format("chain/{}/{}", name, n).c_str(),
                                 [plugin, n](benchmark::State& state) { RunChain(state, plugin, n); });
  }
}

// A chain in a process of its own, which looks for the next request while this one makes it, or sleeps until it comes.
void RegisterIsolated(const std::string& plugin) {
  for (const int64_t n : {1, 1000}) {
    benchmark::RegisterBenchmark(fmt::format("isolated/zero_out/{}", n).c_str(), [plugin, n](benchmark::State& state) {
      const std::unique_ptr<ZeroOutGraph> chain = PlanZeroOutGraph(plugin, ChainText(plugin, n), 1, true);
      RunNodes(state, chain.get(), n);
    });
  }
  benchmark::RegisterBenchmark("isolated/zero_out/1/sleeping", [plugin](benchmark::State& state) {
    const std::unique_ptr<ZeroOutGraph> chain = PlanZeroOutGraph(plugin, ChainText(plugin, 1), 1, true);
    if (chain == nullptr) return state.SkipWithError("the graph could not be planned");
    for (auto _ : state) {
      usleep(300);
      const auto begin = std::chrono::steady_clock::now();
      if (chain->lane->Run()) return state.SkipWithError("the graph failed");
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  })->UseManualTime();
}

constexpr int kWide = 1000;

std::string WideText(int64_t elements) {
  std::string text = fmt::format("opsrun: 1\nfeeds:\n  x: {{fill: 7, shape: [{}], dtype: int32}}\nnodes:\n", elements);
  for (int i = 0; i < kWide; ++i) text += fmt::format("  n{}: {{op: ZeroOut, in: x}}\n", i);
  return text + "outputs: [n0]\n";
}

void RegisterWide(const std::string& plugin) {
  for (const int64_t elements : {4, 16384}) {
    for (const int threads : {1, 2}) {
      const std::string name = fmt::format("wide/zero_out/elements:{}/threads:{}", elements, threads);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        RunNodes(state, PlanZeroOutGraph(plugin, WideText(elements), threads).get(), kWide);
      })->UseRealTime();
    }
  }
}

constexpr int kNodes = 100'000;

size_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void LoadFile(benchmark::State& state, Engine& engine, const std::string& path) {
  const size_t before = AllocatedBytes();
  size_t bytes = 0;
  for (auto _ : state) {
    const std::shared_ptr<LoadedGraph> loaded = engine.LoadFile(path, {.only_runs = true});
    const std::shared_ptr<const PlannedGraph> planned = loaded->graph() == nullptr ? nullptr : loaded->Plan();
    if (planned == nullptr) return state.SkipWithError("there is no plan");
    state.PauseTiming();
    bytes = AllocatedBytes() - before;
    state.ResumeTiming();
  }
  state.counters["ns/node"] = benchmark::Counter(static_cast<double>(state.iterations()) * kNodes / 1e9,
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["bytes/node"] = static_cast<double>(bytes) / kNodes;
}

// The files of a chain, in a folder of their own, which is removed with this object.
class ChainFiles {
 public:
  ChainFiles(Engine& engine, const std::string& plugin) {
    std::filesystem::create_directory(folder_);
    std::ofstream(text()) << ChainText(plugin, kNodes);
    const std::shared_ptr<LoadedGraph> loaded = engine.LoadFile(text());
    const std::shared_ptr<const PlannedGraph> planned = loaded->Plan({.threads = 1, .for_runs = false});
    const Result<CompiledParts> parts = CompileGraph(planned->plan(), *loaded->source());
    std::ofstream file(compiled(), std::ios::binary);
    const auto write = [&](const void* bytes, size_t count) {
      file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
      return OkStatus();
    };
    if (!WriteCompiledGraph(*parts, write).ok() || !file.flush()) std::exit(2);
  }
  ChainFiles(const ChainFiles&) = delete;
  ~ChainFiles() { std::filesystem::remove_all(folder_); }

  std::string text() const { return folder_ / "chain.yaml"; }
  std::string compiled() const { return folder_ / "chain.opsplan"; }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("graph_bench.{}", getpid());
};

void RegisterLoads(const std::string& plugin) {
  static const std::shared_ptr<Engine> engine = EngineWith(plugin, 1);
  if (engine == nullptr) std::exit(2);
  static const ChainFiles files(*engine, plugin);
  for (const auto& [name, path] : {std::pair("text", files.text()), std::pair("compiled", files.compiled())}) {
    benchmark::RegisterBenchmark(fmt::format("Load100000/{}", name).c_str(),
                                 [path](benchmark::State& state) { LoadFile(state, *engine, path); });
  }
}

std::string SumsText(bool one_feed) {
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

void RegisterCheck(const char* name, bool one_feed, Engine& engine) {
  auto source = std::make_shared<const SourceFile>(SourceFile{"bench", SumsText(one_feed)});
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

void RegisterChecks(const std::string& plugin) {
  // Benchmarks use it until the process ends.
  static const std::shared_ptr<Engine> engine = EngineWith(plugin, 1);
  if (engine == nullptr) std::exit(2);
  RegisterCheck("sum", true, *engine);
  RegisterCheck("merge", false, *engine);
}

}  // namespace
}  // namespace opsrun::host

int main(int argc, char** argv) {
  using namespace opsrun::host;
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s [--benchmark_..] PLUGIN.so...\n", argv[0]);
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path plugin = std::filesystem::absolute(argv[i]);
    const std::string name = plugin.stem().string();
    name == "list_ops" ? RegisterChecks(plugin.string()) : RegisterChains(plugin.string(), name);
    if (name != "zero_out") continue;
    RegisterWide(plugin.string());
    RegisterIsolated(plugin.string());
    RegisterLoads(plugin.string());
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

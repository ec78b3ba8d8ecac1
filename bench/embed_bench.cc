// bench/embed_bench.cc: the overhead of the embedding API compared with the kernel.
//
// usage: embed_bench PLUGIN_DIRECTORY, which contains zero_out.so. Each figure is compared with a direct call of the
// same kernel in the same run. Cases: one node of a graph, and one prepared call, on 4 int32, with results in the
// caller's memory and in memory of the library; and feeds of 64 MiB of which only the first element is read (Shape), to
// detect copies.
//
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "opsrun/embed.h"

namespace {

opsrun_engine* engine = nullptr;

void Fail(opsrun_report* report) {
  const opsrun_str text = opsrun_report_text(report, OPSRUN_FORMAT_HUMAN);
  std::fwrite(text.data, 1, text.size, stderr);
  std::exit(1);
}

opsrun_graph* Load(const std::string& nodes) {
  const std::string text = "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n" + nodes + "outputs: [n]\n";
  opsrun_graph* graph = nullptr;
  opsrun_report* report = nullptr;
  if (opsrun_graph_load_text(engine, opsrun_str_of("bench"), {text.data(), text.size()}, nullptr, &graph, &report) !=
      OPSRUN_OK) {
    Fail(report);
  }
  return graph;
}

// x and, optionally, memory for the result.
struct Buffers {
  explicit Buffers(size_t n) : x(static_cast<int32_t*>(std::aligned_alloc(64, (n * 4 + 63) / 64 * 64))), shape(n) {
    for (size_t i = 0; i < n; ++i) x[i] = 1;
  }
  ~Buffers() { std::free(x); }

  int32_t* x;
  int64_t shape;
  alignas(64) int32_t y[16] = {};
  opsrun_array in_array{x, &shape, nullptr, OPSRUN_DT_INT32, 1, {}};
  opsrun_array out_array{y, &shape, nullptr, OPSRUN_DT_INT32, 1, {}};
  opsrun_in in{nullptr, &in_array, 0, 0, nullptr, {}};
};

void RunGraph(benchmark::State& state, opsrun_graph* graph, bool into) {
  Buffers buffers(4);
  opsrun_out out{};
  out.into = into ? &buffers.out_array : nullptr;
  for (auto _ : state) {
    if (opsrun_graph_run(graph, &buffers.in, 1, &out, 1, nullptr, nullptr) != OPSRUN_OK) state.SkipWithError("failed");
    opsrun_outs_free(&out, 1);
  }
}

void CallPrepared(benchmark::State& state, bool into) {
  Buffers buffers(4);
  const opsrun_op_input input{opsrun_str_of("to_zero"), OPSRUN_DT_INT32, 1, &buffers.shape, 0, 0};
  opsrun_prepared* prepared = nullptr;
  opsrun_report* report = nullptr;
  if (opsrun_engine_prepare(engine, opsrun_str_of("ZeroOut"), &input, 1, nullptr, 0, nullptr, &prepared, &report) !=
      OPSRUN_OK) {
    Fail(report);
  }
  opsrun_out out{};
  out.into = into ? &buffers.out_array : nullptr;
  for (auto _ : state) {
    opsrun_prepared_call(prepared, &buffers.in, 1, &out, 1, nullptr, nullptr);
    opsrun_outs_free(&out, 1);
  }
  opsrun_prepared_destroy(prepared);
}

// Only the kernel and the run loop: a thousandth of it is the cost of one more node.
std::string ThousandNodes() {
  std::string nodes = "  n0: {op: ZeroOut, in: x}\n";
  for (int i = 1; i < 1000; ++i) {
    nodes += "  n" + std::to_string(i) + ": {op: ZeroOut, in: n" + std::to_string(i - 1) + "}\n";
  }
  return nodes + "  n: {op: ZeroOut, in: n999}\n";
}

void Feed(benchmark::State& state, int64_t offset) {
  constexpr size_t kElements = (size_t{64} << 20) / sizeof(int32_t);
  opsrun_graph* const graph = Load("  n: {op: Shape, in: x}\n");
  Buffers buffers(kElements + 16);
  // NumPy's large arrays start 16 bytes after a page boundary.
  buffers.shape = static_cast<int64_t>(kElements);
  buffers.in_array.data = buffers.x + offset;
  opsrun_out out{};
  for (auto _ : state) {
    if (opsrun_graph_run(graph, &buffers.in, 1, &out, 1, nullptr, nullptr) != OPSRUN_OK) state.SkipWithError("failed");
    opsrun_outs_free(&out, 1);
  }
  opsrun_graph_destroy(graph);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fputs("usage: embed_bench PLUGIN_DIRECTORY\n", stderr);
    return 2;
  }
  const opsrun_str plugins = opsrun_str_of(argv[1]);
  opsrun_engine_options options{};
  options.size = sizeof(options);
  options.flags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS;
  options.plugins = &plugins;
  options.n_plugins = 1;
  options.threads = 1;
  opsrun_report* report = nullptr;
  if (opsrun_engine_create(&options, &engine, &report) != OPSRUN_OK) Fail(report);
  opsrun_graph* const thousand = Load(ThousandNodes());
  opsrun_graph* const one = Load("  n: {op: ZeroOut, in: x}\n");
  benchmark::RegisterBenchmark("Run1001Nodes/into", RunGraph, thousand, true);
  benchmark::RegisterBenchmark("RunOneNode/into", RunGraph, one, true);
  benchmark::RegisterBenchmark("RunOneNode/result", RunGraph, one, false);
  benchmark::RegisterBenchmark("CallPrepared/into", CallPrepared, true);
  benchmark::RegisterBenchmark("CallPrepared/result", CallPrepared, false);
  benchmark::RegisterBenchmark("Feed64MiB/aligned", Feed, 0);
  benchmark::RegisterBenchmark("Feed64MiB/as_numpy", Feed, 4);
  benchmark::RunSpecifiedBenchmarks();
  opsrun_graph_destroy(one);
  opsrun_graph_destroy(thousand);
  opsrun_engine_destroy(engine);
}

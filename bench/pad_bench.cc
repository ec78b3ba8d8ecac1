// bench/pad_bench.cc: padding large arrays, compared with copying as many bytes as the output has.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "plugins/pad/border_kernel.h"

namespace {

using pad::Axis;
using pad::Border;
using pad::BorderLayout;

struct Case {
  const char* name;
  int64_t element_size;
  std::vector<Axis> axes;
};

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"32x224x224x3_by_3_in_height_and_width", 4, {{32, 0, 0}, {224, 3, 3}, {224, 3, 3}, {3, 0, 0}}},
      {"8x64x128x128_by_1_in_all_four", 4, {{8, 1, 1}, {64, 1, 1}, {128, 1, 1}, {128, 1, 1}}},
      {"4096x1000_by_1_and_12", 4, {{4096, 1, 1}, {1000, 12, 12}}},
      {"16x32x32x512_by_1_in_height_and_width", 4, {{16, 0, 0}, {32, 1, 1}, {32, 1, 1}, {512, 0, 0}}},
      {"2048x2048_bytes_by_half", 1, {{2048, 1024, 1024}, {2048, 1024, 1024}}},
      {"2048x2048_floats_by_half", 4, {{2048, 1024, 1024}, {2048, 1024, 1024}}},
      {"1024x1024_rgb_bytes_by_half", 1, {{1024, 512, 512}, {1024, 512, 512}, {3, 0, 0}}},
      {"2048x2048_rgb_bytes_by_64", 1, {{2048, 64, 64}, {2048, 64, 64}, {3, 0, 0}}},
  };
  return *cases;
}

struct Free {
  void operator()(void* p) const { std::free(p); }
};
using Memory = std::unique_ptr<void, Free>;

// Touches the memory, so that page faults are not measured.
Memory Allocate(int64_t bytes) {
  const size_t rounded = (static_cast<size_t>(bytes) + 63) / 64 * 64;
  Memory memory(std::aligned_alloc(64, rounded));
  std::memset(memory.get(), 1, rounded);
  return memory;
}

int64_t OutputBytes(const Case& c) {
  int64_t bytes = c.element_size;
  for (const Axis& axis : c.axes) bytes *= axis.padded();
  return bytes;
}

void Copy(benchmark::State& state, const Case& c) {
  const int64_t bytes = OutputBytes(c);
  const Memory in = Allocate(bytes), out = Allocate(bytes);
  for (auto _ : state) {
    std::memcpy(out.get(), in.get(), static_cast<size_t>(bytes));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

void Write(benchmark::State& state, const Case& c, Border border) {
  const BorderLayout layout = MakeLayout(c.axes.data(), static_cast<int>(c.axes.size()), c.element_size, border);
  const Memory in = Allocate(OutputBytes(c)), out = Allocate(OutputBytes(c));
  const char zero[16] = {};
  const pad::Fill fill(zero, static_cast<size_t>(c.element_size));
  for (auto _ : state) {
    WriteUnits(layout, fill, in.get(), out.get(), 0, layout.num_units);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * OutputBytes(c));
}

const bool registered = [] {
  for (const Case& c : Cases()) {
    const auto add = [&c](const char* what, auto function) {
      benchmark::RegisterBenchmark((c.name + std::string("/") + what).c_str(), function)->Unit(benchmark::kMillisecond);
    };
    add("memcpy", [&c](benchmark::State& state) { Copy(state, c); });
    add("Pad", [&c](benchmark::State& state) { Write(state, c, Border::kConstant); });
    add("Reflect", [&c](benchmark::State& state) { Write(state, c, Border::kReflect); });
  }
  return true;
}();

}  // namespace

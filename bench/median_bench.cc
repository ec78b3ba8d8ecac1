// bench/median_bench.cc: medians of all windows inside a 1024 x 1024 image: by networks, by sliding, and by calling
// std::nth_element for each window.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "plugins/median_pool/medians.h"
#include "plugins/median_pool/window.h"

namespace {

using median_pool::Images;
using median_pool::MakeAxis;
using median_pool::Medians;
using median_pool::WindowRow;

constexpr int64_t kSize = 1024;
constexpr int64_t kPlainRows = 32;  // enough to measure the time per median

Images ImagesFor(int64_t window) {
  return {1, 1, MakeAxis(kSize, window, 1, false), MakeAxis(kSize, window, 1, false)};
}

template <typename T>
std::vector<T> RandomImage() {
  std::mt19937 random(1);
  std::vector<T> image(kSize * kSize);
  for (T& value : image) value = static_cast<T>(sizeof(T) == 1 ? random() >> 24 : random());
  return image;
}

void CountMedians(benchmark::State& state, const Images& images, int64_t rows) {
  const double medians = static_cast<double>(rows * images.output_row_values());
  state.counters["ns/median"] =
      benchmark::Counter(medians * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// largest_network: 0 always slides.
template <typename T>
void Fast(benchmark::State& state, int64_t window, int64_t largest_network, int64_t threads) {
  const Images images = ImagesFor(window);
  const Medians medians(window, window, false, largest_network);
  const std::vector<T> in = RandomImage<T>();
  std::vector<T> out(in.size());
  const int64_t rows = images.output_rows();
  for (auto _ : state) {
    std::vector<std::thread> others;
    const auto part = [&](int64_t i) {
      const int64_t last = (i + 1) * rows / threads, step = std::max<int64_t>(medians.rows_at_once(), 16);
      for (int64_t y = i * rows / threads; y < last; y += step) {
        medians.Compute(images, in.data(), out.data(), y, std::min(y + step, last));
      }
    };
    for (int64_t i = 1; i < threads; ++i) others.emplace_back(part, i);
    part(0);
    for (std::thread& other : others) other.join();
    benchmark::ClobberMemory();
  }
  CountMedians(state, images, rows);
}

template <typename T>
void Plain(benchmark::State& state, int64_t window) {
  const Images images = ImagesFor(window);
  const std::vector<T> in = RandomImage<T>();
  std::vector<T> out(in.size());
  for (auto _ : state) {
    for (int64_t y = 0; y < kPlainRows; ++y) {
      const WindowRow<T> row = {images, y, in.data(), out.data() + y * images.output_row_values()};
      PlainRow(row, 0, images.x.windows);
    }
    benchmark::ClobberMemory();
  }
  CountMedians(state, images, kPlainRows);
}

template <typename T>
void Register(const std::string& type) {
  for (int64_t window : {3, 5, 9, 15, 21, 31}) {
    const std::string name = type + "/" + std::to_string(window) + "x" + std::to_string(window) + "/";
    const auto add = [&name](const std::string& what, auto function) {
      benchmark::RegisterBenchmark((name + what).c_str(), function)->Unit(benchmark::kMillisecond)->UseRealTime();
    };
    for (int64_t threads : {1, 2}) {
      const std::string suffix = threads == 1 ? "" : "_by_2_threads";
      if (window <= 21) {
        add("network" + suffix, [=](benchmark::State& s) { Fast<T>(s, window, window * window, threads); });
      }
      if (window >= 9) add("sliding" + suffix, [=](benchmark::State& s) { Fast<T>(s, window, 0, threads); });
    }
    if (window <= 15) add("nth_element", [=](benchmark::State& s) { Plain<T>(s, window); });
  }
}

const bool registered = [] {
  Register<float>("float");
  Register<uint8_t>("uint8");
  return true;
}();

}  // namespace

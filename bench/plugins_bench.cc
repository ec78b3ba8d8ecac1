// bench/plugins_bench.cc: the costs of reading 200 plugin files before any of them is opened, and of parsing and
// validating the spec strings of 1,000 ops.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "host/examine/catalog.h"
#include "host/spec/parse_op.h"

namespace {

namespace fs = std::filesystem;
using opsrun::host::Catalog;
using opsrun::host::ReadCatalog;
using opsrun::host::SearchedDirectory;
using opsrun::host::spec::OpDef;
using opsrun::host::spec::OpStrings;
using opsrun::host::spec::ParseOp;

constexpr int kFiles = 200;

// Requires names of equal length, so that the rest of the file stays valid.
void ReplaceAll(std::string& bytes, std::string_view from, const std::string& to) {
  for (size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at))
    bytes.replace(at, to.size(), to);
}

std::string ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A temporary directory with copies of one plugin that differ in the names of the plugin and its op.
class PluginDirectory {
 public:
  PluginDirectory() {
    char name[] = "/tmp/opsrun_bench_XXXXXX";
    if (mkdtemp(name) == nullptr) return;
    path_ = name;
    const std::string original = ReadBytes(PLUGIN_FILE);
    for (int i = 0; i < kFiles; ++i) {
      char number[8];
      std::snprintf(number, sizeof(number), "%03d", i);
      std::string bytes = original;
      ReplaceAll(bytes, "zero_out", std::string("zero_") + number);
      ReplaceAll(bytes, "ZeroOut", std::string("Zero") + number);
      std::ofstream(path_ / (std::string("p") + number + ".so"), std::ios::binary) << bytes;
    }
  }
  ~PluginDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

void BM_ReadCatalogOf200Plugins(benchmark::State& state) {
  const PluginDirectory directory;
  const std::vector<SearchedDirectory> places = {{directory.path(), "--plugins", true}};
  for (auto _ : state) {
    Catalog catalog = ReadCatalog(places);
    if (catalog.OpNames().size() != kFiles) state.SkipWithError("not every plugin was found");
    benchmark::DoNotOptimize(catalog);
  }
}
BENCHMARK(BM_ReadCatalogOf200Plugins)->Unit(benchmark::kMillisecond);

constexpr int kOps = 1000;

// A typical op: type, list, string and defaulted attrs, a list input, documentation.
std::vector<OpStrings> Ops() {
  std::vector<OpStrings> ops(kOps);
  for (int i = 0; i < kOps; ++i) {
    OpStrings& op = ops[static_cast<size_t>(i)];
    op.name = "Resample" + std::to_string(i);
    op.inputs = {"images: N * T", "size: Tsize"};
    op.outputs = {"resampled: N * T", "scales: float"};
    op.attrs = {"T: {uint8, half, float, double}", "N: int >= 1", "Tsize: {int32, int64} = DT_INT32",
                "method: {'nearest', 'linear', 'cubic'} = 'linear'", "strides: list(int) = [1, 2, 2, 1]"};
    op.doc = "Resamples images.\n\nimages: All of one size.\nsize: Height and width.\n";
  }
  return ops;
}

void BM_ParseAndValidate1000Ops(benchmark::State& state) {
  const std::vector<OpStrings> ops = Ops();
  for (auto _ : state) {
    for (const OpStrings& strings : ops) {
      OpDef op;
      if (!ParseOp(strings, &op).empty()) state.SkipWithError("an op was refused");
      benchmark::DoNotOptimize(op);
    }
  }
}
BENCHMARK(BM_ParseAndValidate1000Ops)->Unit(benchmark::kMillisecond);

}  // namespace

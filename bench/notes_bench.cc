// bench/notes_bench.cc: the cost of reading 200 plugin files before any of them is opened.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "host/examine/catalog.h"

namespace {

namespace fs = std::filesystem;
using opsrun::host::Catalog;
using opsrun::host::ReadCatalog;
using opsrun::host::SearchedDirectory;

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

}  // namespace

// tests/fuzz/target.cc: helpers of all targets.
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace opsrun::fuzz {

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> FilesIn(const std::string& directory, std::string_view ending) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.is_regular_file() && entry.path().native().ends_with(ending)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> Corpus(std::string_view name, const std::vector<std::string>& files) {
  std::vector<std::string> inputs;
  for (const std::string& path : files) inputs.push_back(ContentOf(path));
  for (const std::string& path : FilesIn(std::string(OPSRUN_FUZZ_CORPUS "/") += name, ""))
    inputs.push_back(ContentOf(path));
  return inputs;
}

}  // namespace opsrun::fuzz

// tests/fuzz/target.cc: helpers of all targets.
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace opsrun::fuzz {

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

std::vector<std::string> SplitWords(const std::string& texts) {
  std::istringstream rest(texts);
  std::vector<std::string> found;
  for (std::string text; std::getline(rest, text, ';');) found.push_back(text);
  return found;
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

std::vector<std::string> ContentsOf(const std::vector<std::string>& files) {
  std::vector<std::string> contents;
  for (const std::string& path : files) contents.push_back(ContentOf(path));
  return contents;
}

std::vector<std::string> SeedsOf(const Target& target) {
  std::vector<std::string> seeds = ContentsOf(FilesIn(std::string(OPSRUN_FUZZ_CORPUS "/") += target.name, ""));
  if (target.seeds != nullptr) std::ranges::move(target.seeds(), std::back_inserter(seeds));
  return seeds;
}

}  // namespace opsrun::fuzz

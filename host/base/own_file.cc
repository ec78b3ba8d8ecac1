// host/base/own_file.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/own_file.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

// A line break in a path stands there as "\012", and so do these four characters: only the link of the mapping is
// exact. Source: proc(5).
fs::path ExactPath(const std::string& line, const std::string& path) {
  if (path.find("\\012") == std::string::npos) return path;
  std::error_code error;
  return fs::read_symlink("/proc/self/map_files/" + line.substr(0, line.find(' ')), error);
}

// Such as /tmp. Whoever could replace the folder that this program is in needs no trick; there, nobody can.
bool OthersAddTo(const fs::path& folder) {
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0) return true;
  return (status.st_mode & S_ISVTX) != 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace

std::string FileOfMapping(std::string_view line, uintptr_t address) {
  char* end = nullptr;
  const std::string text(line);
  const uintptr_t first = std::strtoull(text.c_str(), &end, 16);
  if (*end != '-') return "";
  const uintptr_t behind = std::strtoull(end + 1, &end, 16);
  if (address < first || address >= behind) return "";
  const size_t path = line.find('/', static_cast<size_t>(end - text.c_str()));
  return path == std::string_view::npos ? "" : std::string(line.substr(path));
}

fs::path OwnFile() {
  std::ifstream mappings("/proc/self/maps");
  for (std::string line; std::getline(mappings, line);) {
    const std::string path = FileOfMapping(line, reinterpret_cast<uintptr_t>(&OwnFile));
    if (!path.empty()) return ExactPath(line, path);
  }
  return {};
}

fs::path AboveOwnFolder(int levels) {
  fs::path folder = OwnFile().parent_path();
  for (int i = 0; i < levels; ++i) folder = folder.parent_path();
  return folder.empty() || OthersAddTo(folder) ? fs::path() : folder;
}

}  // namespace opsrun::host

// host/base/own_file.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/own_file.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace opsrun::host {
namespace {

// Whether this code is part of the program, not of a library that the loader has loaded for it.
bool IsInProgram() {
  Dl_info info = {};
  link_map* map = nullptr;
  const int found =
      dladdr1(reinterpret_cast<const void*>(&OwnFile), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  return found == 0 || map == nullptr || map->l_name == nullptr || *map->l_name == '\0';
}

// The kernel writes a line break in a path as "\012", and nothing else in this way. Source: proc(5).
std::string WithoutEscapes(std::string_view path) {
  std::string plain;
  for (size_t at = 0; at < path.size(); ++at) {
    const bool escaped = path.substr(at, 4) == "\\012";
    plain += escaped ? '\n' : path[at];
    if (escaped) at += 3;
  }
  return plain;
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
  return path == std::string_view::npos ? "" : WithoutEscapes(line.substr(path));
}

std::filesystem::path OwnFile() {
  std::error_code error;
  std::filesystem::path file;
  if (IsInProgram()) {
    file = std::filesystem::read_symlink("/proc/self/exe", error);
  } else {
    std::ifstream mappings("/proc/self/maps");
    for (std::string line; file.empty() && std::getline(mappings, line);)
      file = FileOfMapping(line, reinterpret_cast<uintptr_t>(&OwnFile));
  }
  return file.is_absolute() ? file : std::filesystem::path();
}

}  // namespace opsrun::host

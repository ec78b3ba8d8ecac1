// tests/bad_plugins/test_plugins.h: the built plugins, and a host whose functions do nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "host/plugin/load.h"

namespace opsrun::host {

// The path of a plugin: "good" gives that of good.so.
inline std::string PluginPath(const std::string& name) {
  return std::string(OPSRUN_BAD_PLUGINS) + '/' + name + ".so";
}

inline std::string PluginBytes(const std::string& name) {
  std::ifstream file(PluginPath(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename T>
T At(const std::string& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// Of an ELF file: its program headers (Elf64_Phdr) or its sections (Elf64_Shdr).
template <typename T>
std::vector<T> Headers(const std::string& bytes) {
  const auto header = At<Elf64_Ehdr>(bytes, 0);
  const bool segments = std::is_same_v<T, Elf64_Phdr>;
  std::vector<T> all;
  for (size_t i = 0; i < (segments ? header.e_phnum : header.e_shnum); ++i)
    all.push_back(At<T>(bytes, (segments ? header.e_phoff : header.e_shoff) + i * sizeof(T)));
  return all;
}

// All slots are set; all except `fail` do nothing.
inline const opsrun_host* TestHost() {
  static const opsrun_host host = [] {
    opsrun_host table;
    auto nothing = +[]() -> int32_t { return OPSRUN_UNIMPLEMENTED; };
    auto* slots = reinterpret_cast<int32_t (**)()>(&table);
    std::fill(slots, slots + sizeof(table) / sizeof(*slots), nothing);
    table.size = sizeof(table);
    table.level = OPSRUN_LEVEL;
    table.fail = [](const opsrun_host*, void*, int32_t code, opsrun_str text, opsrun_str) { return FailEntry(code, text); };
    return table;
  }();
  return &host;
}

}  // namespace opsrun::host

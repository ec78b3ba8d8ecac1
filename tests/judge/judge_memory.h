// tests/judge/judge_memory.h: what cheats find out about the process that they run in, and about the judge's memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace opsrun {
namespace {

// Cheats that would harm another process do it only there: opsrun itself has a parent that must not be touched.
inline bool IsInJudge() {
  return std::strcmp(program_invocation_short_name, "opsrun-isolated") == 0;
}

struct Mapping {
  char* begin = nullptr;
  char* end = nullptr;
  char permissions[5] = {};
  char name[256] = {};

  size_t bytes() const { return static_cast<size_t>(end - begin); }
  bool IsShared() const { return permissions[3] == 's' && permissions[1] == 'w'; }
};

inline std::vector<Mapping> OwnMappings() {
  std::vector<Mapping> mappings;
  std::FILE* const file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return mappings;
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    Mapping mapping;
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line, "%lx-%lx %4s %*s %*s %*s %255s", &begin, &end, mapping.permissions, mapping.name) < 3)
      continue;
    mapping.begin = reinterpret_cast<char*>(begin);
    mapping.end = reinterpret_cast<char*>(end);
    mappings.push_back(mapping);
  }
  std::fclose(file);
  return mappings;
}

// The words of the judge, by the name of their memory; null outside of its process.
inline volatile uint32_t* JudgeWords() {
  static volatile uint32_t* const words = [] {
    for (const Mapping& mapping : OwnMappings()) {
      if (std::strcmp(mapping.name, "/memfd:opsrun-judge") == 0)
        return reinterpret_cast<volatile uint32_t*>(mapping.begin);
    }
    return static_cast<volatile uint32_t*>(nullptr);
  }();
  return words;
}

// The first word is the number of the order, the second one of the last order that is done.
inline void SayDone() {
  volatile uint32_t* const words = JudgeWords();
  if (words == nullptr || words[1] == words[0]) return;
  words[1] = words[0];
  syscall(SYS_futex, words + 1, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace
}  // namespace opsrun

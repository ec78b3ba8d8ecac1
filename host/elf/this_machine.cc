// host/elf/this_machine.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/this_machine.h"

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <bit>
#include <cstdlib>

namespace opsrun::host {
namespace {

// The levels of the x86-64 psABI, section "micro-architecture levels".
uint32_t X86Isa() {
#if defined(__x86_64__)
  const bool v2 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return 1u | (v2 ? 2u : 0) | (v3 ? 4u : 0) | (v4 ? 8u : 0);
#else
  return 0;
#endif
}

}  // namespace

Machine MachineHere() {
  Machine machine;
  machine.x86_isa = X86Isa();
#if defined(__GLIBC__)
  machine.glibc = gnu_get_libc_version();
#endif
  return machine;
}

std::string HighestIsa(uint32_t bits) {
  return bits <= 1 ? "x86-64" : fmt::format("x86-64-v{}", std::bit_width(bits));
}

bool IsOlder(const std::string& version, const std::string& than) {
  const char *a = version.c_str(), *b = than.c_str();
  while (*a != '\0' || *b != '\0') {
    char *after_a = nullptr, *after_b = nullptr;
    const unsigned long left = std::strtoul(a, &after_a, 10), right = std::strtoul(b, &after_b, 10);
    if (left != right) return left < right;
    if (after_a == a && after_b == b) return false;
    a = after_a + (*after_a == '.');
    b = after_b + (*after_b == '.');
  }
  return false;
}

}  // namespace opsrun::host

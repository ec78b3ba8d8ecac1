// plugins/math_ops/isa_cpu.cc
//
// Instead of __builtin_cpu_supports, which supports the names of the levels and of some instructions only in recent
// compilers.
// SPDX-License-Identifier: Apache-2.0
#include "isa_cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace math_ops {
namespace {

constexpr uint64_t Bits() {
  return 0;
}
template <typename... More>
constexpr uint64_t Bits(int bit, More... more) {
  return uint64_t{1} << bit | Bits(more...);
}

// The features that a level requires in addition to the previous level.
struct Needs {
  uint64_t leaf1_ecx, leaf7_ebx, extended1_ecx, saved_state;
};

constexpr Needs kNeeds[] = {
    // v2: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF
    {Bits(0, 9, 13, 19, 20, 23), 0, Bits(0), 0},
    // v3: FMA, MOVBE, XSAVE that the system uses, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; xmm and ymm registers
    {Bits(12, 22, 27, 28, 29), Bits(3, 5, 8), Bits(5), Bits(1, 2)},
    // v4: AVX-512 F, DQ, CD, BW, VL; mask and zmm registers
    {0, Bits(16, 17, 28, 30, 31), 0, Bits(5, 6, 7)},
};

bool Has(const CpuFacts& facts, const Needs& needs) {
  return (facts.leaf1_ecx & needs.leaf1_ecx) == needs.leaf1_ecx &&
         (facts.leaf7_ebx & needs.leaf7_ebx) == needs.leaf7_ebx &&
         (facts.extended1_ecx & needs.extended1_ecx) == needs.extended1_ecx &&
         (facts.saved_state & needs.saved_state) == needs.saved_state;
}

}  // namespace

#if defined(__x86_64__)
CpuFacts ReadCpuFacts() {
  CpuFacts facts;
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) facts.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) facts.leaf7_ebx = ebx;
  if (__get_cpuid(0x80000001U, &eax, &ebx, &ecx, &edx) != 0) facts.extended1_ecx = ecx;
  constexpr uint32_t kOsxsave = 1U << 27;  // without it, XGETBV is an illegal instruction
  if ((facts.leaf1_ecx & kOsxsave) != 0) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    facts.saved_state = uint64_t{high} << 32 | low;
  }
  return facts;
}
#else
CpuFacts ReadCpuFacts() {
  return {};
}
#endif

int LevelOf(const CpuFacts& facts) {
  int level = 1;
  for (const Needs& needs : kNeeds) {
    if (!Has(facts, needs)) break;
    ++level;
  }
  return level;
}

}  // namespace math_ops

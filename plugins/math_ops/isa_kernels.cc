// plugins/math_ops/isa_kernels.cc
// SPDX-License-Identifier: Apache-2.0
#include "isa_kernels.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

// MATH_OPS_SETS: the tables of the compiled sets, separated by commas, the fastest last.
extern "C" {
extern const math_ops::Kernels MATH_OPS_SETS;
}

namespace math_ops {
namespace {

template <typename... Numbers>
constexpr uint64_t Bits(Numbers... bits) {
  return ((uint64_t{1} << bits) | ...);
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

// Instead of __builtin_cpu_supports, which supports the names of the levels and of some instructions only in recent
// compilers.
CpuFacts ReadCpuFacts() {
  CpuFacts facts;
#if defined(__x86_64__)
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
#endif
  return facts;
}

bool Runs(const Kernels& kernels, int level) {
  if (std::strcmp(kernels.name, "plain") == 0) return true;
  return kernels.name[std::strlen(kernels.name) - 1] - '0' <= level;
}

template <typename... Sets>
std::vector<const Kernels*> RunnableAmong(const Sets&... sets) {
  const int level = LevelOf(ReadCpuFacts());
  std::vector<const Kernels*> runnable;
  ((Runs(sets, level) ? runnable.push_back(&sets) : void()), ...);
  return runnable;
}

}  // namespace

int LevelOf(const CpuFacts& facts) {
  const auto lacking = [&](const Needs& needs) { return !Has(facts, needs); };
  return 1 + static_cast<int>(std::find_if(std::begin(kNeeds), std::end(kNeeds), lacking) - std::begin(kNeeds));
}

std::vector<const Kernels*> SupportedKernels() {
  return RunnableAmong(MATH_OPS_SETS);
}

const Kernels* BestKernels() {
  static const Kernels* const best = [] {
    const std::vector<const Kernels*> supported = SupportedKernels();
    return supported.empty() ? nullptr : supported.back();
  }();
  return best;
}

}  // namespace math_ops

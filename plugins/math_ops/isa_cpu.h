// plugins/math_ops/isa_cpu.h: which level of x86-64 a processor has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace math_ops {

// What the processor and the operating system say about themselves.
struct CpuFacts {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, extended1_ecx = 0;  // of the instruction CPUID
  uint64_t saved_state = 0;                                  // XCR0: the registers that the system saves
};

// All zero on other processors.
CpuFacts ReadCpuFacts();

// The highest N such that code compiled for x86-64-vN runs, up to 4; 1 if that is not known. A level needs all of its
// instructions, and an operating system that saves its registers.
int LevelOf(const CpuFacts& facts);

}  // namespace math_ops

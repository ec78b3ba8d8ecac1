// plugins/math_ops/isa_cpu.h: detects the x86-64 level of the processor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace math_ops {

// What the processor and the operating system report.
struct CpuFacts {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, extended1_ecx = 0;  // from the instruction CPUID
  uint64_t saved_state = 0;                                  // XCR0: the registers that the system saves
};

// All zero on other processors.
CpuFacts ReadCpuFacts();

// The highest N up to 4 such that code compiled for x86-64-vN runs; 1 if unknown. A level requires all of its
// instructions, and an operating system that saves its registers.
int LevelOf(const CpuFacts& facts);

}  // namespace math_ops

// host/elf/this_machine.h: what this machine runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace opsrun::host {

struct Machine {
  uint32_t x86_isa = 0;  // as in GNU_PROPERTY_X86_ISA_1_NEEDED: bit n is level n + 1 of x86-64; 0 elsewhere
  std::string glibc;     // "2.36"; empty if the C library is another one
};

Machine MachineHere();

// The highest level among these bits, by name: "x86-64-v3" for bit 2; bit 0 is "x86-64", and so is none.
std::string HighestIsa(uint32_t bits);

// True if version "2.9" is below "2.36".
bool IsOlder(const std::string& version, const std::string& than);

}  // namespace opsrun::host

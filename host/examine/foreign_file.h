// host/examine/foreign_file.h: what a file is if it is not an ELF file, and what this machine can run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/diagnostic.h"
#include "host/examine/file_bytes.h"

namespace opsrun::host {

// Recognizes the file by its first bytes: "it is a Git LFS pointer, not a shared library", with a remedy.
Refusal ExplainForeign(const FileBytes& bytes);

// What this machine can run.
struct Machine {
  uint32_t x86_isa = 0;  // as in GNU_PROPERTY_X86_ISA_1_NEEDED: bit n is level n + 1 of x86-64; 0 elsewhere
  std::string glibc;     // "2.36"; empty if the C library is another one
};

Machine MachineHere();

// The highest level of these bits by name: "x86-64-v3" for bit 2; "x86-64" for bit 0 or no bit.
std::string HighestIsa(uint32_t bits);

// Compares numbers between dots: "2.9" is older than "2.36".
bool IsOlder(const std::string& version, const std::string& than);

}  // namespace opsrun::host

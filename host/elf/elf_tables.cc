// host/elf/elf_tables.cc: the dynamic section, and what lies where.
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/elf_tables.h"

#include <utility>

#include "host/elf/elf_file.h"

namespace opsrun::host {
namespace {

bool Lies(uint64_t address, uint64_t n, uint64_t begin, uint64_t size) {
  return address >= begin && address - begin <= size && n <= size - (address - begin);
}

}  // namespace

ElfTables::ElfTables(const FileBytes& bytes, std::vector<Elf64_Phdr> segments)
    : bytes_(bytes), segments_(std::move(segments)), problem_("it has no dynamic section") {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    ReadDynamic(segment);
    return;
  }
}

// The dynamic linker reads it where it is loaded, not where the file has it, and up to DT_NULL, wherever that is.
void ElfTables::ReadDynamic(const Elf64_Phdr& segment) {
  problem_ = "its dynamic section lies outside its segments";
  if (segment.p_filesz > kMaxDynamicBytes || segment.p_vaddr % alignof(Elf64_Dyn) != 0) return;
  const auto entries = Array<Elf64_Dyn>(segment.p_vaddr, segment.p_filesz / sizeof(Elf64_Dyn));
  if (!entries || !InMemory(segment.p_vaddr, segment.p_filesz, false)) return;
  problem_ = "its dynamic section has no end";
  for (const Elf64_Dyn& entry : *entries) {
    if (entry.d_tag == DT_NULL) return problem_.clear();
    if (entry.d_tag == DT_NEEDED) needed_.push_back(entry.d_un.d_val);
    values_[entry.d_tag] = entry.d_un.d_val;
  }
}

uint64_t ElfTables::Value(int64_t tag) const {
  const auto found = values_.find(tag);
  return found == values_.end() ? 0 : found->second;
}

bool ElfTables::InMemory(uint64_t address, uint64_t n, bool writable) const {
  for (const Elf64_Phdr& segment : segments_) {
    const bool fits = segment.p_type == PT_LOAD && (!writable || (segment.p_flags & PF_W) != 0);
    if (fits && Lies(address, n, segment.p_vaddr, segment.p_memsz)) return true;
  }
  return false;
}

bool ElfTables::InCode(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    const bool code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    if (code && Lies(address, 1, segment.p_vaddr, segment.p_memsz)) return true;
  }
  return false;
}

std::optional<uint64_t> ElfTables::Offset(uint64_t address, uint64_t n) const {
  for (const Elf64_Phdr& segment : segments_) {
    const bool readable = segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0;
    if (!readable || !Lies(address, n, segment.p_vaddr, segment.p_filesz)) continue;
    return segment.p_offset + (address - segment.p_vaddr);
  }
  return std::nullopt;
}

}  // namespace opsrun::host

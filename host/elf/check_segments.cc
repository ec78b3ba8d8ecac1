// host/elf/check_segments.cc: the program headers among themselves. That LOAD segments lie in the file is known.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "host/elf/check_tables.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kSmallestPage = 4096;
constexpr uint64_t kMostThreadBytes = uint64_t{1} << 30;
constexpr uint32_t kPropertySegment = 0x6474E553;  // PT_GNU_PROPERTY, which older <elf.h> lack

bool IsAligned(const Elf64_Phdr& segment) {
  return std::has_single_bit(segment.p_align) && segment.p_align >= kSmallestPage &&
         (segment.p_vaddr - segment.p_offset) % segment.p_align == 0;
}

// The dynamic linker maps one after the other; one that reaches into the next would be written over.
bool LoadsInOrder(const std::vector<Elf64_Phdr>& segments) {
  uint64_t end = 0;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD) continue;
    const bool first = end == 0;
    const bool apart = first || segment.p_vaddr / kSmallestPage >= (end + kSmallestPage - 1) / kSmallestPage;
    if (!apart || !IsAligned(segment)) return false;
    if (segment.p_memsz > segment.p_filesz && (segment.p_flags & PF_W) == 0) return false;
    if (__builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end)) return false;
  }
  return true;
}

// It becomes read-only in the end. Linkers round its size up to a whole page of the segment that it is in.
bool IsRelroOf(const Elf64_Phdr& relro, const Elf64_Phdr& load) {
  if (load.p_type != PT_LOAD || (load.p_flags & PF_W) == 0 || relro.p_vaddr < load.p_vaddr) return false;
  const uint64_t within = relro.p_vaddr - load.p_vaddr;
  const uint64_t most = load.p_memsz + load.p_align;
  return within <= load.p_memsz && relro.p_memsz <= most - within;
}

// What else the dynamic linker or the C++ library goes to.
bool LiesInLoads(const Elf64_Phdr& segment, const std::vector<Elf64_Phdr>& all, const ElfTables& tables) {
  switch (segment.p_type) {
    case PT_GNU_RELRO:
      return std::any_of(all.begin(), all.end(), [&](const Elf64_Phdr& load) { return IsRelroOf(segment, load); });
    case PT_NOTE:  // the dynamic linker looks for properties in it
    case kPropertySegment:
    case PT_GNU_EH_FRAME:
      return tables.InMemory(segment.p_vaddr, segment.p_filesz, false);
    case PT_TLS:
      return (segment.p_align == 0 || std::has_single_bit(segment.p_align)) && segment.p_filesz <= segment.p_memsz &&
             segment.p_memsz <= kMostThreadBytes && tables.InMemory(segment.p_vaddr, segment.p_filesz, false);
    default:
      return true;
  }
}

}  // namespace

std::string CheckSegments(const std::vector<Elf64_Phdr>& segments, const ElfTables& tables) {
  if (!LoadsInOrder(segments)) return "its segments overlap or are not aligned";
  for (const Elf64_Phdr& segment : segments) {
    if (!LiesInLoads(segment, segments, tables)) return "a segment lies outside what is loaded";
  }
  return "";
}

}  // namespace opsrun::host

// host/examine/check_tables.cc: the dynamic section as a whole, and the parts in order.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "host/examine/elf_file.h"
#include "host/examine/library_facts.h"

namespace opsrun::host {
namespace {

struct Group {
  const char* what;
  std::vector<int64_t> tags;  // either all or none are present
};

const std::vector<Group>& Groups() {
  static const std::vector<Group> groups = {{"relocations", {DT_RELA, DT_RELASZ, DT_RELAENT}},
                                            {"relocations of calls", {DT_JMPREL, DT_PLTRELSZ, DT_PLTREL}},
                                            {"constructors", {DT_INIT_ARRAY, DT_INIT_ARRAYSZ}},
                                            {"destructors", {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}},
                                            {"needed versions", {DT_VERNEED, DT_VERNEEDNUM}},
                                            {"own versions", {DT_VERDEF, DT_VERDEFNUM}},
                                            {"packed relocations", {kDtRelr, kDtRelrSize, kDtRelrEntry}}};
  return groups;
}

std::string CheckGroups(const ElfTables& tables) {
  for (const Group& group : Groups()) {
    size_t found = 0;
    for (int64_t tag : group.tags) found += tables.Has(tag);
    if (found != 0 && found != group.tags.size())
      return fmt::format("its table of {} is described only in part", group.what);
  }
  const bool complete =
      tables.Has(DT_STRTAB) && tables.Has(DT_SYMTAB) && (tables.Has(DT_HASH) || tables.Has(DT_GNU_HASH));
  if (!complete) return "its dynamic section lacks symbols, their names or their hash table";
  const bool strange = tables.Has(DT_REL) || tables.Has(DT_PREINIT_ARRAY) ||
                       (tables.Has(DT_RELA) && tables.Value(DT_RELAENT) != sizeof(Elf64_Rela)) ||
                       (tables.Has(DT_JMPREL) && tables.Value(DT_PLTREL) != DT_RELA) ||
                       (tables.Has(kDtRelr) && tables.Value(kDtRelrEntry) != sizeof(uint64_t)) ||
                       tables.Value(DT_SYMENT) != sizeof(Elf64_Sym);
  return strange ? "its dynamic section has entries that this machine does not use" : "";
}

std::string CheckStrings(const ElfTables& tables) {
  const uint64_t size = tables.Value(DT_STRSZ);
  const auto text = tables.Array<char>(tables.Value(DT_STRTAB), size);
  if (!text || size == 0 || text->back() != '\0') return "its names lie outside its segments";
  bool inside = true;
  for (const int64_t tag : {DT_SONAME, DT_RPATH, DT_RUNPATH, DT_AUXILIARY, DT_FILTER})
    inside = inside && tables.Value(tag) < size;
  for (uint64_t name : tables.needed()) inside = inside && name < size;
  return inside ? "" : "a name lies outside its table of names";
}

std::string CheckCode(const ElfTables& tables) {
  for (int64_t tag : {DT_INIT, DT_FINI}) {
    if (tables.Has(tag) && !tables.InCode(tables.Value(tag)))
      return "a constructor or destructor lies outside its code";
  }
  return "";
}

// Checks of the program headers. LOAD segments are known to be within the file.

constexpr uint64_t kSmallestPage = 4096;
constexpr uint64_t kMostThreadBytes = uint64_t{1} << 30;
constexpr uint32_t kPropertySegment = 0x6474E553;  // PT_GNU_PROPERTY, which older <elf.h> lack

bool IsAligned(const Elf64_Phdr& segment) {
  return std::has_single_bit(segment.p_align) && segment.p_align >= kSmallestPage &&
         (segment.p_vaddr - segment.p_offset) % segment.p_align == 0;
}

// The dynamic linker maps the segments in order, so overlapping segments would overwrite each other.
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

// The relro part becomes read-only after relocation. Linkers round its size up to a page of its segment.
bool IsRelroOf(const Elf64_Phdr& relro, const Elf64_Phdr& load) {
  if (load.p_type != PT_LOAD || (load.p_flags & PF_W) == 0 || relro.p_vaddr < load.p_vaddr) return false;
  const uint64_t within = relro.p_vaddr - load.p_vaddr;
  const uint64_t most = load.p_memsz + load.p_align;
  return within <= load.p_memsz && relro.p_memsz <= most - within;
}

// Checks other segments that the dynamic linker or the C++ library uses.
bool LiesInLoads(const Elf64_Phdr& segment, const std::vector<Elf64_Phdr>& all, const ElfTables& tables) {
  switch (segment.p_type) {
    case PT_GNU_RELRO:
      return std::any_of(all.begin(), all.end(), [&](const Elf64_Phdr& load) { return IsRelroOf(segment, load); });
    case PT_NOTE:  // the dynamic linker reads properties from it
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

std::string CheckSegments(const std::vector<Elf64_Phdr>& segments, const ElfTables& tables) {
  if (!LoadsInOrder(segments)) return "its segments overlap or are not aligned";
  for (const Elf64_Phdr& segment : segments) {
    if (!LiesInLoads(segment, segments, tables)) return "a segment lies outside what is loaded";
  }
  return "";
}

// Checks of what the dynamic linker writes to and calls.

#if defined(__x86_64__)
constexpr uint64_t kCopy = R_X86_64_COPY, kIrelative = R_X86_64_IRELATIVE, kRelative = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr uint64_t kCopy = R_AARCH64_COPY, kIrelative = R_AARCH64_IRELATIVE, kRelative = R_AARCH64_RELATIVE;
#elif defined(__riscv)
constexpr uint64_t kCopy = R_RISCV_COPY, kIrelative = R_RISCV_IRELATIVE, kRelative = R_RISCV_RELATIVE;
#endif

constexpr char kOutside[] = "its relocations lie outside the file";

class RelocationChecker {
 public:
  RelocationChecker(const ElfTables& tables, uint64_t symbols) : tables_(tables), symbols_(symbols) {
    const bool text = tables.Has(DT_TEXTREL) || (tables.Value(DT_FLAGS) & DF_TEXTREL) != 0;
    only_writable_ = !text;
  }

  std::string Check() {
    std::string problem = CheckTable(tables_.Value(DT_RELA), tables_.Value(DT_RELASZ), tables_.Value(DT_RELACOUNT));
    if (problem.empty()) problem = CheckTable(tables_.Value(DT_JMPREL), tables_.Value(DT_PLTRELSZ), 0);
    if (problem.empty()) problem = CheckPacked();
    if (problem.empty()) problem = CheckFunctions(tables_.Value(DT_INIT_ARRAY), tables_.Value(DT_INIT_ARRAYSZ));
    if (problem.empty()) problem = CheckFunctions(tables_.Value(DT_FINI_ARRAY), tables_.Value(DT_FINI_ARRAYSZ));
    return problem;
  }

 private:
  // The dynamic linker does not check the type of the first `relative` relocations.
  std::string CheckTable(uint64_t at, uint64_t size, uint64_t relative) {
    if (size == 0) return relative == 0 ? "" : kOutside;
    const auto all = tables_.Array<Elf64_Rela>(at, size / sizeof(Elf64_Rela));
    if (!all || at % alignof(Elf64_Rela) != 0 || size % sizeof(Elf64_Rela) != 0 || relative > all->size())
      return kOutside;
    for (size_t i = 0; i < all->size(); ++i) {
      const Elf64_Rela& each = (*all)[i];
      if (i < relative && ELF64_R_TYPE(each.r_info) != kRelative) return "its relocations are not in order";
      if (IsWild(each)) return "a relocation leads out of the file";
      addends_[each.r_offset] = ELF64_R_SYM(each.r_info) == 0 ? static_cast<uint64_t>(each.r_addend) : 0;
    }
    return "";
  }

  // An even word is the address of a slot; an odd one is a bitmap of which of the next 63 slots are relocated.
  std::string CheckPacked() const {
    constexpr uint64_t kSlots = 63;
    const uint64_t at = tables_.Value(kDtRelr), size = tables_.Value(kDtRelrSize);
    if (!tables_.Has(kDtRelr) || size == 0) return "";
    const auto words = tables_.Array<uint64_t>(at, size / sizeof(uint64_t));
    if (!words || at % sizeof(uint64_t) != 0 || size % sizeof(uint64_t) != 0) return kOutside;
    uint64_t next = 0;
    for (const uint64_t word : *words) {
      const bool bitmap = (word & 1) != 0;
      uint64_t slots = bitmap ? word >> 1 : 1, slot = bitmap ? next : word;
      next = slot + (bitmap ? kSlots : 1) * sizeof(uint64_t);
      for (; slots != 0; slots >>= 1, slot += sizeof(uint64_t)) {
        if ((slots & 1) != 0 && !tables_.InMemory(slot, sizeof(uint64_t), only_writable_))
          return "a relocation leads out of the file";
      }
    }
    return "";
  }

  bool IsWild(const Elf64_Rela& relocation) const {
    const uint64_t type = ELF64_R_TYPE(relocation.r_info);
    if (type == 0) return false;
    const bool resolver = type == kIrelative && !tables_.InCode(static_cast<uint64_t>(relocation.r_addend));
    return type == kCopy || resolver || ELF64_R_SYM(relocation.r_info) >= symbols_ ||
           !tables_.InMemory(relocation.r_offset, sizeof(uint32_t), only_writable_);
  }

  // Functions that the dynamic linker calls itself. The value of a slot comes from a relocation, or from the file.
  std::string CheckFunctions(uint64_t at, uint64_t size) const {
    constexpr char kWild[] = "a constructor or destructor lies outside its code";
    const auto slots = tables_.Array<uint64_t>(at, size / sizeof(uint64_t));
    if (size == 0) return "";
    if (!slots || at % sizeof(uint64_t) != 0 || size % sizeof(uint64_t) != 0) return kWild;
    for (size_t i = 0; i < slots->size(); ++i) {
      const auto relocated = addends_.find(at + i * sizeof(uint64_t));
      const bool missed = relocated == addends_.end();
      const uint64_t function = missed ? (*slots)[i] : relocated->second;
      if (function != 0 && (!tables_.InCode(function) || (missed && !tables_.Has(kDtRelr)))) return kWild;
    }
    return "";
  }

  const ElfTables& tables_;
  uint64_t symbols_;
  bool only_writable_ = true;
  std::unordered_map<uint64_t, uint64_t> addends_;  // by address; 0 if a symbol determines the value
};

std::string CheckRelocations(const ElfTables& tables, uint64_t symbols) {
  return RelocationChecker(tables, symbols).Check();
}

std::string FirstProblem(const ElfTables& tables) {
  if (!tables.problem().empty()) return tables.problem();
  for (auto* check : {CheckGroups, CheckStrings, CheckCode}) {
    if (std::string problem = check(tables); !problem.empty()) return problem;
  }
  uint64_t symbols = 0;
  if (std::string problem = CheckSymbols(tables, &symbols); !problem.empty()) return problem;
  if (std::string problem = CheckVersions(tables, symbols); !problem.empty()) return problem;
  return CheckRelocations(tables, symbols);
}

}  // namespace

std::optional<Refusal> CheckTables(const FileBytes& bytes) {
  const ElfFile elf(bytes);
  if (auto problem = elf.Problem()) return problem;
  const ElfTables tables(bytes, elf.segments());
  std::string problem = CheckSegments(elf.segments(), tables);
  if (problem.empty()) problem = FirstProblem(tables);
  if (problem.empty()) return std::nullopt;
  return Refusal{fmt::format("the file is damaged: {}", problem), "copy it again, or build it again"};
}

}  // namespace opsrun::host

// host/elf/check_relocations.cc: where the dynamic linker will write, and what it will call.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "host/elf/check_tables.h"

namespace opsrun::host {
namespace {

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
  // The first `relative` of them are taken for what they should be, whatever they say.
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

  // An even word is the address of a slot; an odd one says which of the 63 slots behind it are relocated too.
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

  // Functions that are called without being asked for. A slot holds what a relocation puts there, or what the file has.
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
  std::unordered_map<uint64_t, uint64_t> addends_;  // by place; 0 where a symbol decides
};

}  // namespace

std::string CheckRelocations(const ElfTables& tables, uint64_t symbols) {
  return RelocationChecker(tables, symbols).Check();
}

}  // namespace opsrun::host

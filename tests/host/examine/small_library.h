// tests/host/examine/small_library.h: the bytes of a whole shared library of two pages, with each part to be changed.
//
// The first page is code and tables, at its own address; the second is data, at address 0x2000. Nothing opens it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "host/examine/library_facts.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::host {

#if defined(__x86_64__)
inline constexpr uint64_t kRelativeType = R_X86_64_RELATIVE, kCopyRelocation = R_X86_64_COPY,
                          kResolverRelocation = R_X86_64_IRELATIVE, kPointerType = R_X86_64_64;
#elif defined(__aarch64__)
inline constexpr uint64_t kRelativeType = R_AARCH64_RELATIVE, kCopyRelocation = R_AARCH64_COPY,
                          kResolverRelocation = R_AARCH64_IRELATIVE, kPointerType = R_AARCH64_ABS64;
#else
inline constexpr uint64_t kRelativeType = R_RISCV_RELATIVE, kCopyRelocation = R_RISCV_COPY,
                          kResolverRelocation = R_RISCV_IRELATIVE, kPointerType = R_RISCV_64;
#endif

struct SmallLibrary {
  static constexpr uint64_t kPage = 0x1000, kData = 0x2000, kDataBytes = 0x800, kDataMemory = 0x900;
  static constexpr uint64_t kCode = 0xE00;
  static constexpr uint64_t kNames = 0x400, kSymbols = 0x500, kHash = 0x600, kVersions = 0x700, kNeeds = 0x740,
                            kDefines = 0x7A0, kRelocations = 0x800, kCalls = 0x880, kPacked = 0x900;
  static constexpr uint64_t kSlots = kData + 0x400, kEndSlots = kData + 0x420, kPlace = kData + 0x440;

  enum Segment { kText, kWritable, kDynamic, kRelro, kUnwind, kThread, kSegments };

  struct GnuHash {
    uint32_t buckets = 1, first = 1, blooms = 1, shift = 6;
    uint64_t bloom = 0;
    uint32_t bucket = 1, chain[2] = {2, 3};
  };
  struct OldHash {
    uint32_t buckets = 1, links = 3, bucket = 1, chain[3] = {0, 2, 0};
  };

  using Entry = std::pair<int64_t, uint64_t>;

  SmallLibrary() {
    segments = {{PT_LOAD, PF_R | PF_X, 0, 0, 0, kPage, kPage, kPage},
                {PT_LOAD, PF_R | PF_W, kPage, kData, kData, kDataBytes, kDataMemory, kPage},
                {PT_DYNAMIC, PF_R | PF_W, kPage, kData, kData, 0x300, 0x300, 8},
                {PT_GNU_RELRO, PF_R, kPage, kData, kData, 0x300, 0x300, 1},
                {PT_GNU_EH_FRAME, PF_R, 0xF00, 0xF00, 0xF00, 0x10, 0x10, 4},
                {PT_TLS, PF_R, 0xF00, 0xF00, 0xF00, 0x10, 0x20, 8}};
    names = std::string("\0libx.so\0V_1\0outer\0inner\0V_2\0", 29);
    symbols[1] = {13, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, SHN_UNDEF, 0, 0};
    symbols[2] = {19, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, 1, kCode, 16};
    for (const auto& [tag, value] :
         {Entry(DT_NEEDED, 1), Entry(DT_STRTAB, kNames), Entry(DT_STRSZ, names.size()), Entry(DT_SYMTAB, kSymbols),
          Entry(DT_SYMENT, sizeof(Elf64_Sym)), Entry(DT_GNU_HASH, kHash), Entry(DT_VERSYM, kVersions),
          Entry(DT_VERNEED, kNeeds), Entry(DT_VERNEEDNUM, 1), Entry(DT_VERDEF, kDefines), Entry(DT_VERDEFNUM, 1),
          Entry(DT_RELA, kRelocations), Entry(DT_RELASZ, sizeof(relocations)), Entry(DT_RELAENT, sizeof(Elf64_Rela)),
          Entry(DT_RELACOUNT, 2), Entry(DT_JMPREL, kCalls), Entry(DT_PLTRELSZ, sizeof(calls))})
      dynamic.push_back({tag, value});
    for (const auto& [tag, value] :
         {Entry(DT_PLTREL, DT_RELA), Entry(DT_INIT, kCode), Entry(DT_INIT_ARRAY, kSlots), Entry(DT_INIT_ARRAYSZ, 16),
          Entry(DT_FINI_ARRAY, kEndSlots), Entry(DT_FINI_ARRAYSZ, 8)})
      dynamic.push_back({tag, value});
    relocations[0] = {kSlots, ELF64_R_INFO(0, kRelativeType), kCode};
    relocations[1] = {kEndSlots, ELF64_R_INFO(0, kRelativeType), kCode};
    relocations[2] = {kPlace, ELF64_R_INFO(1, kPointerType), 0};
    calls[0] = {kPlace + 8, ELF64_R_INFO(1, kPointerType), 0};
  }

  // Replaces the entry, or adds it.
  void Set(int64_t tag, uint64_t value) {
    for (auto& entry : dynamic) {
      if (entry.first == tag) return void(entry.second = value);
    }
    dynamic.push_back({tag, value});
  }
  void Remove(int64_t tag) {
    std::erase_if(dynamic, [tag](const auto& entry) { return entry.first == tag; });
  }
  // So many program headers, behind all else; the further ones say nothing.
  void FillSegments(size_t count) {
    segments.resize(count);
    header.e_phoff = kPage + kDataBytes;
  }
  void Pack(std::vector<uint64_t> words) {
    packed = std::move(words);
    Set(kDtRelr, kPacked);
    Set(kDtRelrSize, packed.size() * sizeof(uint64_t));
    Set(kDtRelrEntry, sizeof(uint64_t));
  }
  void UseOldHash() {
    Remove(DT_GNU_HASH);
    Set(DT_HASH, kHash);
    old = true;
  }

  std::string Bytes() const {
    std::string bytes(std::max(kPage + kDataBytes, header.e_phoff + segments.size() * sizeof(Elf64_Phdr)), '\0');
    const auto put = [&bytes](uint64_t at, const auto& value) { bytes.replace(at, sizeof(value), BytesOf(value)); };
    Elf64_Ehdr counted = header;
    counted.e_phnum = static_cast<uint16_t>(segments.size());
    put(0, counted);
    for (size_t i = 0; i < segments.size(); ++i) put(header.e_phoff + i * sizeof(Elf64_Phdr), segments[i]);
    bytes.replace(kNames, names.size(), names);
    put(kSymbols, symbols);
    old ? put(kHash, old_hash) : put(kHash, hash);
    put(kVersions, versions);
    put(kNeeds, need);
    put(kNeeds + sizeof(need), need_part);
    put(kDefines, define);
    put(kDefines + sizeof(define), define_part);
    put(kRelocations, relocations);
    put(kCalls, calls);
    for (size_t i = 0; i < packed.size(); ++i) put(kPacked + i * sizeof(uint64_t), packed[i]);
    for (size_t i = 0; i < dynamic.size(); ++i) put(kPage + 16 * i, Elf64_Dyn{dynamic[i].first, {dynamic[i].second}});
    for (const auto& [address, value] : data) put(address - kData + kPage, value);
    return bytes;
  }

  Elf64_Ehdr header = ElfHeader();
  std::vector<Elf64_Phdr> segments;
  std::vector<Entry> dynamic;  // DT_NULL follows
  std::string names;
  Elf64_Sym symbols[3] = {};
  GnuHash hash;
  OldHash old_hash;
  bool old = false;
  uint16_t versions[3] = {0, 2, 3};
  Elf64_Verneed need = {VER_NEED_CURRENT, 1, 1, sizeof(Elf64_Verneed), 0};
  Elf64_Vernaux need_part = {0, 0, 2, 9, 0};
  Elf64_Verdef define = {VER_DEF_CURRENT, 0, 3, 1, 0, sizeof(Elf64_Verdef), 0};
  Elf64_Verdaux define_part = {25, 0};
  Elf64_Rela relocations[3], calls[1];
  std::vector<uint64_t> packed;                     // relocations of DT_RELR
  std::vector<std::pair<uint64_t, uint64_t>> data;  // words of the second page, by address
};

}  // namespace opsrun::host

// tests/host/examine/fake_elf.h: the bytes of shared libraries that are only looked at, never opened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "host/examine/library_facts.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

template <typename T>
std::string BytesOf(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string NoteBytes(uint32_t type, std::string_view content, std::string_view owner = OPSRUN_NOTE_OWNER) {
  auto padded = [](std::string text) { return text.append((4 - text.size() % 4) % 4, '\0'); };
  Elf64_Nhdr header = {static_cast<uint32_t>(owner.size() + 1), static_cast<uint32_t>(content.size()), type};
  return BytesOf(header) + padded(std::string(owner) + '\0') + padded(std::string(content));
}

inline opsrun_note_plugin GoodUnit() {
  return OPSRUN_NOTE_PLUGIN_CONTENT;
}

inline std::string UnitNoteBytes(const opsrun_note_plugin& unit = GoodUnit()) {
  return NoteBytes(OPSRUN_NOTE_PLUGIN, BytesOf(unit));
}

// Laid out as: ELF header, program headers (LOAD, NOTE, DYNAMIC, STACK), notes, dynamic section, strings.
struct FakeElf {
  std::string notes;
  std::vector<std::string> needed;
  uint16_t machine = 0;  // 0: this one
  uint16_t type = ET_DYN;
  uint32_t stack_flags = PF_R | PF_W;
  uint64_t bytes_beyond_the_end = 0;  // that the LOAD segment claims

  std::string Bytes() const;
};

inline uint16_t ThisMachine() {
  Elf64_Ehdr self = {};
  if (FILE* file = std::fopen("/proc/self/exe", "rb")) {
    if (std::fread(&self, sizeof(self), 1, file) != 1) self.e_machine = 0;
    std::fclose(file);
  }
  return self.e_machine;
}

// Of this machine, with program headers behind it.
inline Elf64_Ehdr ElfHeader() {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = ThisMachine();
  header.e_version = EV_CURRENT;
  header.e_phoff = header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  return header;
}

inline std::string FakeElf::Bytes() const {
  constexpr uint64_t kNotesAt = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr);
  const std::string gap((8 - notes.size() % 8) % 8, '\0');
  const uint64_t dynamic_at = kNotesAt + notes.size() + gap.size();
  const uint64_t dynamic_size = (needed.size() + 2) * sizeof(Elf64_Dyn);
  const uint64_t strings_at = dynamic_at + dynamic_size;
  std::string strings(1, '\0'), dynamic;
  for (const std::string& name : needed) {
    dynamic += BytesOf(Elf64_Dyn{DT_NEEDED, {strings.size()}});
    strings += name + '\0';
  }
  dynamic += BytesOf(Elf64_Dyn{DT_STRTAB, {strings_at}}) + BytesOf(Elf64_Dyn{DT_NULL, {0}});
  const uint64_t size = strings_at + strings.size() + bytes_beyond_the_end;

  Elf64_Ehdr header = ElfHeader();
  header.e_type = type;
  if (machine != 0) header.e_machine = machine;
  header.e_phnum = 4;
  auto segment = [](uint32_t kind, uint32_t flags, uint64_t offset, uint64_t bytes) {
    return BytesOf(Elf64_Phdr{kind, flags, offset, offset, offset, bytes, bytes, 4});
  };
  return BytesOf(header) + segment(PT_LOAD, PF_R, 0, size) + segment(PT_NOTE, PF_R, kNotesAt, notes.size()) +
         segment(PT_DYNAMIC, PF_R, dynamic_at, dynamic_size) + segment(PT_GNU_STACK, stack_flags, 0, 0) + notes + gap +
         dynamic + strings;
}

// A file that this host accepts, with these ops, and more notes behind theirs.
inline FakeElf PluginWith(const std::vector<std::string>& ops, const std::string& notes = "") {
  FakeElf elf;
  elf.notes = UnitNoteBytes();
  for (const std::string& op : ops) elf.notes += NoteBytes(OPSRUN_NOTE_OP, op);
  elf.notes += notes;
  return elf;
}

// Fat binaries, as .nv_fatbin has them.
inline constexpr uint16_t kPtxImage = 1, kCubinImage = 2;

inline std::string ImageBytes(uint16_t kind, uint32_t capability, uint64_t flags = 0x11, uint64_t size = 24) {
  return BytesOf(kind) + BytesOf(uint16_t{0x101}) + BytesOf(uint32_t{64}) + BytesOf(size) + std::string(12, '\0') +
         BytesOf(capability) + std::string(8, '\0') + BytesOf(flags) + std::string(16, '\0') + std::string(24, 'i');
}

inline std::string FatBytes(std::string_view images) {
  return BytesOf(uint32_t{0xBA55ED50}) + BytesOf(uint16_t{1}) + BytesOf(uint16_t{16}) +
         BytesOf(uint64_t{images.size()}) + std::string(images);
}

// A file of three sections: none, the names, and one of this name.
inline std::string FileWithSection(std::string_view name, std::string_view content) {
  const std::string names = std::string(1, '\0') + std::string(name) + '\0';
  const uint64_t names_at = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr), content_at = names_at + names.size();
  Elf64_Ehdr header = ElfHeader();
  header.e_shoff = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  const Elf64_Shdr of_names = {0, SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0};
  const Elf64_Shdr of_content = {1, SHT_PROGBITS, 0, 0, content_at, content.size(), 0, 0, 8, 0};
  return BytesOf(header) + BytesOf(Elf64_Shdr{}) + BytesOf(of_names) + BytesOf(of_content) + names +
         std::string(content);
}

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

// A whole library of two pages, with each part to be changed. The first page is code and tables, at its own address;
// the second is data, at address 0x2000.
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

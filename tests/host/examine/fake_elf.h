// tests/host/examine/fake_elf.h: the bytes of a shared library that is only looked at, never opened.
//
// Laid out as: ELF header, program headers (LOAD, NOTE, DYNAMIC, STACK), notes, dynamic section, strings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace opsrun::host

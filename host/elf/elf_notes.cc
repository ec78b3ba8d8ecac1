// host/elf/elf_notes.cc: the notes of an ELF file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/base/content_hash.h"
#include "host/elf/elf_file.h"

namespace opsrun::host {
namespace {

constexpr size_t kMaxNotes = 200'000;
constexpr size_t kMaxSections = 16'384;

uint64_t Align4(uint64_t n) {
  return (n + 3) & ~uint64_t{3};
}

uint32_t Word(std::string_view bytes, uint64_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

// "opsrun" with the NUL that ends an owner's name.
bool Mentions(std::string_view bytes, std::string_view owner) {
  return bytes.find(std::string(owner) + '\0') != std::string_view::npos;
}

}  // namespace

// Notes are padded to 4 bytes whatever the segment's alignment says: those that are aligned to 8 have sizes that suit
// both.
void ParseNotes(std::string_view bytes, std::string_view owner, ElfNotes* found) {
  uint64_t at = 0;
  while (bytes.size() - at >= sizeof(Elf64_Nhdr)) {
    uint64_t name_size = Word(bytes, at), content_size = Word(bytes, at + 4);
    if (name_size == 0) {
      at += 4;  // linkers fill gaps between note sections with zeros; a note without an owner is nobody's
      continue;
    }
    uint64_t name = at + sizeof(Elf64_Nhdr), content = name + Align4(name_size), end = content + content_size;
    if (end > bytes.size() || found->notes.size() >= kMaxNotes) {
      found->damaged |= Mentions(bytes.substr(at), owner);
      return;
    }
    if (bytes.substr(name, name_size) == std::string_view(std::string(owner) + '\0')) {
      found->notes.push_back({Word(bytes, at + 8), std::string(bytes.substr(content, content_size))});
    }
    at = std::min<uint64_t>(Align4(end), bytes.size());
  }
}

uint64_t HashOf(const ElfNotes& notes) {
  ContentHash hash;
  for (const ElfNotes::Note& note : notes.notes) {
    const uint32_t head[] = {note.type, static_cast<uint32_t>(note.content.size())};
    hash.Add({reinterpret_cast<const char*>(head), sizeof(head)});
    hash.Add(note.content);
  }
  return hash.value();
}

std::string BuildIdOf(const ElfNotes& notes) {
  constexpr uint32_t kBuildIdNote = 3;
  std::string text;
  for (const ElfNotes::Note& note : notes.notes) {
    if (note.type != kBuildIdNote) continue;
    text.clear();
    for (const char byte : note.content) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

ElfNotes ElfFile::NotesOf(std::string_view owner) const {
  ElfNotes found;
  if (native_) {
    NotesOfSegments(owner, &found);
    if (found.notes.empty() && !found.damaged) NotesOfSections(owner, &found);
    return found;
  }
  std::string bytes;
  bytes_.Read(0, std::min(bytes_.size(), kMaxNoteBytes), &bytes);
  found.damaged = Mentions(bytes, owner);
  found.unseen = bytes_.size() < sizeof(header_);
  return found;
}

void ElfFile::NotesOfSegments(std::string_view owner, ElfNotes* found) const {
  found->unseen = !mapped_;
  uint64_t left = kMaxNoteBytes;
  std::string bytes;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE) continue;
    if (segment.p_filesz > left || !bytes_.Read(segment.p_offset, segment.p_filesz, &bytes)) {
      found->unseen = true;
      continue;
    }
    left -= segment.p_filesz;
    ParseNotes(bytes, owner, found);
  }
}

void ElfFile::NotesOfSections(std::string_view owner, ElfNotes* found) const {
  if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum > kMaxSections) return;
  std::vector<Elf64_Shdr> sections(header_.e_shnum);
  // A cut file has lost these headers, which stand at its end. Its note segments have answered already.
  if (!bytes_.Read(header_.e_shoff, sections.size() * sizeof(Elf64_Shdr), sections.data())) return;
  uint64_t left = kMaxNoteBytes;
  std::string bytes;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_NOTE || section.sh_size > left) continue;
    left -= section.sh_size;
    if (bytes_.Read(section.sh_offset, section.sh_size, &bytes)) ParseNotes(bytes, owner, found);
  }
}

}  // namespace opsrun::host

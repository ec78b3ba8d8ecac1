// host/examine/elf_file.h: headers, notes and sections of a shared library, read as untrusted bytes.
//
// Every offset is checked against the file size and every count is limited, so damaged files are reported. Detects
// files on which dlopen would crash, such as a file that was truncated while it was copied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/file_bytes.h"

namespace opsrun::host {

inline constexpr uint64_t kMaxNoteBytes = 16 << 20;  // per file

// The notes of one owner.
struct ElfNotes {
  struct Note {
    uint32_t type = 0;
    std::string content;
  };
  std::vector<Note> notes;  // in file order
  bool damaged = false;     // a note that names the owner cannot be read
  bool unseen = false;      // there may be notes outside the bytes of the file, whose owner is unknown
};

// Appends the notes of one owner in a note segment to *found.
void ParseNotes(std::string_view segment, std::string_view owner, ElfNotes* found);

// Equal for equal notes in the same order.
uint64_t HashOf(const ElfNotes& notes);

// The build ID from notes of owner "GNU", in hexadecimal digits; empty if there is none.
std::string BuildIdOf(const ElfNotes& notes);

class ElfFile {
 public:
  // bytes must outlive this object.
  explicit ElfFile(const FileBytes& bytes);

  // If false, this is not an ELF file, and no other method may be called.
  bool is_elf() const { return is_elf_; }

  // Why the dynamic linker must not load this file, or nothing. Independent of whether it is an opsrun plugin.
  std::optional<Refusal> Problem() const;

  const Elf64_Ehdr& header() const { return header_; }

  // The program headers; empty if they cannot be read.
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  // The notes from note segments or, if those have none of this owner, from note sections (some tools drop the
  // segment). For a file of another class or byte order, only `damaged` may be set: there are notes of that owner.
  ElfNotes NotesOf(std::string_view owner) const;

  // The section headers; empty if they cannot be read, and for a file of another class or byte order.
  std::vector<Elf64_Shdr> Sections() const;

 private:
  bool ReadHeaders();
  std::optional<Refusal> HeaderProblem() const;
  std::optional<Refusal> SegmentProblem() const;
  void NotesOfSegments(std::string_view owner, ElfNotes* found) const;
  void NotesOfSections(std::string_view owner, ElfNotes* found) const;

  const FileBytes& bytes_;
  bool is_elf_ = false;
  bool native_ = false;  // 64-bit, little-endian, with a complete header
  bool mapped_ = false;  // the program headers were read
  Elf64_Ehdr header_ = {};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace opsrun::host

// host/examine/elf_file.h: the bytes of an untrusted file, and headers, notes and sections of a shared library in them.
//
// Every offset is checked against the file size and every count is limited, so damaged files are reported. Detects
// files on which dlopen would crash, such as a file that was truncated while it was copied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/file.h"

namespace opsrun::host {

// The bytes of an untrusted file: an open descriptor or memory. Files are read with pread and never mapped, so a file
// that shrinks meanwhile causes an error instead of a signal.
class FileBytes {
 public:
  // The memory must outlive this object.
  explicit FileBytes(std::string_view memory);
  // The descriptor must stay open. size: of its regular file.
  FileBytes(int fd, uint64_t size);

  uint64_t size() const { return size_; }
  // The errno of a failed read, such as a bad disk, whose consequences are not the file's fault; 0 if none failed.
  int error() const { return error_; }

  // True if [offset, offset + n) is within the file, without overflow.
  bool Holds(uint64_t offset, uint64_t n) const { return offset <= size_ && n <= size_ - offset; }

  // Copies [offset, offset + n); false if the file has fewer bytes.
  bool Read(uint64_t offset, size_t n, void* to) const;
  bool Read(uint64_t offset, size_t n, std::string* to) const;

  // The text at offset up to its NUL; empty if there is none within `max` bytes.
  std::string ReadText(uint64_t offset, size_t max) const;

 private:
  size_t ReadAt(uint64_t offset, size_t n, char* to) const;

  int fd_ = -1;
  mutable int error_ = 0;
  uint64_t size_ = 0;
  std::string_view memory_;      // the whole file; empty for a descriptor
  std::array<char, 4096> head_;  // the first bytes of a descriptor, which satisfy most reads
  size_t head_size_ = 0;
};

class OpenedBytes {
 public:
  explicit OpenedBytes(const std::string& path);
  OpenedBytes(const OpenedBytes&) = delete;

  // Null if the file cannot be opened or is not a regular file. Lives as long as this object.
  const FileBytes* bytes() const { return bytes_ ? &*bytes_ : nullptr; }
  // The errno of opening it, or of reading it so far; 0 if it is not a regular file.
  int error() const { return bytes_ ? bytes_->error() : error_; }
  bool is_directory() const { return is_directory_; }
  const Descriptor& descriptor() const { return file_; }

 private:
  Descriptor file_;
  int error_ = 0;
  bool is_directory_ = false;
  std::optional<FileBytes> bytes_;
};

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

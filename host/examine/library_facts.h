// host/examine/library_facts.h: the tables in the dynamic section of a shared library, read as untrusted bytes: what it
// imports and exports, and whether the dynamic linker can use them safely.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/elf_file.h"

namespace opsrun::host {

// Addresses are virtual addresses of the file, which is not loaded.

// Packed relative relocations, which older <elf.h> lack: addresses of slots, and bitmaps of the following slots.
inline constexpr int64_t kDtRelrSize = 35, kDtRelr = 36, kDtRelrEntry = 37;

class ElfTables {
 public:
  // bytes must outlive this object. segments: the program headers; each LOAD segment is within the file.
  ElfTables(const FileBytes& bytes, std::vector<Elf64_Phdr> segments);

  // Why the dynamic section is unusable; empty if it is usable.
  const std::string& problem() const { return problem_; }

  bool Has(int64_t tag) const { return values_.count(tag) != 0; }
  // 0 if the tag is missing.
  uint64_t Value(int64_t tag) const;
  // Offsets of the names of needed libraries in the string table, and the names that can be read.
  const std::vector<uint64_t>& needed() const { return needed_; }
  std::vector<std::string> NeededNames() const;

  // True if n bytes at the address will be in memory when the file is loaded.
  bool InMemory(uint64_t address, uint64_t n, bool writable) const {
    return FindSegment(address, n, writable ? PF_W : 0, &Elf64_Phdr::p_memsz) != nullptr;
  }
  bool InCode(uint64_t address) const { return FindSegment(address, 1, PF_X, &Elf64_Phdr::p_memsz) != nullptr; }

  // n elements at the address; nothing unless the file has bytes for all of them.
  template <typename T>
  std::optional<std::vector<T>> Array(uint64_t address, uint64_t n) const;
  template <typename T>
  std::optional<T> One(uint64_t address) const;

 private:
  void ReadDynamic(const Elf64_Phdr& segment);
  // The LOAD segment with these flags whose `size` bytes include n bytes at the address, or null.
  const Elf64_Phdr* FindSegment(uint64_t address, uint64_t n, uint32_t flags, uint64_t Elf64_Phdr::*size) const;
  std::optional<uint64_t> Offset(uint64_t address, uint64_t n) const;

  const FileBytes& bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::map<int64_t, uint64_t> values_;
  std::vector<uint64_t> needed_;
  std::string problem_;
};

template <typename T>
std::optional<std::vector<T>> ElfTables::Array(uint64_t address, uint64_t n) const {
  if (n > bytes_.size() / sizeof(T)) return std::nullopt;
  const std::optional<uint64_t> offset = Offset(address, n * sizeof(T));
  std::vector<T> array(offset ? n : 0);
  if (!offset || !bytes_.Read(*offset, n * sizeof(T), array.data())) return std::nullopt;
  return array;
}

template <typename T>
std::optional<T> ElfTables::One(uint64_t address) const {
  T value;
  const std::optional<uint64_t> offset = Offset(address, sizeof(T));
  if (!offset || !bytes_.Read(*offset, sizeof(T), &value)) return std::nullopt;
  return value;
}

// Visits the entries of a list of versions, at most 65,536. Entry: Verneed, Vernaux or Verdef. visit: gets the address
// and the entry; false stops the walk. False if it was stopped, or if an entry cannot be read or is not aligned.
template <typename Entry, typename Visit>
bool WalkVersions(const ElfTables& tables, uint64_t at, uint32_t Entry::*next, Visit visit) {
  for (size_t i = 0; i < 65'536; ++i) {
    const auto entry = tables.One<Entry>(at);
    if (!entry || at % alignof(Entry) != 0 || !visit(at, *entry)) return false;
    if ((*entry).*next == 0) return true;
    at += (*entry).*next;
  }
  return false;
}

struct LibraryFacts {
  // Example: name "GLIBCXX_3.4.32" of library "libstdc++.so.6".
  struct Version {
    std::string library;
    std::string name;
  };
  struct Export {
    std::string_view name;
    bool function = false;
    bool unique = false;  // STB_GNU_UNIQUE: one per process, whichever library defines it
  };

  std::shared_ptr<const std::vector<char>> names;  // owns the text of the views below

  std::string soname;
  std::string rpath;
  std::string runpath;
  std::string build_id;  // in hexadecimal digits; empty if there is none
  std::vector<std::string> needed;
  std::vector<Version> needed_versions;
  std::vector<std::string> own_versions;
  std::vector<std::string_view> undefined;  // names that another library must define
  std::vector<Export> exports;
  bool static_tls = false;
  bool text_relocations = false;
  bool packed_relocations = false;  // DT_RELR
  uint32_t x86_isa = 0;             // GNU_PROPERTY_X86_ISA_1_NEEDED: a bit for each level of x86-64
};

// Nothing if the file is not a shared library for this machine. Parts that cannot be read are skipped; CheckTables
// reports damage.
std::optional<LibraryFacts> ReadLibraryFacts(const FileBytes& bytes);
std::optional<LibraryFacts> ReadLibraryFacts(const std::string& path);

// Checks of tables that the dynamic linker uses without checking, before it gets the file. It may crash or end the
// program if they are damaged. The checks take few reads and are made only for files that are about to be loaded.
// Damaged code cannot be detected.

// Why the file must not be opened, or nothing.
std::optional<Refusal> CheckTables(const FileBytes& bytes);

// Each checks one part. Returns an error message, or an empty string.
std::string CheckSymbols(const ElfTables& tables, uint64_t* count);
// The number of symbols, from the hash table. False if the table is missing or damaged.
bool CountSymbols(const ElfTables& tables, uint64_t* count);
std::string CheckVersions(const ElfTables& tables, uint64_t symbols);

}  // namespace opsrun::host

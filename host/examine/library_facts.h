// host/examine/library_facts.h: the tables in the dynamic section of a shared library, read as untrusted bytes: what it
// asks of others and offers them.
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

#include "host/examine/file_bytes.h"

namespace opsrun::host {

// The tables in the dynamic section of a shared library, read as untrusted bytes.
//
// Addresses are those in the file, because it is not loaded yet.

// Packed relative relocations, which older <elf.h> lack: addresses of slots, and bitmaps of slots that follow.
inline constexpr int64_t kDtRelrSize = 35, kDtRelr = 36, kDtRelrEntry = 37;

class ElfTables {
 public:
  // bytes is borrowed. segments: the program headers, each LOAD of which lies in the file.
  ElfTables(const FileBytes& bytes, std::vector<Elf64_Phdr> segments);

  // Why the dynamic section is unusable; empty if it is usable.
  const std::string& problem() const { return problem_; }

  bool Has(int64_t tag) const { return values_.count(tag) != 0; }
  // 0 if the tag is missing.
  uint64_t Value(int64_t tag) const;
  // Offsets of names in the string table: libraries that are needed.
  const std::vector<uint64_t>& needed() const { return needed_; }

  // True if n bytes at the address are in memory once the file is loaded.
  bool InMemory(uint64_t address, uint64_t n, bool writable) const;
  bool InCode(uint64_t address) const;

  // n elements at the address, or nothing if not all of them have bytes in the file.
  template <typename T>
  std::optional<std::vector<T>> Array(uint64_t address, uint64_t n) const;
  template <typename T>
  std::optional<T> One(uint64_t address) const;

 private:
  void ReadDynamic(const Elf64_Phdr& segment);
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

struct LibraryFacts {
  // "GLIBCXX_3.4.32" of "libstdc++.so.6"
  struct Version {
    std::string library;
    std::string name;
  };
  struct Export {
    std::string_view name;
    bool function = false;
    bool unique = false;  // one per process, whoever defines it: STB_GNU_UNIQUE
  };

  std::shared_ptr<const std::vector<char>> names;  // what the views below show

  std::string soname;
  std::string rpath;
  std::string runpath;
  std::string build_id;  // in hexadecimal digits; empty if the file has none
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

// Nothing if the file is not a shared library of this machine. What cannot be read is left out: CheckTables says what
// is damaged.
std::optional<LibraryFacts> ReadLibraryFacts(const FileBytes& bytes);
std::optional<LibraryFacts> ReadLibraryFacts(const std::string& path);

}  // namespace opsrun::host

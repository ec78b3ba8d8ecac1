// host/elf/elf_tables.h: the tables in the dynamic section of a shared library, read as untrusted bytes.
//
// Addresses are those in the file, because it is not loaded yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/elf/file_bytes.h"

namespace opsrun::host {

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

}  // namespace opsrun::host

// host/elf/library_facts.h: what a shared library asks of others and offers them, read from its dynamic section.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/elf/elf_tables.h"
#include "host/elf/file_bytes.h"

namespace opsrun::host {

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

// host/plugin/check_tables.h: what the dynamic linker believes without a look, checked before it is given the file.
//
// It answers a damaged file with a signal, or ends the program. These checks take a few reads of a file that is about
// to be loaded anyway; files that are only looked at are not checked. What code does that is damaged, nobody can tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/plugin/elf_tables.h"
#include "host/plugin/plugin_note.h"

namespace opsrun::host {

// Why the file must not be opened, or nothing. A file that cannot be read is the dynamic linker's to complain of.
std::optional<Refusal> CheckTables(const std::string& path);
std::optional<Refusal> CheckTables(const FileBytes& bytes);

// One part each. The answer is what is wrong, empty if nothing is.
std::string CheckSegments(const std::vector<Elf64_Phdr>& segments, const ElfTables& tables);
std::string CheckSymbols(const ElfTables& tables, uint64_t* count);
std::string CheckVersions(const ElfTables& tables, uint64_t symbols);
std::string CheckRelocations(const ElfTables& tables, uint64_t symbols);

}  // namespace opsrun::host

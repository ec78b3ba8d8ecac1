// host/examine/check_tables.h: checks tables that the dynamic linker uses without checking, before it gets the file.
//
// The dynamic linker may crash or end the program if they are damaged. The checks take few reads and are made only for
// files that are about to be loaded. Damaged code cannot be detected.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/library_facts.h"

namespace opsrun::host {

// Why the file must not be opened, or nothing.
std::optional<Refusal> CheckTables(const FileBytes& bytes);

// Each checks one part. Returns an error message, or an empty string.
std::string CheckSymbols(const ElfTables& tables, uint64_t* count);
// The number of symbols, from the hash table. False if the table is missing or damaged.
bool CountSymbols(const ElfTables& tables, uint64_t* count);
std::string CheckVersions(const ElfTables& tables, uint64_t symbols);

}  // namespace opsrun::host

// host/plugin/load.h: opens only the plugins that a set of op names needs.
//
// For each file: opens it (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), finds the entry and checks that it belongs to this
// file, calls it, copies the table with reads that cannot fault, checks every pointer and count, and parses every spec;
// then commits all of it, or nothing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/examine/catalog.h"
#include "host/plugin/open_plugin.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// A file that could not be opened, or was refused after it was opened.
struct LoadRefusal {
  size_t entry = 0;  // index into Catalog::entries
  Refusal refusal;
};

// An op name that does not lead to a single op.
struct OpTrouble {
  enum class Kind { kUnknown, kRefused, kConflict };
  Kind kind = Kind::kUnknown;
  std::string op;               // as requested
  std::vector<size_t> entries;  // entries that claim the op; kRefused: refused ones
  std::string why;              // names the files and, for kRefused, the reasons; empty for kUnknown
  std::string help;             // how to fix it; empty for kUnknown
  bool out_of_memory = false;   // kRefused: the only problem is a lack of memory
};

struct LoadResult {
  Registry registry;
  std::vector<LoadRefusal> refused;
  std::vector<OpTrouble> trouble;
  std::vector<std::string> messages;  // for stderr, one line each: dropped ops, ...
};

// op_names: as in graphs ("ZeroOut", "images.ZeroOut"). Opens files that are not open yet.
LoadResult LoadPlugins(const Catalog& catalog, const std::vector<std::string>& op_names, OpenedFiles& files);

// Opens every usable file, to describe all that graphs can use. Does not report trouble, since no op was requested.
LoadResult LoadAllPlugins(const Catalog& catalog, OpenedFiles& files);

// Opens one file by its path, regardless of the search directories: for `opsrun compat` and tests. Also refuses a file
// that is not an opsrun plugin. Entries in the result are 0.
LoadResult LoadFile(const std::string& path, const opsrun_host* host);

// Fills in the catalog entry of a file given by its path, or returns why a host of this level refuses it.
std::optional<Refusal> LookAtEntry(const std::string& path, uint32_t host_level, CatalogEntry* entry);

// For host->fail with where == NULL: records why the entry that this thread runs fails, and returns `code`. The first
// call has priority. If no entry is running, only returns `code`.
int32_t FailEntry(int32_t code, opsrun_str text);

// The host whose entry call is running on this thread, or null.
const opsrun_host* HostOfEntry();

}  // namespace opsrun::host

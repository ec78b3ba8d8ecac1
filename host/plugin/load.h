// host/plugin/load.h: opens the plugins that a set of op names needs, and no others.
//
// For each file: open it (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), find the entry and check that it belongs to this
// file, call it, copy the table with reads that cannot fault, check every pointer and count, parse every spec; then
// commit all of it, or nothing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/examine/catalog.h"
#include "host/plugin/open_plugin.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// A file that was refused once it was open, or that could not be opened.
struct LoadRefusal {
  size_t entry = 0;  // index into Catalog::entries
  Refusal refusal;
};

// An op name that has no single answer.
struct OpTrouble {
  enum class Kind { kUnknown, kRefused, kConflict };
  Kind kind = Kind::kUnknown;
  std::string op;               // as it was requested
  std::vector<size_t> entries;  // kRefused: refused entries that claim it; kConflict: entries that claim it
  std::string why;              // names the files, and for kRefused their reasons; empty for kUnknown
  std::string help;             // what to do; empty for kUnknown
  bool out_of_memory = false;   // kRefused: nothing but memory is missing
};

struct LoadResult {
  Registry registry;
  std::vector<LoadRefusal> refused;
  std::vector<OpTrouble> trouble;
  std::vector<std::string> messages;  // for stderr, one line each: an op that was dropped, ...
};

// op_names as graphs write them ("ZeroOut", "images.ZeroOut"). Opens what is not open yet.
LoadResult LoadPlugins(const Catalog& catalog, const std::vector<std::string>& op_names, OpenedFiles& files);

// Opens every usable file, to describe everything that a graph can use. No op was requested, so no trouble is reported.
LoadResult LoadAllPlugins(const Catalog& catalog, OpenedFiles& files);

// Opens one file by its path, independent of the search directories: for `opsrun compat` and tests. A file that is not
// an opsrun plugin is refused too. Entries in the result are 0.
LoadResult LoadFile(const std::string& path, const opsrun_host* host);

// Fills in the catalog entry of a file that is given by its path, or returns why a host of this level refuses it.
std::optional<Refusal> LookAtEntry(const std::string& path, uint32_t host_level, CatalogEntry* entry);

// The slot host->fail calls this if where == NULL: records why the entry that this thread runs fails, and returns
// `code`. The first call has priority; without a running entry, it only returns `code`.
int32_t FailEntry(int32_t code, opsrun_str text);

// The host whose entry call is running on this thread; null if there is none.
const opsrun_host* HostOfEntry();

}  // namespace opsrun::host

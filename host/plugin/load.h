// host/plugin/load.h: opens the plugins that a set of op names needs, and no others.
//
// Per file: open (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), find the entry and check that it is this file's own, call it,
// copy the table with reads that cannot fault, check every pointer and count, parse every spec; then commit all of it,
// or nothing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/plugin/catalog.h"
#include "host/plugin/opened_files.h"
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
  std::string op;               // as asked for
  std::vector<size_t> entries;  // kRefused: who claims it and is refused; kConflict: who claims it
  std::string why;   // a sentence that names the files, and for kRefused each one's reason; empty for kUnknown
  std::string help;  // what to do; empty for kUnknown
};

struct LoadResult {
  Registry registry;
  std::vector<LoadRefusal> refused;
  std::vector<OpTrouble> trouble;
  std::vector<std::string> messages;  // for stderr, one line each: an op that was dropped, ...
};

// op_names as graphs write them ("ZeroOut", "images.ZeroOut"). Opens what is not open yet.
LoadResult LoadPlugins(const Catalog& catalog, const std::vector<std::string>& op_names, OpenedFiles& files);

// Opens every file that is usable: for what describes all that a graph may say. No name was asked for, so there is no
// trouble with one.
LoadResult LoadAllPlugins(const Catalog& catalog, OpenedFiles& files);

// Opens one file by its path, whatever the places say: for `opsrun compat` and tests. A file that is not ours is
// refused too. Entries in the answer are 0.
LoadResult LoadFile(const std::string& path, const opsrun_host* host);

// Fills in the catalog's entry of a file that is named by its path, or says why it cannot be one.
std::optional<Refusal> LookAtEntry(const std::string& path, CatalogEntry* entry);

// The slot host->fail calls this for where == NULL: records why the entry that is now running on this thread fails, and
// returns `code`. The first call wins; without a running entry it does nothing more.
int32_t FailEntry(int32_t code, opsrun_str text);

// The host that the entry was called with which is now running on this thread; null without one.
const opsrun_host* HostOfEntry();

}  // namespace opsrun::host

// host/examine/judge_library.h: decides from files alone whether this process can load a library. None of its code
// runs.
//
// The result has a finding for each check, in a fixed order, so that a tool can show what was checked. Only a refusal
// keeps the file from being loaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/find_libraries.h"
#include "host/examine/foreign_file.h"
#include "host/examine/library_facts.h"

namespace opsrun::host {

struct Finding {
  enum class State { kOk, kWarning, kRefused };
  std::string check;  // one or two words: "symbols", "instruction set"
  State state = State::kOk;
  std::string text;            // what was found; the reason of a refusal
  std::string remedy;          // for warnings and refusals
  bool out_of_memory = false;  // as in Refusal
};

// The finding of a check that refuses the library.
Finding RefusedBy(std::string check, Refusal refusal);

// The first refusal.
std::optional<Refusal> FirstRefusal(const std::vector<Finding>& findings);

// entry: the only symbol that the library should export. path: absolute.
std::vector<Finding> JudgeLibrary(const std::string& path, const std::string& entry, const LibrarySearch& search);

// The checks that need no other file.
std::vector<Finding> JudgeFacts(const LibraryFacts& facts, const Machine& machine, const std::string& entry);

// The checks that do: missing and clashing libraries, and versions and symbols that no library defines.
std::vector<Finding> JudgeDependencies(const LibraryFacts& facts, const std::string& path, const LibrarySearch& search);

}  // namespace opsrun::host

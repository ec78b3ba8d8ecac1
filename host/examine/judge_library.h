// host/examine/judge_library.h: whether this process can load a library, decided from files alone. None of its code
// runs.
//
// The answer is a finding for each check, in a fixed order, so that a tool can show what was looked at. Only a finding
// that refuses keeps the file from being loaded.
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
  std::string text;            // what was found; of a refusal, the reason
  std::string remedy;          // of warnings and refusals
  bool out_of_memory = false;  // as in Refusal
};

// The first finding that refuses.
std::optional<Refusal> FirstRefusal(const std::vector<Finding>& findings);

// entry: the one symbol that the library should export. path: absolute.
std::vector<Finding> JudgeLibrary(const std::string& path, const std::string& entry, const LibrarySearch& search);

// The checks that need no other file.
std::vector<Finding> JudgeFacts(const LibraryFacts& facts, const Machine& machine, const std::string& entry);

// Those that do: libraries that are missing or clash, versions and symbols that none of them defines.
std::vector<Finding> JudgeDependencies(const LibraryFacts& facts, const std::string& path, const LibrarySearch& search);

}  // namespace opsrun::host

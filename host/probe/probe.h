// host/probe/probe.h: opens a plugin in a process of its own, before this one opens it.
//
// Damage that nobody can see in a file, and code that crashes, hangs or ends the process while it is loaded, costs that
// process and nothing else. The process is the program opsrun-probe, which is found beside this code's file: in
// ../libexec/opsrun or ../../libexec/opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/refusal.h"

namespace opsrun::host {

struct ProbeReport {
  std::optional<Refusal> refusal;      // how it ended, or why the file is refused once it is open
  bool by_table = false;               // the refusal is about its table, not about what its code did
  std::vector<std::string> changes;    // of the process, that it left behind: "the locale"
  std::vector<std::string> libraries;  // absolute paths of the files that were loaded with it
};

// The program, or an empty path if it is not installed.
std::string FindProbe();

// Waits for the process for at most `limit`, then ends it with all its children. path: of the plugin, absolute. level:
// of the host that it stands for. Nothing if the process cannot be started.
std::optional<ProbeReport> Probe(const std::string& program, const std::string& path, uint32_t level,
                                 std::chrono::milliseconds limit);

// How long it may take by default: far more than any plugin needs.
inline constexpr std::chrono::milliseconds kProbeLimit{10'000};

}  // namespace opsrun::host

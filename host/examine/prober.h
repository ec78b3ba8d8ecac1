// host/examine/prober.h: whether a plugin may be opened by this process: another process opens it first. Read this
// first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/compatibility.h"
#include "host/examine/fat_binary.h"
#include "host/examine/verdict.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Opens a plugin in a process of its own, before this one opens it.
//
// Damage that nobody can see in a file, and code that crashes, hangs or ends the process while it is loaded, costs that
// process and nothing else. The process is the program opsrun-probe, which is found beside this code's file: in
// ../libexec/opsrun or ../../libexec/opsrun.

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

struct ProbeOptions {
  std::string program;  // opsrun-probe; empty: nothing is probed
  std::string folder;   // of verdicts; empty: none are kept
  std::chrono::milliseconds limit = kProbeLimit;
  uint32_t level = OPSRUN_LEVEL;  // of the host that it stands for
};

// The installed program, and the user's folder. probe: false to open nothing; verdicts that are kept still hold.
ProbeOptions DefaultProbeOptions(bool probe, uint32_t level);

// Any thread.
class Prober {
 public:
  explicit Prober(ProbeOptions options);

  // For a file that is about to be opened: why it must not be, or nothing. note: as it was read from the file.
  std::optional<Refusal> Admit(const std::string& path, const PluginNote& note) const;

  // For commands that show what there is: the findings of every check, and those of the probe, which always runs.
  // cards: of the machine that the plugin is for.
  std::vector<Finding> Judge(const std::string& path, const FileLook& look, const LibrarySearch& search,
                             const GpuCards& cards) const;

  bool probes() const { return !options_.program.empty(); }

 private:
  std::optional<ProbeReport> RunProbe(const std::string& path, const PluginNote& note) const;

  const ProbeOptions options_;
  const VerdictCache verdicts_;
};

// What the probing process tells the one that waits for it.
//
// Records are a letter, a text and a NUL. They are written to descriptor 3, each at once, so that what was told before
// a crash is known.

inline constexpr int kProbeDescriptor = 3;

enum ProbeRecord : char {
  kProbePhase = 'p',    // what begins now: "in its entry"
  kProbeReason = 'r',   // why the open file is refused
  kProbeRemedy = 'f',   // what to do about that
  kProbeMemory = 'm',   // nothing but memory is missing
  kProbeChange = 'c',   // what it left changed
  kProbeLibrary = 'l',  // a file that was loaded with it
  kProbeOpened = 'o',   // everything was told; only the end of the process follows
};

}  // namespace opsrun::host

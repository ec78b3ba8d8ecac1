// host/probe/prober.h: whether a plugin may be opened by this process. Read this first.
//
// The file alone is judged first; then, if its content was never seen to load well, it is opened by another process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/elf/fat_binary.h"
#include "host/plugin/judge_plugin.h"
#include "host/probe/probe.h"
#include "host/probe/verdict_cache.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

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

}  // namespace opsrun::host

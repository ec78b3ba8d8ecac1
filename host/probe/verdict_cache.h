// host/probe/verdict_cache.h: good verdicts, kept between programs: a file for each plugin path.
//
// What cannot be read or written is as if it were not there. A verdict holds as long as the plugin has the size, time
// and build id that it had, or the same content, and all libraries that were loaded with it are as they were.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/probe/verdict.h"

namespace opsrun::host {

// $XDG_CACHE_HOME/opsrun/verdicts, or ~/.cache/opsrun/verdicts; empty if neither is an absolute path.
std::string VerdictFolder();

class VerdictCache {
 public:
  // folder: made when something is written, and used only if nobody else may write to it; empty: nothing is kept. level: of the host that asks.
  VerdictCache(std::string folder, uint32_t level) : folder_(std::move(folder)), level_(level) {}

  // path: absolute.
  bool IsKnownGood(const std::string& path, const std::string& build_id) const;
  void RememberGood(const std::string& path, const std::string& build_id,
                    const std::vector<std::string>& libraries) const;

 private:
  std::string ThisHost() const;
  void Write(const Verdict& verdict) const;

  const std::string folder_;
  const uint32_t level_;
};

}  // namespace opsrun::host

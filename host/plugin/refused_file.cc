// host/plugin/refused_file.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/refused_file.h"

#include <fmt/format.h>

namespace opsrun::host {

Diagnostic RefusedFile(const std::string& file, const Refusal& refusal) {
  if (refusal.out_of_memory)
    return MakeError("D100", fmt::format("no memory for '{}': {}", file, refusal.reason), refusal.remedy);
  return MakeError("P104", fmt::format("'{}' is refused: {}", file, refusal.reason), refusal.remedy);
}

}  // namespace opsrun::host

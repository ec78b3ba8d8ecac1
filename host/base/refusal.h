// host/base/refusal.h: why something is not used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opsrun::host {

// The reason, and what to do about it. Both are sentences without a full stop.
struct Refusal {
  std::string reason;
  std::string remedy;
};

}  // namespace opsrun::host

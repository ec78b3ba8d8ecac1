// host/base/refusal.h: why something is not used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

// The reason, and what to do about it. Both are sentences without a full stop.
struct Refusal {
  std::string reason;
  std::string remedy;
  bool out_of_memory = false;  // nothing else is wrong with it
};

// The system does not let this program use something: "`what`: too many open files", with what helps against that.
// error: an errno.
Refusal RefusedBySystem(std::string_view what, int error);

}  // namespace opsrun::host

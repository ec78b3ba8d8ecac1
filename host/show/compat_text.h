// host/show/compat_text.h: how an op differs between two versions of its plugin, as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/spec/compat.h"

namespace opsrun::host {

// The op's name and a line for each difference. Empty if there is none.
std::string CompatText(const std::string& op, const std::vector<spec::OpChange>& changes);

}  // namespace opsrun::host

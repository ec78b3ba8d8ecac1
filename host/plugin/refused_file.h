// host/plugin/refused_file.h: that a plugin file which somebody names is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/diagnostic.h"
#include "host/base/refusal.h"

namespace opsrun::host {

// P104, or D100 if nothing but memory is missing.
Diagnostic RefusedFile(const std::string& file, const Refusal& refusal);

}  // namespace opsrun::host

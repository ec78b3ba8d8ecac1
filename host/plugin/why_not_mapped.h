// host/plugin/why_not_mapped.h: why the system does not map a library, which the dynamic linker does not say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/refusal.h"

namespace opsrun::host {

// message: of dlerror. Nothing if it is about something else. Maps the file again to learn the reason, so it must be
// asked in the process that failed. path: of the file that was to be opened; the message may name one that it needs.
std::optional<Refusal> WhyNotMapped(std::string_view message, const std::string& path);

}  // namespace opsrun::host

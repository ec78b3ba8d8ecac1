// host/plugin/loader_message.h: explains error messages of the dynamic linker. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/plugin/plugin_note.h"

namespace opsrun::host {

// message: of dlerror, for the file `path`, which names the libraries `needed`.
Refusal ExplainLoaderMessage(std::string_view message, std::string_view path, const std::vector<std::string>& needed);

}  // namespace opsrun::host

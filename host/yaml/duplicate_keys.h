// host/yaml/duplicate_keys.h: one key, one value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/yaml/reporter.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// Drops all but the first entry of each key, with an error G103 for each dropped one. `section` is the key of the
// file's root under which the map stands ("nodes"), or empty elsewhere.
void DropDuplicateKeys(Value& map, std::string_view section, Reporter& reporter);

}  // namespace opsrun::host

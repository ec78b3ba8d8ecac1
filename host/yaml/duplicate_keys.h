// host/yaml/duplicate_keys.h: removes duplicate keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/yaml/reporter.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// Removes all but the first entry of each key, with an error G103 for each removed one. `section` is the key of the map
// in the file's root ("nodes"), or empty for other maps.
void DropDuplicateKeys(Value& map, std::string_view section, Reporter& reporter);

}  // namespace opsrun::host

// host/base/own_file.h: the file that this code is in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace opsrun::host {

// The program, or the library that another program has loaded, without links: an install may be reached through one.
std::filesystem::path OwnFile();

}  // namespace opsrun::host

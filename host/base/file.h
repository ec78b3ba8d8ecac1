// host/base/file.h: whole files, read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/base/status.h"

namespace opsrun::host {

// The whole of a regular file. NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION (a directory, a device) or
// RESOURCE_EXHAUSTED (over max_bytes), each naming the path and the reason.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes);

// The same of a regular file, a pipe or a terminal. Reads at most 1 GiB from a pipe, waits for its end, and for the
// first byte of one with a name that nobody has opened 10 seconds at most, after which it is FAILED_PRECONDITION.
Result<std::string> ReadFileOrPipe(const std::string& path, size_t max_bytes);

// All of standard input, of any kind but a directory; errors as ReadFile's.
Result<std::string> ReadStandardInput(size_t max_bytes);

}  // namespace opsrun::host

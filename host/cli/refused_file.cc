// host/cli/refused_file.cc: see refused_file.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/refused_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "host/base/errno_text.h"

namespace opsrun::host {

void RefuseFile(Console& console, Code code, std::string message, std::string help) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  if (!help.empty()) d.help = {std::move(help)};
  console.Report(d);
}

bool CanRead(const std::string& file, Console& console) {
  if (access(file.c_str(), R_OK) == 0) return true;
  RefuseFile(console, "P102", fmt::format("cannot read '{}': {}", file, ErrnoText(errno)), "");
  return false;
}

}  // namespace opsrun::host

// host/cli/find_program.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace opsrun::host {

std::string FindProgram(const std::string& name) {
  const char* path = secure_getenv("PATH");
  for (std::string_view rest = path == nullptr ? "/bin:/usr/bin" : path; !rest.empty();) {
    const std::string folder(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::string program = folder + "/" + name;
    std::error_code error;
    if (folder.starts_with('/') && std::filesystem::is_regular_file(program, error) &&
        access(program.c_str(), X_OK) == 0)
      return program;
  }
  return "";
}

}  // namespace opsrun::host

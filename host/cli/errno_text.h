// host/cli/errno_text.h: the system's word for a failure, as the middle of a sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <string>
#include <system_error>

namespace opsrun::host {

// "no such file or directory" for ENOENT.
inline std::string ErrnoText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace opsrun::host

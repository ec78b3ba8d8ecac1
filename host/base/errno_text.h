// host/base/errno_text.h: the system's text for an error, in a form that fits the middle of a sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

#include "host/base/characters.h"

namespace opsrun::host {

// "no such file or directory" for ENOENT.
inline std::string ErrnoText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = Lower(text[0]);
  return text;
}

}  // namespace opsrun::host

// host/wrap/unique_names.cc: see unique_names.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/wrap/unique_names.h"

#include "host/base/characters.h"

namespace opsrun::host {

std::string Identifier(std::string_view name) {
  std::string identifier = name.empty() || IsDigit(name[0]) ? "n" : "";
  for (const char c : name) identifier += IsLetter(c) || IsDigit(c) ? c : '_';
  return identifier;
}

}  // namespace opsrun::host

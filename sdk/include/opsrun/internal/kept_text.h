// opsrun/internal/kept_text.h: text and arrays of registrations, which live as long as the process.
//
// They are never freed, because static objects refer to them and a host may read them until the process ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string_view>

#include "opsrun/c_api.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

OPSRUN_COLD inline opsrun_str KeepText(std::string_view text) {
  if (text.empty()) return {nullptr, 0};
  char* copy = new char[text.size()];
  memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

// Appends a copy of the text to the array *texts, which has *count elements.
OPSRUN_COLD inline void AppendKept(const opsrun_str** texts, uint32_t* count, std::string_view text) {
  auto* grown = new opsrun_str[*count + 1];
  for (uint32_t i = 0; i < *count; ++i) grown[i] = (*texts)[i];
  grown[*count] = KeepText(text);
  delete[] * texts;
  *texts = grown;
  ++*count;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

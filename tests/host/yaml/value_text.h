// tests/host/yaml/value_text.h: a Value with all its places as a text, to be compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/yaml/value.h"
#include "tests/host/yaml/error_lines.h"

namespace opsrun::host {

inline std::string ValueText(const Value& value) {
  std::string text = std::to_string(static_cast<int>(value.kind)) + (value.quoted ? "'" : "") + value.text;
  text += (value.incomplete ? "...@" : "@") + PlaceText(value.span);
  for (const Value& item : value.items) text += " [" + ValueText(item) + "]";
  for (const Value::Entry& entry : value.entries)
    text += " {" + entry.key + "@" + PlaceText(entry.key_span) + " " + ValueText(entry.value) + "}";
  return text;
}

}  // namespace opsrun::host

// host/spec/read_message.h: the braces in texts of defaults: "{ dim { size: 2 } }".
//
// It is stricter than TensorFlow's reader in one way: an unknown field is an error and is not skipped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// A field that a message may have. read parses one value at the cursor, and fails as the functions of read_literal.h
// do.
struct MessageField {
  std::string_view name;
  bool is_message = false;  // its value is in braces; the colon may be left out
  bool repeated = false;    // may be given again, and as a list
  std::function<bool(TextCursor*)> read;
};

// Parses { FIELD.. } or < FIELD.. >, in any order, with whitespace and comments between tokens. Fails as the functions
// of read_literal.h do.
bool ReadMessage(TextCursor* cursor, const std::vector<MessageField>& fields);

}  // namespace opsrun::host::spec

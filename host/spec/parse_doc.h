// host/spec/parse_doc.h: the text of an op's Doc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// Splits the text. Its first non-empty line is the summary; the text up to the first line "name: .." is the
// description; each "name: .." line and the text after it document the input, output or attr of that name. A name that
// the op does not have is an error.
std::optional<SpecError> ParseDoc(const std::string& doc, OpDef* op);

}  // namespace opsrun::host::spec

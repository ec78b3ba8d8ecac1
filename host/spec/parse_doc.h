// host/spec/parse_doc.h: the text of an op's Doc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/spec/op_def.h"
#include "host/spec/spec_error.h"

namespace opsrun::host::spec {

// Shares the text out: its first line that is not blank is the summary; up to the first line "name: .." goes the
// description; each "name: .." line and what follows it documents the input, output or attr of that name. A name that
// the op does not have is an error.
std::optional<SpecError> ParseDoc(const std::string& doc, OpDef* op);

}  // namespace opsrun::host::spec

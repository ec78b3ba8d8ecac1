// host/show/diagnostic_json.h: a diagnostic as a JSON object. docs/diagnostics.md documents each field.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/base/text.h"
#include "host/show/json_text.h"

namespace opsrun::host {

// lines: of any file; null: none. `byte` is null if they are not those of d.file. Invalid UTF-8 becomes U+FFFD.
Json DiagnosticJson(const Diagnostic& d, const SourceLines* lines);

}  // namespace opsrun::host

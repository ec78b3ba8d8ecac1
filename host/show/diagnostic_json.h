// host/show/diagnostic_json.h: diagnostics as JSON, one line each.
//
//   {"level":"error","code":"G201","message":"...","file":"graph.yaml",
//    "spans":[{"primary":true,"label":"...",
//              "begin":{"line":6,"column":9,"byte":97},"end":{"line":6,"column":15,"byte":103}}],
//    "suggestion":"ZeroOut","help":["..."],"notes":[]}
//
// docs/diagnostics.md says what each field is. Bytes that are no UTF-8 become U+FFFD.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/diagnostic.h"
#include "host/show/source_snippet.h"

namespace opsrun::host {

// lines: of the file that d.file names, or null: then byte is null.
std::string DiagnosticJson(const Diagnostic& d, const SourceLines* lines = nullptr);

// {"level":"note","message":"..."}
std::string RemarkJson(std::string_view level, std::string_view text);

}  // namespace opsrun::host

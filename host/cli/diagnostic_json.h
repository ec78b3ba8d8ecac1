// host/cli/diagnostic_json.h: diagnostics as JSON, one line each.
//
//   {"level":"error","code":"G201","message":"...","file":"graph.yaml",
//    "spans":[{"primary":true,"label":"...","begin":{"line":6,"column":9},"end":{"line":6,"column":15}}],
//    "help":["..."],"notes":[]}
//
// Lines and columns count from 1, columns are bytes, the end is exclusive. file is null and spans is empty where no
// place is known. Bytes that are no UTF-8 become U+FFFD.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/diagnostic.h"

namespace opsrun::host {

std::string DiagnosticJson(const Diagnostic& d);

// {"level":"note","message":"..."}
std::string RemarkJson(std::string_view level, std::string_view text);

}  // namespace opsrun::host

// host/show/render_diagnostics.h: diagnostics as text, for people, editors and programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/diagnostic.h"

namespace opsrun::host {

enum class ErrorFormat {
  kHuman,  // the message, the source line with the place marked, help and notes
  kShort,  // file:line:column: error[CODE]: message; first help
  kJson,   // one object per line
};

struct RenderStyle {
  ErrorFormat format = ErrorFormat::kHuman;
  bool color = false;   // of kHuman
  bool summary = true;  // kHuman ends with the number of errors and a command that explains one
};

// One message, ending in a line break. source: the file that d.file names; null: no source line is shown.
std::string RenderDiagnostic(const Diagnostic& d, const SourceFile* source, const RenderStyle& style);

// All messages about one file, in their order; kHuman separates them by empty lines and ends with a summary. At most a
// hundred are shown, then the number of the others. Empty if there are none.
std::string RenderDiagnostics(const Diagnostics& diagnostics, const SourceFile* source, const RenderStyle& style);

// A line that is not a diagnostic, in the same format: "note: text", or {"level":"note","message":"text"}.
std::string RenderRemark(std::string_view level, std::string_view text, const RenderStyle& style);

}  // namespace opsrun::host

// host/show/render_diagnostics.h: diagnostics as text: for people, for editors, for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/diagnostic.h"

namespace opsrun::host {

enum class ErrorFormat {
  kHuman,  // the sentence, the source line with the place marked, help and notes
  kShort,  // file:line:column: error[CODE]: sentence; first help
  kJson,   // one object per line
};

struct RenderStyle {
  ErrorFormat format = ErrorFormat::kHuman;
  bool color = false;   // of kHuman
  bool summary = true;  // kHuman ends with how many there are, and which command explains one
};

// One message, ending in a line break. source: the file that d.file names, or null: then no line of it is shown.
std::string RenderDiagnostic(const Diagnostic& d, const SourceFile* source, const RenderStyle& style);

// All messages about one file, in their order; the format for people has empty lines between them and a summary at the
// end. Empty if there are none. If there are more than a hundred, the first hundred and the number of the others.
std::string RenderDiagnostics(const Diagnostics& diagnostics, const SourceFile* source, const RenderStyle& style);

// A line that is not a diagnostic, in the same format: "note: text", or {"level":"note","message":"text"}.
std::string RenderRemark(std::string_view level, std::string_view text, const RenderStyle& style);

}  // namespace opsrun::host

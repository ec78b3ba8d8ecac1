// host/show/render_diagnostics.h: diagnostics as text, for people, editors and programs; and the pages that explain
// their codes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
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

// The pages of docs/errors for message codes, embedded in the program.
struct ErrorPage {
  Code code;
  std::string_view markdown;  // begins "# G204: title"
};

// Ordered by code.
std::span<const ErrorPage> ErrorPages();

// word: a code in upper or lower case. Null if there is none.
const ErrorPage* FindErrorPage(std::string_view word);

// True for a letter and a few digits, even if no such code exists.
bool LooksLikeCode(std::string_view word);

// For a terminal: the title, the sentences, and the example as an indented block.
std::string PageText(const ErrorPage& page);

// {"code":"G204","title":"...","text":"...","graph":"...","prints":"..."}; the last two are null if there is no
// example.
std::string PageJson(const ErrorPage& page);

// A line for each code: the code and its title. In JSON an array of {"code","title"}.
std::string CodesText();
std::string CodesJson();

}  // namespace opsrun::host

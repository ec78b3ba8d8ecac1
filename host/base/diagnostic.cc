// host/base/diagnostic.cc: lines of a source file, and the exit code of what was found.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <algorithm>
#include <iterator>

namespace opsrun::host {
namespace {

// A graph that is wrong stays wrong whatever else failed, so its code comes first.
ptrdiff_t Urgency(ExitStatus exit) {
  constexpr ExitStatus kOrder[] = {kExitGraph, kExitPlugins, kExitDevice, kExitFailed};
  return std::find(std::begin(kOrder), std::end(kOrder), exit) - std::begin(kOrder);
}

}  // namespace

std::string_view SourceFile::Line(uint32_t n) const {
  if (n == 0) return {};
  std::string_view rest = text;
  for (uint32_t line = 1; line < n; ++line) {
    size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  std::string_view found = rest.substr(0, rest.find('\n'));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

Diagnostic& Diagnostics::Error(Code code, std::string message) {
  Diagnostic& added = all_.emplace_back();
  added.code = code;
  added.message = std::move(message);
  return added;
}

Diagnostic& Diagnostics::Warning(Code code, std::string message) {
  Diagnostic& added = Error(code, std::move(message));
  if (!refuse_warnings_) added.severity = Diagnostic::Severity::kWarning;
  return added;
}

bool Diagnostics::has_errors() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::kError; });
}

ExitStatus ExitCode(const Diagnostics& diagnostics) {
  ExitStatus answer = kExitOk;
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    if (answer == kExitOk || Urgency(d.code.exit()) < Urgency(answer)) answer = d.code.exit();
  }
  return answer;
}

}  // namespace opsrun::host

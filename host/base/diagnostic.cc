// host/base/diagnostic.cc: lines of a source file, and the exit code of what was found.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <algorithm>
#include <iterator>

namespace opsrun::host {
namespace {

constexpr int kOpFailed = 1;
constexpr int kGraphWrong = 3;
constexpr int kPluginsWrong = 4;
constexpr int kDeviceOrMemory = 5;
constexpr int kBugInOpsrun = 70;

int ExitCodeOfLetter(char letter) {
  switch (letter) {
    case 'G':
    case 'K':
    case 'F':
      return kGraphWrong;
    case 'P':
      return kPluginsWrong;
    case 'D':
      return kDeviceOrMemory;
    case 'R':
      return kOpFailed;
    default:
      return kBugInOpsrun;
  }
}

// A graph that is wrong stays wrong whatever else failed, so its code comes first.
int Urgency(int exit_code) {
  constexpr int kOrder[] = {kBugInOpsrun, kOpFailed, kDeviceOrMemory, kPluginsWrong, kGraphWrong};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), exit_code) - std::begin(kOrder));
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

Diagnostic& Diagnostics::Error(std::string code, std::string message) {
  Diagnostic& added = all_.emplace_back();
  added.code = std::move(code);
  added.message = std::move(message);
  return added;
}

Diagnostic& Diagnostics::Warning(std::string code, std::string message) {
  Diagnostic& added = Error(std::move(code), std::move(message));
  if (!refuse_warnings_) added.severity = Diagnostic::Severity::kWarning;
  return added;
}

bool Diagnostics::has_errors() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::kError; });
}

int ExitCode(const Diagnostics& diagnostics) {
  int answer = 0;
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    int code = ExitCodeOfLetter(d.code.empty() ? '?' : d.code[0]);
    if (answer == 0 || Urgency(code) > Urgency(answer)) answer = code;
  }
  return answer;
}

}  // namespace opsrun::host

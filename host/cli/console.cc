// host/cli/console.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/console.h"

#include <cerrno>
#include <string>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"

namespace opsrun::host {

void Console::Print(std::string_view text) {
  if (data_error_ != 0) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), data_) != text.size()) data_error_ = errno != 0 ? errno : EIO;
}

void Console::Note(std::string_view text) {
  Remark("note", text);
}

void Console::Ok(std::string_view text) {
  Flush();
  if (data_error_ == 0) Remark("ok", text);
}

void Console::Show(std::string_view level, std::string_view text) {
  Talk(style_.format == ErrorFormat::kJson ? RenderRemark(level, text, style_) : std::string(text));
}

int Console::Report(const Diagnostic& d, const SourceFile* source) {
  const bool shown = !quiet_ || d.severity == Diagnostic::Severity::kError;
  if (shown) Talk(RenderDiagnostic(d, source, style_));
  return d.code.exit();
}

int Console::Report(const Diagnostics& diagnostics, const SourceFile* source) {
  const bool shown = !diagnostics.all().empty() && (!quiet_ || diagnostics.has_errors());
  if (shown) Talk(RenderDiagnostics(diagnostics, source, style_));
  return ExitCode(diagnostics);
}

int Console::Finish(int exit_code) {
  Flush();
  if (data_error_ != 0 && data_error_ != EPIPE) {
    Report(MakeError("R502", "cannot write to standard output: " + ErrnoText(data_error_)));
  }
  std::fflush(talk_);
  if (data_error_ == 0 || exit_code != kExitOk) return exit_code;
  return data_error_ == EPIPE ? kExitBrokenPipe : kExitFailed;
}

void Console::Flush() {
  errno = 0;
  const bool failed = std::fflush(data_) != 0 || std::ferror(data_) != 0;  // detects errors of other flushes too
  if (failed && data_error_ == 0) data_error_ = errno != 0 ? errno : EIO;
}

void Console::Remark(std::string_view level, std::string_view text) {
  if (!quiet_) Talk(RenderRemark(level, text, style_));
}

// Flushes data first, so that the order is right if both streams go to the same place.
void Console::Talk(std::string_view text) {
  Flush();
  std::fwrite(text.data(), 1, text.size(), talk_);
}

}  // namespace opsrun::host

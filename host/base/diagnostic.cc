// host/base/diagnostic.cc: lines of a source file, and the exit status of diagnostics.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

// The rank of an exit status. The graph comes first: an invalid graph stays invalid whatever else failed.
ptrdiff_t Urgency(ExitStatus exit) {
  constexpr ExitStatus kOrder[] = {kExitGraph, kExitPlugins, kExitDevice, kExitFailed};
  return std::find(std::begin(kOrder), std::end(kOrder), exit) - std::begin(kOrder);
}

}  // namespace

Diagnostic MakeError(Code code, std::string message, std::string help) {
  Diagnostic d{.code = code, .message = std::move(message)};
  if (!help.empty()) d.help.push_back(std::move(help));
  return d;
}

void SuggestName(Diagnostic& d, std::string_view word, const std::vector<std::string>& names, std::string_view what,
                 std::string_view before) {
  d.help.push_back(DidYouMean(word, names, what));
  const std::vector<std::string> near = NearNames(word, names);
  if (!near.empty()) d.suggestion = std::string(before) + near.front();
}

Diagnostic& Diagnostics::Error(Code code, std::string message) {
  return all_.emplace_back(MakeError(code, std::move(message)));
}

Diagnostic& Diagnostics::Error(Code code, std::string message, const std::string& file, const Span& where) {
  return all_.emplace_back(Diagnostic{.code = code, .message = std::move(message), .file = file, .where = where});
}

Diagnostic& Diagnostics::Warning(Code code, std::string message) {
  Diagnostic& added = Error(code, std::move(message));
  if (!refuse_warnings_) added.severity = Diagnostic::Severity::kWarning;
  return added;
}

void Diagnostics::Sort() {
  const auto before = [](const Diagnostic& a, const Diagnostic& b) {
    return a.where.known() != b.where.known() ? a.where.known() : a.where.begin < b.where.begin;
  };
  std::stable_sort(all_.begin(), all_.end(), before);
}

void Diagnostics::DropRepeated() {
  std::vector<Diagnostic> kept;
  for (Diagnostic& d : all_) {
    const auto same = [&](const Diagnostic& other) {
      return other.code == d.code && other.message == d.message && other.file == d.file &&
             other.where.begin == d.where.begin;
    };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(std::move(d));
  }
  all_ = std::move(kept);
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

namespace {

const char* RemedyFor(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "make the file and the folders above it readable (chmod); if they are, a security module denies access "
             "(SELinux, AppArmor)";
    case EMFILE:
      return "close files of this program, or raise its limit of open files (ulimit -n)";
    case ENFILE:
      return "close other programs, or raise the system's limit of open files (fs.file-max)";
    case ENOMEM:
      return "close other programs, or raise the limit that the shell or the container sets (ulimit -v)";
    case ENOENT:
    case ENOTDIR:
      return "try again: it has been moved or removed";
    case ELOOP:
      return "correct the symbolic link, which leads to itself";
    case ESTALE:
    case ENOTCONN:
    case EHOSTDOWN:
    case ETIMEDOUT:
      return "remount its file system: the server has replaced it, or does not respond";
    case EIO:
    case EREMOTEIO:
    case ENXIO:
      return "see the system's log (dmesg): its disk or network is failing";
    default:
      return "make it readable, or copy it again";
  }
}

}  // namespace

Refusal RefusedBySystem(std::string_view what, int error) {
  return {std::string(what) + ": " + ErrnoText(error), RemedyFor(error), error == ENOMEM};
}

}  // namespace opsrun::host

// host/cli/console.cc:
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "host/base/display_text.h"
#include "host/base/environment.h"
#include "host/base/file.h"

namespace opsrun::host {
namespace {

Status WriteFile(std::string_view text, const std::string& path) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file.ok()) return file.status();
  const Status status = file->Write(text.data(), text.size());
  return status.ok() ? file->Commit() : status;
}

}  // namespace

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

OutputAside::OutputAside() : file_(stdout) {
  const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "w")) {
    file_ = file;
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
}

// Descriptor 1 stays where it is: static objects of plugins may print at exit.
OutputAside::~OutputAside() {
  if (file_ != stdout) std::fclose(file_);
}

OutputAside::Back::Back(const OutputAside* aside)
    : aside_(aside != nullptr && aside->file_ != stdout ? aside : nullptr) {
  if (aside_ == nullptr) return;
  std::fflush(stdout);
  dup2(fileno(aside_->file_), STDOUT_FILENO);
}

OutputAside::Back::~Back() {
  if (aside_ != nullptr) dup2(STDERR_FILENO, STDOUT_FILENO);
}

bool CanRead(const std::string& file, Console& console) {
  if (access(file.c_str(), R_OK) == 0) return true;
  console.Report(MakeError("P102", fmt::format("cannot read '{}': {}", file, ErrnoText(errno))));
  return false;
}

std::vector<GraphFile> FilesInUse(const Graph* graph, const std::vector<FeedArgument>& feeds) {
  std::vector<GraphFile> files;
  if (graph != nullptr) {
    files = FilesRead(*graph);
    for (GraphFile& file : FilesWritten(*graph)) files.push_back(std::move(file));
  }
  for (const FeedArgument& feed : feeds) {
    files.push_back({feed.path, FileIdentity(feed.path), "--feed " + feed.name, {}});
  }
  return files;
}

std::optional<Diagnostic> RefuseFileInUse(const std::string& option, const std::string& file,
                                          const std::vector<GraphFile>& in_use) {
  if (file.empty() || file == "-") return std::nullopt;
  const std::string identity = FileIdentity(file);
  for (const GraphFile& each : in_use) {
    if (each.identity != identity) continue;
    return MakeError("U007", fmt::format("{} and {} use the same file, '{}'", option, each.what, file),
                     "use another file");
  }
  return std::nullopt;
}

bool WriteText(std::string_view text, const std::string& file, Console& console) {
  if (file.empty() || file == "-") {
    console.Print(text);
    return true;
  }
  const OutputAside::Back back(console.aside());
  const Status status = WriteFile(text, file);
  if (status.ok()) return true;
  console.Report(MakeError("R504", status.message(), "pass a writable path to -o; an existing file is unchanged"));
  return false;
}

std::string FindProgram(const std::string& name) {
  const char* path = Environment("PATH");
  for (std::string_view rest = path == nullptr ? "/bin:/usr/bin" : path; !rest.empty();) {
    const std::string folder(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::string program = folder + "/" + name;
    std::error_code error;
    if (folder.starts_with('/') && std::filesystem::is_regular_file(program, error) &&
        access(program.c_str(), X_OK) == 0)
      return program;
  }
  return "";
}

std::vector<std::string> OwnWords() {
  const Result<std::string> text = ReadFile("/proc/self/cmdline", size_t{1} << 20);
  std::vector<std::string> words;
  if (!text.ok()) return words;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\0', begin), text->size());
    words.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace opsrun::host

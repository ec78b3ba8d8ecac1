// host/cli/named_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/named_files.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "host/base/display_text.h"
#include "host/base/file.h"

namespace opsrun::host {
namespace {

Status WriteFile(std::string_view text, const std::string& path) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file.ok()) return file.status();
  const Status status = file->Write(text.data(), text.size());
  return status.ok() ? file->Commit() : status;
}

// Runs a child process with its input and output in memory files.

constexpr size_t kMostTalk = 2000;  // bytes of the program's messages that are kept

// An anonymous file. Unlike with a pipe, neither side can block. Reads and writes here do not move the offset that the
// child uses.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("opsrun", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }  // -1, with errno set, on failure

  // Returns an errno, or 0.
  int Write(std::string_view text) const {
    for (size_t at = 0; at < text.size();) {
      const ssize_t n = pwrite(fd_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (n < 0) return errno;
      at += static_cast<size_t>(n);
    }
    return 0;
  }

  std::string Read() const {
    std::string text;
    std::array<char, 1 << 16> block;
    for (ssize_t n = 0; (n = pread(fd_, block.data(), block.size(), static_cast<off_t>(text.size()))) > 0;)
      text.append(block.data(), static_cast<size_t>(n));
    return text;
  }

 private:
  int fd_;
};

// Returns an errno, or 0.
int Start(const std::string& program, const std::array<int, 3>& streams, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&files, streams[i], i);
  // Signals that this program ignores get their default action in the child.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&signals, signal);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::array<std::string, 2> words = {"dot", "-Tsvg"};
  std::array<char*, 3> arguments = {words[0].data(), words[1].data(), nullptr};
  const int error = posix_spawn(pid, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// Returns the status of waitpid.
int Wait(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string EndText(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

Result<std::string> FindDot() {
  std::string dot = FindProgram("dot");
  if (dot.empty()) return NotFound("there is no program 'dot' on the PATH");
  return dot;
}

}  // namespace

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
  const Status status = WriteFile(text, file);
  if (status.ok()) return true;
  console.Report(MakeError("R504", status.message(), "pass a writable path to -o; an existing file is unchanged"));
  return false;
}

std::string FindProgram(const std::string& name) {
  const char* path = secure_getenv("PATH");
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

Status FindGraphviz() {
  return FindDot().status();
}

Result<std::string> SvgOf(std::string_view text) {
  const Result<std::string> dot = FindDot();
  if (!dot.ok()) return dot.status();
  const MemoryFile in, out, talk;
  pid_t pid = -1;
  int error = std::min({in.fd(), out.fd(), talk.fd()}) < 0 ? errno : in.Write(text);
  if (error == 0) error = Start(*dot, {in.fd(), out.fd(), talk.fd()}, &pid);
  if (error != 0) return Internal(fmt::format("'dot' cannot be started: {}", ErrnoText(error)));
  const int status = Wait(pid);
  if (status == 0) return out.Read();
  const std::string all = talk.Read();
  const std::string said = all.substr(0, std::min(all.find('\n'), kMostTalk));
  return Internal(fmt::format("'dot' ended with {}{}{}", EndText(status), said.empty() ? "" : ": ", said));
}

}  // namespace opsrun::host

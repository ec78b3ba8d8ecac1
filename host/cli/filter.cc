// SPDX-License-Identifier: Apache-2.0
#include "host/cli/filter.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "host/base/child.h"
#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

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

// Returns an errno, or 0. If the program cannot be executed, it says why as the program would.
int Start(const std::string& program, std::vector<std::string> words, const std::array<int, 3>& streams, pid_t* pid) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  *pid = ForkUntilParentEnds();
  if (*pid != 0) return *pid < 0 ? errno : 0;
  for (int i = 0; i < 3; ++i) dup2(streams[i], i);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);  // this program ignores them
  execve(program.c_str(), arguments.data(), environ);
  const char* const reason = strerrordesc_np(errno);
  if (reason != nullptr && write(STDERR_FILENO, reason, std::strlen(reason)) < 0) EndChild(126);
  EndChild(127);
}

// Returns the status of waitpid.
int Wait(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<std::string> Filter(const std::string& program, const std::vector<std::string>& words, std::string_view input) {
  const MemoryFile in, out, talk;
  pid_t pid = -1;
  int error = std::min({in.fd(), out.fd(), talk.fd()}) < 0 ? errno : in.Write(input);
  if (error == 0) error = Start(program, words, {in.fd(), out.fd(), talk.fd()}, &pid);
  if (error != 0) return Internal(fmt::format("'{}' cannot be started: {}", words[0], ErrnoText(error)));
  const int status = Wait(pid);
  if (status == 0) return out.Read();
  const std::string all = talk.Read();
  const std::string said = all.substr(0, std::min(all.find('\n'), kMostTalk));
  const bool by_signal = WIFSIGNALED(status);
  return Internal(fmt::format("'{}' ended with {} {}{}{}", words[0], by_signal ? "signal" : "exit status",
                              by_signal ? WTERMSIG(status) : WEXITSTATUS(status), said.empty() ? "" : ": ", said));
}

}  // namespace opsrun::host

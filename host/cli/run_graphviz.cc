// host/cli/run_graphviz.cc: a child process, fed and read at the same time.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_graphviz.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "host/cli/errno_text.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostTalk = 2000;  // bytes of what the program says that are kept

// A file descriptor that is closed in time. -1: none.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  void Take(int fd) { fd_ = fd; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;

  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read.Take(ends[0]);
    write.Take(ends[1]);
    return true;
  }
};

class Child {
 public:
  // An errno, or 0.
  int Start() {
    if (!in_.Open() || !out_.Open() || !talk_.Open()) return errno;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in_.read.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out_.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, talk_.write.get(), STDERR_FILENO);
    // What this program ignores, the other one should not.
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&signals, signal);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::array<std::string, 2> words = {"dot", "-Tsvg"};
    std::array<char*, 3> arguments = {words[0].data(), words[1].data(), nullptr};
    const int error = posix_spawnp(&pid_, "dot", &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    for (Descriptor* end : {&in_.read, &out_.write, &talk_.write}) end->Close();
    return error;
  }

  // Gives it `text` and takes what it writes, in whatever order it wants.
  void Exchange(std::string_view text) {
    for (const Descriptor* end : {&in_.write, &out_.read, &talk_.read}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
    while (out_.read.get() >= 0 || talk_.read.get() >= 0) {
      if (text.empty()) in_.write.Close();
      std::array<pollfd, 3> ready = {pollfd{in_.write.get(), POLLOUT, 0}, pollfd{out_.read.get(), POLLIN, 0},
                                     pollfd{talk_.read.get(), POLLIN, 0}};
      if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
      if (ready[0].revents != 0) Give(text);
      if (ready[1].revents != 0) TakeFrom(out_.read, output);
      if (ready[2].revents != 0) TakeFrom(talk_.read, talk);
    }
  }

  // As waitpid says it.
  int Wait() {
    in_.write.Close();
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  std::string output;
  std::string talk;

 private:
  // A program that does not want the rest does not get it.
  void Give(std::string_view& text) {
    const ssize_t given = write(in_.write.get(), text.data(), text.size());
    if (given >= 0) return text.remove_prefix(static_cast<size_t>(given));
    if (errno != EAGAIN && errno != EINTR) text = {};
  }

  static void TakeFrom(Descriptor& from, std::string& to) {
    std::array<char, 1 << 16> block;
    const ssize_t taken = read(from.get(), block.data(), block.size());
    if (taken > 0) {
      to.append(block.data(), static_cast<size_t>(taken));
    } else if (taken == 0 || (errno != EAGAIN && errno != EINTR)) {
      from.Close();
    }
  }

  Pipe in_, out_, talk_;
  pid_t pid_ = -1;
};

std::string EndText(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::string> SvgOf(std::string_view text) {
  Child dot;
  if (const int error = dot.Start(); error != 0) {
    if (error == ENOENT) return NotFound("there is no program 'dot' on the PATH");
    return Internal(fmt::format("'dot' cannot be started: {}", ErrnoText(error)));
  }
  dot.Exchange(text);
  const int status = dot.Wait();
  if (status == 0) return std::move(dot.output);
  const std::string said = dot.talk.substr(0, std::min(dot.talk.find('\n'), kMostTalk));
  return Internal(fmt::format("'dot' ended with {}{}{}", EndText(status), said.empty() ? "" : ": ", said));
}

}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "host/base/child.h"
#include "host/cli/dev/dev.h"

extern char** environ;

namespace opsrun::host {
namespace {

constexpr int kTaken[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

sigset_t TakenSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kTaken) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

OwnProcess::~OwnProcess() {
  if (pid_ <= 0) return;
  Kill();
  Wait();
}

int OwnProcess::Start(const std::vector<std::string>& words, int talk, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (nothing.get() < 0) return errno;
  pid_ = ForkUntilParentEnds();
  if (pid_ < 0) return errno;
  if (pid_ == 0) {
    setpgid(0, 0);  // so that all of it can be killed
    const int to = talk < 0 ? nothing.get() : talk;
    dup2(nothing.get(), STDIN_FILENO);
    dup2(output < 0 ? to : output, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);  // this program ignores them
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(arguments[0], arguments.data(), environ);
    EndChild(127);
  }
  setpgid(pid_, pid_);  // whoever comes first
  return 0;
}

bool OwnProcess::HasEnded() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

int OwnProcess::Wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-pid_, SIGKILL);  // what it has left behind
  pid_ = -1;
  return status;
}

void OwnProcess::Kill() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
}

SignalInbox::SignalInbox() {
  const sigset_t signals = TakenSignals();
  sigprocmask(SIG_BLOCK, &signals, &before_);
  descriptor_ = Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalInbox::~SignalInbox() {
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int SignalInbox::Take() const {
  signalfd_siginfo info{};
  int taken = 0;
  while (taken == 0 && read(descriptor_.get(), &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo != SIGCHLD) taken = static_cast<int>(info.ssi_signo);
  }
  return taken;
}

PrivateFolder::PrivateFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "opsrun-dev-XXXXXX").string();
  if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace opsrun::host

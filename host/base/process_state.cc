// host/base/process_state.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/process_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <vector>

namespace opsrun::host {
namespace {

std::string Locale() {
  const char* name = std::setlocale(LC_ALL, nullptr);
  return name == nullptr ? "" : name;
}

bool IsHere(int directory) {
  struct stat here = {}, there = {};
  return stat(".", &here) == 0 && fstat(directory, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

bool HaveSameSignals(const sigset_t& a, const sigset_t& b) {
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&a, number) != sigismember(&b, number)) return false;
  }
  return true;
}

// "a, b and c"; empty for none.
std::string Enumerated(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
  }
  return text;
}

}  // namespace

ThreadState::ThreadState() {
  pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
}

std::string ThreadState::Restore() const {
  std::vector<std::string> changed;
  if (floats_.Restore()) changed.emplace_back("the floating-point mode");
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &signals_, &now);
  if (!HaveSameSignals(now, signals_)) changed.emplace_back("the signal mask");
  return Enumerated(changed);
}

ProcessState::ProcessState() : locale_(Locale()), directory_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

ProcessState::~ProcessState() {
  if (directory_ >= 0) close(directory_);
}

std::string ProcessState::Restore() const {
  std::vector<std::string> changed;
  const std::string of_thread = thread_.Restore();
  if (!of_thread.empty()) changed.push_back(of_thread);
  if (Locale() != locale_ && std::setlocale(LC_ALL, locale_.c_str()) != nullptr) changed.emplace_back("the locale");
  if (directory_ >= 0 && !IsHere(directory_) && fchdir(directory_) == 0) changed.emplace_back("the working directory");
  return Enumerated(changed);
}

}  // namespace opsrun::host

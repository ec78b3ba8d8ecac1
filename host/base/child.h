// host/base/child.h: child processes that end with their parent, also if that is killed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <span>
#include <string>
#include <vector>

namespace opsrun::host {

// Ends the process: exit handlers do not run, and nobody is told, as by _exit of the program.
[[noreturn]] inline void EndChild(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

// As fork. The child, and the program that it may become, is killed when the calling thread ends; so wait for it.
// Async-signal-safe: the child may only make system calls.
inline pid_t ForkUntilParentEnds() {
  const pid_t parent = getpid();
  const pid_t child = _Fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) EndChild(1);  // it has ended already
  return 0;
}

// A descriptor of this process that a program gets under another number.
struct GivenFile {
  int number = 0;
  int file = -1;  // -1: /dev/null
};

// Starts a program, in a process group of its own, with no signal blocked or ignored, and with these files and those
// that are not closed on exec. words: its path, then its arguments. 0, or an errno; *child is then -1.
int StartProgram(const std::vector<std::string>& words, std::span<const GivenFile> files, pid_t* child);

}  // namespace opsrun::host

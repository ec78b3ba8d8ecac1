// host/base/child.h: child processes that end with their parent, also if that is killed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

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

}  // namespace opsrun::host

// host/threads/start_thread.h: threads that run kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace opsrun::host {

// Runs `fn` on a new thread that blocks all signals except those caused by faults: other signals are for the program's
// own threads. The result is not joinable if the system has no more threads, or no memory for a stack.
template <typename Fn>
std::thread StartThread(Fn fn) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);  // inherited
  std::thread thread;
  try {
    thread = std::thread(std::move(fn));
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

// How many processors this process may use: the minimum of its affinity mask and the CPU quotas of its control groups,
// rounded up; at least 1. `root` is a prefix for /proc and /sys, "" for the real ones.
int AvailableCpus(const std::string& root = "");

}  // namespace opsrun::host

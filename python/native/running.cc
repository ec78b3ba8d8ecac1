// python/native/running.cc
// SPDX-License-Identifier: Apache-2.0
#include "running.h"

#include <nanobind/nanobind.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>

namespace opsrun::python {
namespace {

// One per process, like signals and forks.
unsigned long main_thread = 0;
std::atomic<uint32_t> fork_number{0};
opsrun_stop* stop_of_main = nullptr;  // for runs on the main thread; replaced after each signal
std::atomic<bool> interrupted{false};
struct sigaction handler_of_python = {};  // Python's handler, saved during a run on the main thread

void OnInterrupt(int signal, siginfo_t* info, void* context) {
  interrupted = true;
  opsrun_stop_now(stop_of_main);
  if ((handler_of_python.sa_flags & SA_SIGINFO) != 0) {
    handler_of_python.sa_sigaction(signal, info, context);
  } else if (handler_of_python.sa_handler != SIG_DFL && handler_of_python.sa_handler != SIG_IGN) {
    handler_of_python.sa_handler(signal);
  }
}

}  // namespace

void PrepareRunning() {
  // Not the current thread, since any thread may import the module.
  const auto main = nanobind::module_::import_("threading").attr("main_thread")();
  main_thread = nanobind::cast<unsigned long>(main.attr("ident"));
  pthread_atfork(nullptr, nullptr, [] { ++fork_number; });
}

uint32_t ForkNumber() {
  return fork_number;
}

bool CheckFork(uint32_t number) {
  if (number == fork_number) return true;
  PyErr_SetString(PyExc_RuntimeError,
                  "opsrun was used before this process was forked, and its threads are not in the child; start "
                  "processes with multiprocessing.get_context('spawn')");
  return false;
}

bool SetInterruption() {
  if (!interrupted.exchange(false)) return false;
  if (PyErr_CheckSignals() == 0) PyErr_SetString(PyExc_KeyboardInterrupt, "a signal stopped the run");
  return true;
}

namespace internal {

opsrun_stop* BeginInterruptible() {
  if (PyThread_get_thread_ident() != main_thread) return nullptr;
  if (stop_of_main == nullptr && opsrun_stop_create(&stop_of_main) != OPSRUN_OK) return nullptr;
  interrupted = false;
  struct sigaction current = {};
  if (sigaction(SIGINT, nullptr, &current) != 0) return nullptr;
  const bool handled =
      (current.sa_flags & SA_SIGINFO) != 0 || (current.sa_handler != SIG_DFL && current.sa_handler != SIG_IGN);
  if (!handled) return nullptr;  // the signal would end the process or be ignored
  handler_of_python = current;
  struct sigaction ours = {};
  ours.sa_sigaction = OnInterrupt;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  return sigaction(SIGINT, &ours, nullptr) == 0 ? stop_of_main : nullptr;
}

void EndInterruptible(opsrun_stop* stop) {
  if (stop == nullptr) return;
  sigaction(SIGINT, &handler_of_python, nullptr);
  if (!interrupted) return;
  opsrun_stop_destroy(stop_of_main);
  stop_of_main = nullptr;
}

}  // namespace internal
}  // namespace opsrun::python

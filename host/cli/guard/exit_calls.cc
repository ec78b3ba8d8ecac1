// host/cli/guard/exit_calls.cc: the functions that end a process or a thread, in front of those of the C library.
//
// A plugin that calls one of them would end the program with the status of its choice and without a word. The dynamic
// linker finds these first, since they are the program's. Raw system calls and calls inside the C library do not come
// here. Part of the program opsrun and of nothing else.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdlib>

#include "host/base/plugin_code.h"
#include "host/cli/guard/crash_report.h"

namespace opsrun::host {
namespace {

template <typename Fn>
Fn* Next(const char* name) {
  return reinterpret_cast<Fn*>(dlsym(RTLD_NEXT, name));
}

// By the C library.
[[noreturn]] void EndBy(const char* name, int status) {
  Next<void(int)>(name)(status);
  std::abort();
}

}  // namespace
}  // namespace opsrun::host

using opsrun::host::CheckExitCall;
using opsrun::host::EndBy;

#define OPSRUN_EXIT_CALL extern "C" __attribute__((visibility("default"), noreturn)) void

OPSRUN_EXIT_CALL exit(int status) noexcept {
  CheckExitCall("exit", __builtin_return_address(0));
  EndBy("exit", status);
}

OPSRUN_EXIT_CALL _exit(int status) {
  CheckExitCall("_exit", __builtin_return_address(0));
  EndBy("_exit", status);
}

OPSRUN_EXIT_CALL _Exit(int status) noexcept {
  CheckExitCall("_Exit", __builtin_return_address(0));
  EndBy("_Exit", status);
}

OPSRUN_EXIT_CALL quick_exit(int status) noexcept {
  CheckExitCall("quick_exit", __builtin_return_address(0));
  EndBy("quick_exit", status);
}

// A thread of the plugin's own may end itself.
OPSRUN_EXIT_CALL pthread_exit(void* value) {
  if (opsrun::host::RunningCode() != nullptr) CheckExitCall("pthread_exit", __builtin_return_address(0));
  opsrun::host::Next<void(void*)>("pthread_exit")(value);
  std::abort();
}

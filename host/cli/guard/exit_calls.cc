// host/cli/guard/exit_calls.cc: replaces the functions that end a process or a thread.
//
// A plugin that calls one of them would end the program silently, with a status of its choice. The dynamic linker finds
// these definitions first because they are in the executable; raw system calls and calls inside the C library bypass
// them. Link this file only into the program opsrun.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdlib>

#include "host/cli/guard/guard.h"

namespace opsrun::host {
namespace {

template <typename Fn>
Fn* Next(const char* name) {
  return reinterpret_cast<Fn*>(dlsym(RTLD_NEXT, name));
}

// Calls the C library's function, if the program itself makes the call. caller: the return address.
[[noreturn]] void EndBy(const char* name, int status, const void* caller) {
  CheckExitCall(name, caller);
  Next<void(int)>(name)(status);
  std::abort();
}

}  // namespace
}  // namespace opsrun::host

using opsrun::host::CheckExitCall;
using opsrun::host::EndBy;

#define OPSRUN_EXIT_CALL extern "C" __attribute__((visibility("default"), noreturn)) void

OPSRUN_EXIT_CALL exit(int status) noexcept {
  EndBy("exit", status, __builtin_return_address(0));
}

OPSRUN_EXIT_CALL _exit(int status) {
  EndBy("_exit", status, __builtin_return_address(0));
}

OPSRUN_EXIT_CALL _Exit(int status) noexcept {
  EndBy("_Exit", status, __builtin_return_address(0));
}

OPSRUN_EXIT_CALL quick_exit(int status) noexcept {
  EndBy("quick_exit", status, __builtin_return_address(0));
}

// Threads that a plugin starts may end themselves.
OPSRUN_EXIT_CALL pthread_exit(void* value) {
  if (opsrun::host::RunningCode() != nullptr) CheckExitCall("pthread_exit", __builtin_return_address(0));
  opsrun::host::Next<void(void*)>("pthread_exit")(value);
  std::abort();
}

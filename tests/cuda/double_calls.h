// tests/cuda/double_calls.h: calls that only the fake driver has: launching a function of this program as a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <cstddef>

namespace opsrun::host {

struct DoubleCalls {
  // Like cuLaunchKernel: passes a copy of the closure to `run` in the process of the kernels. Returns a CUresult.
  int (*launch)(void* stream, const char* kernel, void (*run)(const void* closure), const void* closure,
                size_t bytes) = nullptr;

  // Requires: the driver is loaded, and it is the fake one.
  static const DoubleCalls& Get() {
    static const DoubleCalls calls = [] {
      DoubleCalls found;
      void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
      found.launch = reinterpret_cast<decltype(found.launch)>(dlsym(library, "opsrun_double_launch"));
      return found;
    }();
    return calls;
  }
};

}  // namespace opsrun::host

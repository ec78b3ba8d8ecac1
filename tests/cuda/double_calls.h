// tests/cuda/double_calls.h: what only the double has: launching a function of this program as a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <cstddef>

namespace opsrun::host {

struct DoubleCalls {
  // Like cuLaunchKernel: a copy of the closure is given to `run` in the process of the kernels. Answers a CUresult.
  int (*launch)(void* stream, const char* kernel, void (*run)(const void* closure), const void* closure,
                size_t bytes) = nullptr;

  // Requires: the driver is loaded, and it is the double.
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

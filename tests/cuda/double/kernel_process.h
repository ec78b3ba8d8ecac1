// tests/cuda/double/kernel_process.h: the process in which kernels run, one after another.
//
// It is a fork of this process, created when a kernel is first launched and again after a library was opened, so that
// the code of plugins is at the same addresses. Device memory is protected there too: the first access to a page makes
// it accessible and is recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/cuda/double/memory.h"

namespace cuda_double {

using KernelFunction = void (*)(const void* closure);

class KernelProcess {
 public:
  // seconds: the CPU time that a kernel may take.
  KernelProcess(const Memory& memory, int seconds);
  KernelProcess(const KernelProcess&) = delete;
  ~KernelProcess();

  static constexpr size_t kMostClosure = 4096;

  // Runs run(closure) and returns the pages that it touched. False: the process ended, for the reason in `why`, and the
  // pages are unknown.
  bool Run(KernelFunction run, const void* closure, size_t bytes, std::vector<Touch>* touches, std::string* why);
  // Ends the process. It is created again when necessary.
  void Stop();
  // Called in the process of the kernels: records an error of the running kernel.
  static void Fault(const char* text);

 private:
  struct Shared;
  void Start();
  [[noreturn]] void Serve(pid_t parent);

  const Memory& memory_;
  const int seconds_;
  Shared* shared_ = nullptr;
  pid_t child_ = 0;
  unsigned long long libraries_ = 0;  // opened in this process when the child was created
};

}  // namespace cuda_double

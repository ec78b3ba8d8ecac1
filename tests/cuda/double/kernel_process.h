// tests/cuda/double/kernel_process.h: the process in which kernels run, one after another.
//
// It is a copy of this one, made when a kernel is first launched and again after a library was opened, so that the code
// of plugins is there at the same addresses. Device memory is closed there too, page by page: the first touch of a page
// opens it and is noted.
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
  // A kernel may take so many seconds of CPU time.
  KernelProcess(const Memory& memory, int seconds);
  KernelProcess(const KernelProcess&) = delete;
  ~KernelProcess();

  static constexpr size_t kMostClosure = 4096;

  // Runs run(closure) and returns what it touched. False if that ended the process, which `why` tells: then nothing is
  // known of its touches.
  bool Run(KernelFunction run, const void* closure, size_t bytes, std::vector<Touch>* touches, std::string* why);
  // Ends the process, which is made again if need be.
  void Stop();
  // Called in the process of the kernels: notes something that is wrong with the running kernel.
  static void Fault(const char* text);

 private:
  struct Shared;
  void Start();
  [[noreturn]] void Serve(pid_t parent);

  const Memory& memory_;
  const int seconds_;
  Shared* shared_ = nullptr;
  pid_t child_ = 0;
  unsigned long long libraries_ = 0;  // opened in this process, when the child was made
};

}  // namespace cuda_double

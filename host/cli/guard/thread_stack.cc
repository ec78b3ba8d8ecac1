// host/cli/guard/thread_stack.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/guard/thread_stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <optional>

namespace opsrun::host {
namespace {

constexpr size_t kStackBytes = 64 * 1024;
alignas(16) char main_stack[kStackBytes];

bool HasAlternateStack() {
  stack_t now = {};
  return sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0;
}

bool SetAlternateStack(void* memory) {
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kStackBytes;
  return sigaltstack(&stack, nullptr) == 0;
}

void FreeAlternateStack(void* memory) {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, kStackBytes);
}

// Not a thread_local with a destructor: the C library aborts if it has no memory to register one, and memory may be
// exhausted when a thread starts.
bool FreeWhenThreadEnds(void* memory) {
  static const auto key = []() -> std::optional<pthread_key_t> {
    pthread_key_t made = 0;
    return pthread_key_create(&made, FreeAlternateStack) == 0 ? std::optional(made) : std::nullopt;
  }();
  return key && pthread_setspecific(*key, memory) == 0;
}

bool IsOfTheSystem(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  constexpr std::string_view kSystem[] = {"libc.so",  "libc-",      "ld-linux", "libstdc++",
                                          "libgcc_s", "libpthread", "libm.so"};
  return std::any_of(std::begin(kSystem), std::end(kSystem), [&](std::string_view s) { return file.starts_with(s); });
}

}  // namespace

void MakeAlternateStack() {
  if (HasAlternateStack()) return;
  void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  if (!SetAlternateStack(memory) || !FreeWhenThreadEnds(memory)) FreeAlternateStack(memory);
}

void SetAlternateStackOfMainThread() {
  if (!HasAlternateStack()) SetAlternateStack(main_stack);
}

std::string_view FileAt(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : std::string_view();
}

bool IsOurs(const void* address) {
  Dl_info its = {}, ours = {};
  return dladdr(address, &its) != 0 && dladdr(reinterpret_cast<const void*>(&IsOurs), &ours) != 0 &&
         its.dli_fbase == ours.dli_fbase;
}

std::string_view FileOnStack() {
  void* frames[64];
  const int count = backtrace(frames, static_cast<int>(std::size(frames)));
  for (int i = 0; i < count; ++i) {
    const std::string_view file = FileAt(frames[i]);
    if (!file.empty() && !IsOfTheSystem(file) && !IsOurs(frames[i])) return file;
  }
  return {};
}

}  // namespace opsrun::host

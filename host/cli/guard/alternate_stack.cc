// host/cli/guard/alternate_stack.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/guard/alternate_stack.h"

#include <pthread.h>
#include <sys/mman.h>

#include <csignal>
#include <cstddef>
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

}  // namespace opsrun::host

// tests/bad_plugins/crash_places.h: crashes of misbehaves.cc whose place is hard to tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

volatile uintptr_t none = 0;

void CrashInHostileFile();

inline __attribute__((always_inline)) void WriteAt(volatile int* place) {
  *place = 1;
}
// Of an address that is not in the first page.
__attribute__((noinline)) void WriteThroughInlined() {
  WriteAt(reinterpret_cast<volatile int*>(none + 0x12340));
}

[[noreturn]] void LoseStack() {
#if defined(__x86_64__)
  asm volatile("mov $16, %rsp\n push %rax");
#else
  asm volatile("mov sp, #16\n str x0, [sp, #-16]!");
#endif
  std::abort();
}

// The return addresses of this function and of its callers are gone.
__attribute__((noinline)) void SmashStack() {
  volatile uintptr_t* const frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
  for (int i = 0; i < 64; ++i) frame[i] = 0x4141414141414141;
  __builtin_trap();
}

void CallNothing() {
  const auto function = reinterpret_cast<void (*)()>(none);
  function();
  none = 0;  // so that this is not a tail call
}

// All but standard error.
void CloseDescriptors() {
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    if (descriptor != STDERR_FILENO) close(descriptor);
  }
}

void RemoveOwnFile() {
  Dl_info own = {};
  if (dladdr(reinterpret_cast<void*>(&RemoveOwnFile), &own) != 0) unlink(own.dli_fname);
}

void CrashAtPlace(const std::string& what) {
  if (what == "inlined") WriteThroughInlined();
  if (what == "lose_stack") LoseStack();
  if (what == "smash_stack") SmashStack();
  if (what == "call_nothing") CallNothing();
  if (what == "close_all") CloseDescriptors();
  if (what == "remove_file") RemoveOwnFile();
  if (what == "hostile_name") CrashInHostileFile();
  if (what == "close_all" || what == "remove_file") std::abort();
}

// A file whose name, in the debug information, would write to a terminal.
#line 7 "evil\033[31m\nname.cc"
void CrashInHostileFile() {
  std::abort();
}

}  // namespace

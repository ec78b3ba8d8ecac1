// host/cli/guard/captured_thread.h: what a crashed process tells opsrun-backtrace, and what that answers.
//
// The question is a file: this struct, the bytes of the stack, and the text of /proc/self/maps. The answer is bytes on
// standard output: for each frame, innermost first, the texts of a StackFrame, each ending in a NUL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace opsrun::host {

struct CapturedThread {
#if defined(__x86_64__)
  static constexpr size_t kRegisters = 17;  // DWARF's numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip
  static constexpr size_t kStackPointer = 7;
#else
  static constexpr size_t kRegisters = 32;  // x0 to x30, sp
  static constexpr size_t kStackPointer = 31;
#endif

  uint64_t registers[kRegisters] = {};
  uint64_t pc = 0;
  uint64_t stack_begin = 0;  // address of the first byte that was copied
  uint64_t stack_bytes = 0;
  uint64_t program = 0;  // an address in opsrun itself
  int64_t process = 0;
  int64_t began_s = 0, began_ns = 0;  // files that were written later are not those that the process has mapped
};

// Whether a file is part of the C or C++ library, in which plugins crash through no fault of it.
inline bool IsOfTheSystem(std::string_view path) {
  constexpr std::string_view kSystem[] = {"libc.so",  "libc-",      "ld-linux", "libstdc++",
                                          "libgcc_s", "libpthread", "libm.so"};
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return std::any_of(std::begin(kSystem), std::end(kSystem), [&](std::string_view s) { return file.starts_with(s); });
}

// At most this many frames are shown; of more, the middle is left out.
inline constexpr size_t kMostFrames = 32;
// Of a text of a frame, with its NUL.
inline constexpr size_t kMostFrameText = 400;
inline constexpr size_t kTextsPerFrame = 6;  // text, function, file, line, module, left_out

}  // namespace opsrun::host

// host/cli/unwinder/unwind.h: the frames of a captured thread, from its copied stack and from the files that its
// process has mapped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/guard/captured_thread.h"

namespace opsrun::host {

// One function that was being executed; inlined ones too.
struct NamedFrame {
  std::string function;  // demangled; empty if the file has no symbol there
  std::string file;      // of the source, as the compiler recorded it; empty without debug information
  int line = 0;
  std::string module;   // path of the program or library; empty: the address is in none
  uint64_t offset = 0;  // in the module
};

class Unwinder {
 public:
  // stack, maps: of the thread and its process; they must outlive this object.
  Unwinder(const CapturedThread& thread, std::string_view stack, std::string_view maps);
  Unwinder(const Unwinder&) = delete;
  ~Unwinder();

  // The addresses of the instructions that are being executed, innermost first; at most `most`. Ends early where the
  // stack cannot be read.
  std::vector<uint64_t> Addresses(size_t most);

  // The file that has the address; empty: none.
  std::string ModuleOf(uint64_t address) const;

  // The function at the address, after those that are inlined there.
  std::vector<NamedFrame> NamesOf(uint64_t address) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opsrun::host

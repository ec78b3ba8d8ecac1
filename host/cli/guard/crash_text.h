// host/cli/guard/crash_text.h: a diagnostic as text, written without allocation, for signal handlers.
//
// The formats are those of host/show/render_diagnostics.h, without color.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "host/base/plugin_code.h"
#include "host/show/render_diagnostics.h"

namespace opsrun::host {

// Text of at most kMost bytes; longer text is truncated.
class FixedText {
 public:
  static constexpr size_t kMost = 1024;

  FixedText& operator<<(std::string_view text);
  FixedText& operator<<(int64_t number);
  std::string_view view() const { return {bytes_, size_}; }
  bool empty() const { return size_ == 0; }

 private:
  char bytes_[kMost];
  size_t size_ = 0;
};

// A diagnostic with fixed storage. Empty texts are omitted.
struct CrashDiagnostic {
  Code code;
  FixedText message, help, note;
  const SourceFile* source = nullptr;
  Span where;
};

void WriteCrash(int descriptor, const CrashDiagnostic& d, ErrorFormat format);

// Why the code was called: "in the kernel of node 'z' (op Sum)".
void AppendPhase(const PluginCodeFacts& facts, FixedText& text);

}  // namespace opsrun::host

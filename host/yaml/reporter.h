// host/yaml/reporter.h: diagnostics about one file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/diagnostic.h"

namespace opsrun::host {

class Reporter {
 public:
  // Both outlive the reporter.
  Reporter(const SourceFile& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  // Adds an error at `where`. Fill in more through the reference, which is valid until the next call.
  Diagnostic& Error(Code code, const Span& where, std::string message);

  // The same with one help and nothing else. Returns false.
  bool Refuse(Code code, const Span& where, std::string message, std::string help);

  const SourceFile& source() const { return source_; }

 private:
  const SourceFile& source_;
  Diagnostics& diagnostics_;
};

// The text in single quotes, for messages: control characters are written as "\x1b", and text that is too long for a
// line ends in "...".
std::string Quote(std::string_view text);

}  // namespace opsrun::host

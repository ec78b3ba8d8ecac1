// host/yaml/reporter.cc: diagnostics about one file.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/reporter.h"

#include <fmt/core.h>

#include <utility>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

constexpr size_t kLongest = 60;

std::string_view Shortened(std::string_view text) {
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && IsContinuationByte(text[end])) --end;
  return text.substr(0, end);
}

}  // namespace

Diagnostic& Reporter::Error(Code code, const Span& where, std::string message) {
  Diagnostic& diagnostic = diagnostics_.Error(code, std::move(message));
  diagnostic.file = source_.path;
  diagnostic.where = where;
  return diagnostic;
}

bool Reporter::Refuse(Code code, const Span& where, std::string message, std::string help) {
  Error(code, where, std::move(message)).help.push_back(std::move(help));
  return false;
}

std::string Quote(std::string_view text) {
  const std::string_view shown = Shortened(text);
  std::string quoted = "'";
  for (const char c : shown) {
    const unsigned char byte = static_cast<unsigned char>(c);
    quoted += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return quoted + (shown.size() < text.size() ? "...'" : "'");
}

}  // namespace opsrun::host

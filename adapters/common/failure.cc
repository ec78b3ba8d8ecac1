// adapters/common/failure.cc
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <algorithm>

namespace opsrun_adapter {
namespace {

// The length in bytes of the character at `at`; 0 if it is invalid. See the Unicode Standard 15.0, table 3-7.
size_t SizeOfCharacter(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(at), next = byte(at + 1);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F)) return 0;
  if ((lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F)) return 0;
  const size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

// The messages with their help.
std::string TextOf(const opsrun_report* report) {
  std::string text;
  for (uint32_t i = 0; i < opsrun_report_count(report); ++i) {
    const opsrun_diagnostic& d = *opsrun_report_get(report, i);
    if (d.severity != OPSRUN_SEVERITY_ERROR) continue;
    text += (text.empty() ? "" : "\n") + Text(d.message);
    for (uint32_t k = 0; k < d.n_help; ++k) text += "; " + Text(d.help[k]);
  }
  return text.empty() ? "no reason is known" : text;
}

}  // namespace

const char* CodeName(int32_t code) {
  static constexpr const char* kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code <= OPSRUN_UNAUTHENTICATED ? kNames[code] : kNames[OPSRUN_UNKNOWN];
}

std::string Utf8(const std::string& text) {
  std::string valid;
  for (size_t at = 0; at < text.size();) {
    const size_t size = SizeOfCharacter(text, at);
    valid += size == 0 ? "\xEF\xBF\xBD" : text.substr(at, size);
    at += std::max<size_t>(1, size);
  }
  return valid;
}

std::string Blame(std::string subject) {
  std::replace(subject.begin(), subject.end(), ':', ' ');
  return subject;
}

void Check(int32_t code, opsrun_report* report, const std::string& what) {
  if (code == OPSRUN_OK) return opsrun_report_free(report);
  const std::string text = TextOf(report);
  opsrun_report_free(report);
  Throw(code, what + ": " + text);
}

}  // namespace opsrun_adapter

// adapters/common/failure.cc
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <algorithm>

namespace opsrun_adapter {
namespace {

// With what to do.
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

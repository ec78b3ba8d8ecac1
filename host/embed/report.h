// host/embed/report.h: diagnostics as the C interface returns them. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "opsrun/embed.h"

struct opsrun_report {
  opsrun::host::Diagnostics diagnostics;
  std::shared_ptr<const opsrun::host::SourceFile> source;  // the file that the diagnostics refer to; may be null
  std::vector<opsrun_diagnostic> views;
  std::deque<std::vector<opsrun_label>> labels;
  std::deque<std::vector<opsrun_str>> lists;
  std::string texts[3];  // one per format, filled on demand
};

struct opsrun_text {
  std::string text;
};

namespace opsrun::host {

inline opsrun_str StrOf(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string TextOf(opsrun_str text) {
  return text.data == nullptr ? std::string() : std::string(text.data, text.size);
}

// Sets *report, unless `report` is null, to a report of the diagnostics, if there are any. Returns OPSRUN_OK without
// errors, or a code for the first error: NOT_FOUND for a missing op or file, UNIMPLEMENTED for a missing kernel,
// INVALID_ARGUMENT for other errors in a graph, FAILED_PRECONDITION for plugins, RESOURCE_EXHAUSTED for memory,
// otherwise `otherwise`.
int32_t Report(Diagnostics diagnostics, std::shared_ptr<const SourceFile> source, opsrun_report** report,
               int32_t otherwise = OPSRUN_INTERNAL);

// The same for one error without a place; help may be empty. Returns status.code().
int32_t ReportStatus(Code code, const Status& status, opsrun_report** report, const std::string& help = {});

}  // namespace opsrun::host

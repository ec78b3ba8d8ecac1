// host/isolate/report.h: what a child writes to its report file as it happens, so that it is not lost when it ends:
// lines of the plugin's log, and how it crashed. A record is a letter and a text that ends with NUL; texts have no NUL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

enum ReportRecord : char {
  kReportLog = 'L',      // fields: severity, text, source, line in it, node
  kReportMessage = 'm',  // of a crash, as are those that follow
  kReportLine = 'l',     // in the text of the part that ran
  kReportHelp = 'h',
  kReportNote = 'n',
  kReportFrame = 'f',  // fields: as StackFrame has them
};

// Separates fields, in which it does not occur.
inline constexpr char kReportField = '\x1F';

inline std::vector<std::string> FieldsOfRecord(std::string_view text) {
  std::vector<std::string> fields;
  for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 1, text.size()))) {
    end = text.find(kReportField);
    fields.emplace_back(text.substr(0, end));
  }
  return fields;
}

}  // namespace opsrun::host

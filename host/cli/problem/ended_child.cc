// SPDX-License-Identifier: Apache-2.0
#include "host/cli/problem/ended_child.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "host/base/text.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

std::string ReportIn(int said) {
  char bytes[1 << 14];
  const ssize_t got = pread(said, bytes, sizeof(bytes), 0);
  const std::string text(bytes, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  for (const std::string_view line : LinesOf(text)) {
    const Json report = Json::parse(line, nullptr, false);
    if (report.is_object() && report.contains("message") && report.at("message").is_string())
      return report.at("message").get<std::string>();
    for (const std::string_view sign : {"ERROR: ", "runtime error: "}) {
      if (line.find(sign) != line.npos)
        return "a sanitizer found: " + std::string(line.substr(line.find(sign) + sign.size()));
    }
  }
  return {};
}

}  // namespace

std::string EndWord(int status) {
  if (WIFSIGNALED(status)) return fmt::format("SIG{}", sigabbrev_np(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string EndText(int said, int status) {
  const std::string word = EndWord(status), report = ReportIn(said);
  if (report.empty()) return "the process ended: " + word;
  return report.find(word) == report.npos ? fmt::format("{} ({})", report, word) : report;
}

}  // namespace opsrun::host

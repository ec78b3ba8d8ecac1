// SPDX-License-Identifier: Apache-2.0
#include "host/cli/graphviz.h"

#include "host/cli/filter.h"

namespace opsrun::host {

Result<std::string> FindDot() {
  std::string dot = FindProgram("dot");
  if (dot.empty()) return NotFound("there is no program 'dot' on the PATH");
  return dot;
}

Result<std::string> PictureOf(std::string_view text, const std::string& format) {
  const Result<std::string> dot = FindDot();
  return dot.ok() ? Filter(*dot, {"dot", "-T" + format}, text) : dot;
}

int ReportGraphviz(const Status& status, Console& console) {
  return console.Report(MakeError("R505", status.message(),
                                  status.code() == OPSRUN_NOT_FOUND
                                      ? "install Graphviz (apt-get install graphviz), or write its text with --dot"
                                      : "use --dot to see the input of Graphviz"));
}

}  // namespace opsrun::host

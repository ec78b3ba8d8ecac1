// host/cli/explain_code.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/explain_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/base/characters.h"
#include "host/base/exit_status.h"
#include "host/base/suggest.h"
#include "host/plugin/catalog.h"
#include "host/show/error_pages.h"

namespace opsrun::host {
namespace {

bool BeginsSmall(const std::string& word) {
  return !word.empty() && IsLower(word[0]);
}

// Looks at the plugins without a word: what is wrong with one of them is no part of the answer.
bool IsOp(const std::string& name, const CommonOptions& common) {
  return !ReadCatalog(PluginPlaces(common.plugins, !common.no_default_plugins)).ClaimantsOf(name).empty();
}

}  // namespace

std::optional<int> ExplainCode(const std::string& word, bool json, const CommonOptions& common, Console& console) {
  if (word == "codes") {
    console.Print(json ? CodesJson() : CodesText());
    return kExitOk;
  }
  const ErrorPage* page = FindErrorPage(word);
  if (page == nullptr) return BeginsSmall(word) ? RefuseCode(word, console) : std::nullopt;
  if (!BeginsSmall(word) && IsOp(word, common)) return std::nullopt;
  console.Print(json ? PageJson(*page) : PageText(*page));
  return kExitOk;
}

void NoteCode(const std::string& word, Console& console) {
  if (FindErrorPage(word) == nullptr) return;
  console.Note(fmt::format("'{}' is also the code of a message: opsrun explain {}", word, LowerCase(word)));
}

std::optional<int> RefuseCode(const std::string& word, Console& console) {
  if (!LooksLikeCode(word)) return std::nullopt;
  const std::string code = UpperCase(word);
  std::vector<std::string> codes;
  for (const CodeRow& row : kCodes) codes.emplace_back(row.text);
  Diagnostic d;
  d.code = "U005";
  d.message = fmt::format("no message has the code '{}'", code);
  SuggestName(d, code, codes, "codes");
  d.help.push_back("'opsrun explain codes' lists them all");
  console.Report(d);
  return kExitUsage;
}

}  // namespace opsrun::host

// host/plugin/judge_plugin.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/judge_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "opsrun/c_api.h"

namespace opsrun::host {

std::string RealPath(const std::string& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? std::filesystem::absolute(path, error).string() : real.string();
}

std::optional<Refusal> RefuseToOpen(const std::string& path) {
  return FirstRefusal(JudgeLibrary(RealPath(path), OPSRUN_ENTRY_NAME, LibrarySearch::OfThisProcess()));
}

std::vector<Finding> JudgePlugin(const std::string& path, const FileLook& look, const LibrarySearch& search) {
  if (look.kind != FileLook::Kind::kPlugin)
    return {{"contract", Finding::State::kRefused, look.refusal.reason, look.refusal.remedy}};
  uint32_t needed = 0;
  for (const UnitNote& unit : look.note.units) needed = std::max(needed, unit.min_level);
  std::vector<Finding> findings = {
      {"contract", Finding::State::kOk, fmt::format("needs level {}, all layouts are equal", needed), ""}};
  for (Finding& finding : JudgeLibrary(RealPath(path), OPSRUN_ENTRY_NAME, search))
    findings.push_back(std::move(finding));
  return findings;
}

}  // namespace opsrun::host

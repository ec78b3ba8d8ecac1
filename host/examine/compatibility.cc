// host/examine/compatibility.cc: levels, layouts and sanitizers.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/compatibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

struct Layout {
  std::string_view name;
  uint32_t fingerprint;
};

// The order is that of opsrun_note_plugin.
#define OPSRUN_LAYOUT(T, fp, FIELDS) {#T, OPSRUN_FP(T, fp, FIELDS)},
constexpr Layout kLayouts[] = {OPSRUN_STRUCTS(OPSRUN_LAYOUT)
#if OPSRUN_LEVEL >= 2
                                   OPSRUN_STRUCTS_2(OPSRUN_LAYOUT)
#endif
};
#undef OPSRUN_LAYOUT
static_assert(sizeof(opsrun_note_plugin) ==
                  offsetof(opsrun_note_plugin, fp_str) + std::size(kLayouts) * sizeof(uint32_t),
              "each fingerprint of the note has its row");

struct Sanitizer {
  uint32_t bit;
  std::string_view name;
  std::string_view flag;
};
constexpr Sanitizer kSanitizers[] = {
    {OPSRUN_BUILD_ASAN, "AddressSanitizer", "-fsanitize=address"},
    {OPSRUN_BUILD_TSAN, "ThreadSanitizer", "-fsanitize=thread"},
    {OPSRUN_BUILD_MSAN, "MemorySanitizer", "-fsanitize=memory"},
};

// "SDK 0.1.0, gcc 12.2.0"
std::string Origin(const UnitNote& unit) {
  return fmt::format("SDK {}, {}", unit.sdk_version, unit.compiler);
}

std::optional<Refusal> CheckLevel(const UnitNote& unit, uint32_t host_level) {
  if (unit.min_level <= host_level) return std::nullopt;
  return Refusal{fmt::format("needs level {} of opsrun, but this opsrun offers {} (built with {})", unit.min_level,
                             host_level, Origin(unit)),
                 fmt::format("use a newer opsrun, or build it again with -DOPSRUN_TARGET_LEVEL={}", host_level)};
}

std::optional<Refusal> CheckLayouts(const UnitNote& unit) {
  for (size_t i = 0; i < std::min(std::size(kLayouts), unit.fingerprints.size()); ++i) {
    if (unit.fingerprints[i] == kLayouts[i].fingerprint) continue;
    return Refusal{
        fmt::format("{} is laid out differently in it (built with {})", kLayouts[i].name, Origin(unit)),
        "build it again with an unchanged opsrun/c_api.h and without flags that move fields, such as -fpack-struct"};
  }
  return std::nullopt;
}

std::optional<Refusal> CheckSanitizers(const UnitNote& unit) {
  for (const Sanitizer& sanitizer : kSanitizers) {
    if ((unit.flags & sanitizer.bit & ~OPSRUN_BUILD_FLAGS) == 0) continue;
    return Refusal{fmt::format("built with {}, but this opsrun is not", sanitizer.name),
                   fmt::format("build it again without {}, or use an opsrun that is built with it", sanitizer.flag)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> CheckCompatible(const PluginNote& note, uint32_t host_level) {
  if (note.units.empty()) return Refusal{"it has no PLUGIN note", "build it again with the opsrun SDK"};
  auto highest = std::max_element(note.units.begin(), note.units.end(),
                                  [](const UnitNote& a, const UnitNote& b) { return a.min_level < b.min_level; });
  if (auto refusal = CheckLevel(*highest, host_level)) return refusal;
  for (const UnitNote& unit : note.units) {
    if (auto refusal = CheckLayouts(unit)) return refusal;
    if (auto refusal = CheckSanitizers(unit)) return refusal;
  }
  return std::nullopt;
}

std::string RealPath(const std::string& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? std::filesystem::absolute(path, error).string() : real.string();
}

std::optional<Refusal> RefuseToOpen(const std::string& path) {
  return FirstRefusal(JudgeLibrary(RealPath(path), OPSRUN_ENTRY_NAME, LibrarySearch::OfThisProcess()));
}

std::vector<Finding> JudgePlugin(const std::string& path, const FileLook& look, const LibrarySearch& search) {
  if (look.kind != FileLook::Kind::kPlugin) return {RefusedBy("contract", {look.refusal.reason, look.refusal.remedy})};
  uint32_t needed = 0;
  for (const UnitNote& unit : look.note.units) needed = std::max(needed, unit.min_level);
  std::vector<Finding> findings = {
      {"contract", Finding::State::kOk, fmt::format("needs level {}, all layouts are equal", needed), ""}};
  for (Finding& finding : JudgeLibrary(RealPath(path), OPSRUN_ENTRY_NAME, search))
    findings.push_back(std::move(finding));
  return findings;
}

Diagnostic RefusedFile(const std::string& file, const Refusal& refusal) {
  if (refusal.out_of_memory)
    return MakeError("D100", fmt::format("no memory for '{}': {}", file, refusal.reason), refusal.remedy);
  return MakeError("P104", fmt::format("'{}' is refused: {}", file, refusal.reason), refusal.remedy);
}

}  // namespace opsrun::host

// host/elf/judge_library.cc: the checks in order, and those that need no other file.
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/judge_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/elf/check_tables.h"
#include "host/elf/opened_bytes.h"

namespace opsrun::host {
namespace {

using State = Finding::State;

constexpr char kPackedSince[] = "2.36";
constexpr size_t kMostNamed = 3;

Finding Ok(const char* check, std::string text) {
  return {check, State::kOk, std::move(text), ""};
}
Finding Refused(const char* check, std::string reason, std::string remedy) {
  return {check, State::kRefused, std::move(reason), std::move(remedy)};
}
Finding Unreadable(int error) {
  Refusal refusal = RefusedBySystem("it cannot be read", error);
  return {"file", State::kRefused, std::move(refusal.reason), std::move(refusal.remedy), refusal.out_of_memory};
}

Finding JudgeInstructionSet(const LibraryFacts& facts, const Machine& machine) {
  constexpr char kCheck[] = "instruction set";
  if (facts.x86_isa == 0) return Ok(kCheck, "no requirement stated");
  const uint32_t missing = facts.x86_isa & ~machine.x86_isa;
  if (missing == 0) return Ok(kCheck, HighestIsa(facts.x86_isa));
  const std::string ours = HighestIsa(machine.x86_isa);
  return Refused(kCheck, fmt::format("it requires an {} processor, this one supports {}", HighestIsa(missing), ours),
                 fmt::format("build it with -march={}", ours));
}

Finding JudgeThreadStorage(const LibraryFacts& facts) {
  if (!facts.static_tls) return Ok("thread storage", "dynamic");
  return Refused("thread storage",
                 "it uses static thread-local storage (DF_STATIC_TLS), which a running process may not have",
                 "build it and the static libraries in it without -ftls-model=initial-exec");
}

Finding JudgeRelocations(const LibraryFacts& facts, const Machine& machine) {
  constexpr char kCheck[] = "relocations";
  if (facts.text_relocations) {
    return Refused(kCheck, "it has text relocations, which newer systems reject", "build everything in it with -fPIC");
  }
  if (!facts.packed_relocations) return Ok(kCheck, "plain");
  if (!machine.glibc.empty() && !IsOlder(machine.glibc, kPackedSince)) return Ok(kCheck, "packed");
  const std::string ours = machine.glibc.empty() ? "this system has another C library"
                                                 : fmt::format("this system has glibc {}", machine.glibc);
  return Refused(
      kCheck,
      fmt::format("it has packed relative relocations (DT_RELR), which require glibc {}; {}", kPackedSince, ours),
      "link it with -z nopack-relative-relocs");
}

// Plugins work with whatever they export; but what two libraries export may be taken from the wrong one.
Finding JudgeExports(const LibraryFacts& facts, const std::string& entry) {
  const auto own = std::find_if(facts.exports.begin(), facts.exports.end(),
                                [&](const LibraryFacts::Export& each) { return each.name == entry; });
  if (own == facts.exports.end()) {
    return Refused("exports", fmt::format("it does not export {}", entry),
                   "do not hide the entry with a version script, and define it if the plugin is written in C");
  }
  if (!own->function) {
    return Refused("exports", fmt::format("its {} is not a function", entry),
                   "call nothing else by that name, and build it again with the opsrun SDK");
  }
  std::vector<std::string_view> names;
  size_t stray = 0, unique = 0;
  for (const LibraryFacts::Export& each : facts.exports) {
    if (each.name == entry) continue;
    ++stray;
    unique += each.unique;
    if (names.size() < kMostNamed) names.push_back(each.name);
  }
  if (stray == 0) return Ok("exports", entry);
  const std::string more = stray > names.size() ? fmt::format(" and {} more", stray - names.size()) : "";
  const std::string shared =
      unique == 0 ? ""
                  : fmt::format("; {} of these are STB_GNU_UNIQUE, which all libraries in a process share", unique);
  return {"exports", State::kWarning, fmt::format("it also exports {}{}{}", fmt::join(names, ", "), more, shared),
          "link it with the flags of 'opsrun sdk --link-flags', which hide everything else"};
}

}  // namespace

std::optional<Refusal> FirstRefusal(const std::vector<Finding>& findings) {
  const auto refused = std::find_if(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.state == State::kRefused; });
  if (refused == findings.end()) return std::nullopt;
  return Refusal{refused->text, refused->remedy, refused->out_of_memory};
}

std::vector<Finding> JudgeFacts(const LibraryFacts& facts, const Machine& machine, const std::string& entry) {
  return {JudgeInstructionSet(facts, machine), JudgeThreadStorage(facts), JudgeRelocations(facts, machine),
          JudgeExports(facts, entry)};
}

std::vector<Finding> JudgeLibrary(const std::string& path, const std::string& entry, const LibrarySearch& search) {
  const OpenedBytes file(path);
  if (file.bytes() == nullptr) return {Unreadable(file.error())};
  const auto damage = CheckTables(*file.bytes());
  if (file.error() != 0) return {Unreadable(file.error())};
  if (damage) return {Refused("tables", damage->reason, damage->remedy)};
  const std::optional<LibraryFacts> facts = ReadLibraryFacts(*file.bytes());
  if (!facts) return {Refused("tables", "its dynamic section cannot be read", "copy it again, or build it again")};
  std::vector<Finding> findings = {Ok("tables", "whole")};
  for (Finding& finding : JudgeFacts(*facts, MachineHere(), entry)) findings.push_back(std::move(finding));
  for (Finding& finding : JudgeDependencies(*facts, path, search)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace opsrun::host

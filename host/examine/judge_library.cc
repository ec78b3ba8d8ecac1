// host/examine/judge_library.cc: the checks in order, and those that need no other file.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/judge_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_set>

namespace opsrun::host {
namespace {

using State = Finding::State;

constexpr char kPackedSince[] = "2.36";
constexpr size_t kMostNamed = 3;

Finding Ok(const char* check, std::string text) {
  return {check, State::kOk, std::move(text), ""};
}

Finding Unreadable(int error) {
  return RefusedBy("file", RefusedBySystem("it cannot be read", error));
}

Finding JudgeInstructionSet(const LibraryFacts& facts, const Machine& machine) {
  constexpr char kCheck[] = "instruction set";
  if (facts.x86_isa == 0) return Ok(kCheck, "no requirement stated");
  const uint32_t missing = facts.x86_isa & ~machine.x86_isa;
  if (missing == 0) return Ok(kCheck, HighestIsa(facts.x86_isa));
  const std::string ours = HighestIsa(machine.x86_isa);
  return RefusedBy(kCheck,
                   {fmt::format("it requires an {} processor, but this one supports {}", HighestIsa(missing), ours),
                    fmt::format("build it with -march={}", ours)});
}

Finding JudgeThreadStorage(const LibraryFacts& facts) {
  if (!facts.static_tls) return Ok("thread storage", "dynamic");
  return RefusedBy("thread storage",
                   {"it uses static thread-local storage (DF_STATIC_TLS), which a running process may not have",
                    "build it and the static libraries in it without -ftls-model=initial-exec"});
}

Finding JudgeRelocations(const LibraryFacts& facts, const Machine& machine) {
  constexpr char kCheck[] = "relocations";
  if (facts.text_relocations) {
    return RefusedBy(kCheck,
                     {"it has text relocations, which newer systems reject", "build everything in it with -fPIC"});
  }
  if (!facts.packed_relocations) return Ok(kCheck, "plain");
  if (!machine.glibc.empty() && !IsOlder(machine.glibc, kPackedSince)) return Ok(kCheck, "packed");
  const std::string ours = machine.glibc.empty() ? "this system has another C library"
                                                 : fmt::format("this system has glibc {}", machine.glibc);
  return RefusedBy(kCheck, {fmt::format("it has packed relative relocations (DT_RELR), which require glibc {}; {}",
                                        kPackedSince, ours),
                            "link it with -z nopack-relative-relocs"});
}

// Plugins work whatever they export, but a symbol exported by two libraries may be taken from the wrong one.
Finding JudgeExports(const LibraryFacts& facts, const std::string& entry) {
  const auto own = std::find_if(facts.exports.begin(), facts.exports.end(),
                                [&](const LibraryFacts::Export& each) { return each.name == entry; });
  if (own == facts.exports.end()) {
    return RefusedBy("exports",
                     {fmt::format("it does not export {}", entry),
                      "do not hide the entry with a version script, and define it if the plugin is written in C"});
  }
  if (!own->function) {
    return RefusedBy("exports", {fmt::format("its {} is not a function", entry),
                                 "call nothing else by that name, and build it again with the opsrun SDK"});
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

Finding RefusedBy(std::string check, Refusal refusal) {
  return {std::move(check), State::kRefused, std::move(refusal.reason), std::move(refusal.remedy),
          refusal.out_of_memory};
}

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
  if (damage) return {RefusedBy("tables", *damage)};
  const std::optional<LibraryFacts> facts = ReadLibraryFacts(*file.bytes());
  if (!facts) return {RefusedBy("tables", {"its dynamic section cannot be read", "copy it again, or build it again"})};
  std::vector<Finding> findings = {Ok("tables", "whole")};
  for (Finding& finding : JudgeFacts(*facts, MachineHere(), entry)) findings.push_back(std::move(finding));
  for (Finding& finding : JudgeDependencies(*facts, path, search)) findings.push_back(std::move(finding));
  return findings;
}

// The libraries that a library needs, directly and indirectly, and what they define.

namespace {

struct Library {
  std::string path;
  LibraryFacts facts;
};

struct Missing {
  std::string library;
  std::string needed_by;                                // empty: the file itself
  std::optional<LibrarySearch::Unreadable> unreadable;  // the file exists
};

struct Clash {
  std::string library, loaded, own;
};

// Everything that would be loaded with the file.
struct Closure {
  std::vector<Library> libraries;         // without the file itself
  std::map<std::string, size_t> by_name;  // needed libraries, as indices into `libraries`
  std::vector<Missing> missing;
  std::vector<Clash> clashes;
};

class ClosureReader {
 public:
  explicit ClosureReader(const LibrarySearch& search) : search_(search) {}

  Closure Read(const LibraryFacts& facts, const std::string& path) {
    AddNeeded(facts, path, "");
    for (size_t i = 0; i < closure_.libraries.size(); ++i) {
      const Library library = closure_.libraries[i];  // a copy, because the vector grows
      AddNeeded(library.facts, library.path, std::filesystem::path(library.path).filename().string());
    }
    return std::move(closure_);
  }

 private:
  void AddNeeded(const LibraryFacts& facts, const std::string& path, const std::string& user) {
    for (const std::string& name : facts.needed) {
      if (!tried_.insert(name).second) continue;
      const std::optional<std::string> found = search_.Find(name, facts, path);
      std::optional<LibraryFacts> read = found ? ReadLibraryFacts(*found) : std::nullopt;
      if (!read) {
        closure_.missing.push_back({name, user, search_.FindUnreadable(name, facts, path)});
        continue;
      }
      NoteClash(name, facts, path, *found, *read);
      closure_.by_name.emplace(name, closure_.libraries.size());
      closure_.libraries.push_back({*found, *std::move(read)});
    }
  }

  // The first library that the process loads under a soname is used by all that need that soname.
  void NoteClash(const std::string& name, const LibraryFacts& facts, const std::string& path, const std::string& found,
                 const LibraryFacts& used) {
    if (facts.runpath.empty() && facts.rpath.empty()) return;
    const std::optional<std::string> own = search_.FindAfresh(name, facts, path);
    if (!own || *own == found) return;
    const std::optional<LibraryFacts> own_facts = ReadLibraryFacts(*own);
    if (own_facts && own_facts->build_id != used.build_id) closure_.clashes.push_back({name, found, *own});
  }

  const LibrarySearch& search_;
  std::set<std::string> tried_;
  Closure closure_;
};

Finding JudgeLibraries(const Closure& closure) {
  if (!closure.missing.empty()) {
    const auto& [library, user, unreadable] = closure.missing.front();
    const std::string needed_by = user.empty() ? "" : fmt::format("{}, which it needs,", user);
    return RefusedBy("libraries", unreadable ? ExplainUnreadable(unreadable->path, needed_by, unreadable->error)
                                             : ExplainMissing(library, needed_by));
  }
  if (!closure.clashes.empty()) {
    const Clash& clash = closure.clashes.front();
    return {"libraries", State::kWarning,
            fmt::format("its {} is {}, but the process has already loaded {}", clash.library, clash.own, clash.loaded),
            "link it statically, or give it another soname"};
  }
  std::vector<std::string> names;
  for (const auto& [name, i] : closure.by_name) names.push_back(name);
  return Ok("libraries", names.empty() ? "none required" : fmt::format("{}", fmt::join(names, ", ")));
}

// "GLIBCXX_3.4.30": "GLIBCXX" and "3.4.30".
std::pair<std::string, std::string> Split(const std::string& version) {
  const size_t underscore = version.rfind('_');
  if (underscore == std::string::npos) return {version, ""};
  return {version.substr(0, underscore), version.substr(underscore + 1)};
}

// The highest version of the same kind; empty if there is none.
std::string HighestLike(const std::string& version, const std::vector<std::string>& of) {
  std::string highest;
  for (const std::string& each : of) {
    if (Split(each).first != Split(version).first) continue;
    if (highest.empty() || IsOlder(Split(highest).second, Split(each).second)) highest = each;
  }
  return highest;
}

// The GCC release that introduced each version of libstdc++'s symbols ("ABI Policy and Guidelines" of its manual).
struct Release {
  const char* version;
  const char* gcc;
};
constexpr Release kGlibcxx[] = {{"3.4.21", "5"},  {"3.4.22", "6"},  {"3.4.24", "7"},  {"3.4.25", "8"},
                                {"3.4.28", "9"},  {"3.4.28", "10"}, {"3.4.29", "11"}, {"3.4.30", "12"},
                                {"3.4.32", "13"}, {"3.4.33", "14"}, {"3.4.34", "15"}};
constexpr Release kCxxabi[] = {{"1.3.9", "5"},   {"1.3.10", "6"},  {"1.3.11", "7"},  {"1.3.11", "8"},
                               {"1.3.12", "9"},  {"1.3.12", "10"}, {"1.3.13", "11"}, {"1.3.13", "12"},
                               {"1.3.14", "13"}, {"1.3.15", "14"}, {"1.3.16", "15"}};

// The newest GCC whose programs need at most `have`; empty if none is known.
template <size_t n>
std::string GccFor(const Release (&releases)[n], const std::string& have) {
  std::string gcc;
  for (const Release& release : releases) {
    if (!IsOlder(have, release.version)) gcc = release.gcc;
  }
  return gcc;
}

std::string VersionRemedy(const std::string& needed, const std::string& have) {
  const auto [kind, number] = Split(needed);
  const std::string ours = Split(have).second;
  if (kind == "GLIBC") {
    return ours.empty() ? "build it on a system with an older glibc"
                        : fmt::format("build it on a system with glibc {} or older, or use a newer system", ours);
  }
  if (kind == "GLIBCXX" || kind == "CXXABI") {
    const std::string gcc = kind == "GLIBCXX" ? GccFor(kGlibcxx, ours) : GccFor(kCxxabi, ours);
    const std::string with = gcc.empty() ? "an older compiler" : fmt::format("GCC {} or older", gcc);
    return fmt::format("build it with {} or with -static-libstdc++, or use a newer system", with);
  }
  return "build it with an older version of that library, or install a newer one";
}

Finding JudgeVersions(const LibraryFacts& facts, const Closure& closure) {
  std::map<std::string, std::string> highest;  // highest version needed, by kind
  for (const LibraryFacts::Version& version : facts.needed_versions) {
    const auto library = closure.by_name.find(version.library);
    if (library == closure.by_name.end()) continue;  // the whole library is missing
    const auto& [path, its] = closure.libraries[library->second];
    if (its.own_versions.empty()) continue;  // from a library without versions, the linker accepts any symbol
    const std::vector<std::string>& own = its.own_versions;
    if (std::find(own.begin(), own.end(), version.name) == own.end()) {
      const std::string have = HighestLike(version.name, own);
      const std::string has = have.empty() ? "provides none of that kind" : fmt::format("provides at most {}", have);
      return RefusedBy("versions",
                       {fmt::format("it requires {} from {}, but {} {}", version.name, version.library, path, has),
                        VersionRemedy(version.name, have)});
    }
    std::string& most = highest[Split(version.name).first];
    if (most.empty() || IsOlder(Split(most).second, Split(version.name).second)) most = version.name;
  }
  std::vector<std::string> names;
  for (const auto& [kind, version] : highest) names.push_back(version);
  return Ok("versions", names.empty() ? "none required" : fmt::format("{}", fmt::join(names, ", ")));
}

// Compares only names; JudgeVersions has compared the versions.
Finding JudgeSymbols(const LibraryFacts& facts, const Closure& closure, const LibrarySearch& search) {
  std::vector<LibraryFacts> kept;  // keeps the names in `defined` alive
  std::unordered_set<std::string_view> defined;
  const auto add = [&](const LibraryFacts& of) {
    for (const LibraryFacts::Export& each : of.exports) defined.insert(each.name);
  };
  add(facts);
  for (const Library& library : closure.libraries) add(library.facts);
  std::vector<std::string_view> undefined;
  const auto collect = [&] {
    undefined.clear();
    for (const std::string_view name : facts.undefined) {
      if (!name.empty() && defined.count(name) == 0) undefined.push_back(name);
    }
    return !undefined.empty();
  };
  if (collect()) {  // loaded libraries may also define it
    for (const std::string& path : search.loaded()) {
      if (auto loaded = ReadLibraryFacts(path)) add(kept.emplace_back(*std::move(loaded)));
    }
    collect();
  }
  if (undefined.empty()) return Ok("symbols", fmt::format("{} imported", facts.undefined.size()));
  return RefusedBy("symbols", ExplainUndefined("", undefined.front(), undefined.size() - 1));
}

}  // namespace

std::vector<Finding> JudgeDependencies(const LibraryFacts& facts, const std::string& path,
                                       const LibrarySearch& search) {
  const Closure closure = ClosureReader(search).Read(facts, path);
  std::vector<Finding> findings = {JudgeLibraries(closure), JudgeVersions(facts, closure)};
  // With missing libraries, the set of defined symbols is unknown.
  if (closure.missing.empty()) findings.push_back(JudgeSymbols(facts, closure, search));
  return findings;
}

}  // namespace opsrun::host

// host/elf/judge_dependencies.cc: the libraries that a library needs, with all that they need, and what they define.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

#include "host/elf/judge_library.h"
#include "host/elf/missing_library.h"
#include "host/elf/undefined_symbol.h"

namespace opsrun::host {
namespace {

using State = Finding::State;

struct Library {
  std::string path;
  LibraryFacts facts;
};

struct Missing {
  std::string library;
  std::string needed_by;                                // empty: by the file itself
  std::optional<LibrarySearch::Unreadable> unreadable;  // it is there
};

struct Clash {
  std::string library, loaded, own;
};

// Everything that is loaded with the file.
struct Closure {
  std::vector<Library> libraries;         // without the file itself
  std::map<std::string, size_t> by_name;  // of needed libraries, in `libraries`
  std::vector<Missing> missing;
  std::vector<Clash> clashes;
};

class ClosureReader {
 public:
  explicit ClosureReader(const LibrarySearch& search) : search_(search) {}

  Closure Read(const LibraryFacts& facts, const std::string& path) {
    AddNeeded(facts, path, "");
    for (size_t i = 0; i < closure_.libraries.size(); ++i) {
      const Library library = closure_.libraries[i];  // the vector grows
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

  // The first library of a soname that the process loads serves everybody who needs that soname.
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
    Refusal refusal = unreadable ? ExplainUnreadable(unreadable->path, needed_by, unreadable->error)
                                 : ExplainMissing(library, needed_by);
    return {"libraries", State::kRefused, std::move(refusal.reason), std::move(refusal.remedy), refusal.out_of_memory};
  }
  if (!closure.clashes.empty()) {
    const Clash& clash = closure.clashes.front();
    return {"libraries", State::kWarning,
            fmt::format("its {} is {}, but the process has already loaded {}", clash.library, clash.own, clash.loaded),
            "link it statically, or give it another soname"};
  }
  std::vector<std::string> names;
  for (const auto& [name, i] : closure.by_name) names.push_back(name);
  return {"libraries", State::kOk, names.empty() ? "none required" : fmt::format("{}", fmt::join(names, ", ")), ""};
}

// "GLIBCXX_3.4.30": "GLIBCXX" and "3.4.30".
std::pair<std::string, std::string> Split(const std::string& version) {
  const size_t underscore = version.rfind('_');
  if (underscore == std::string::npos) return {version, ""};
  return {version.substr(0, underscore), version.substr(underscore + 1)};
}

// The highest one of the same kind; empty if there is none.
std::string HighestLike(const std::string& version, const std::vector<std::string>& of) {
  std::string highest;
  for (const std::string& each : of) {
    if (Split(each).first != Split(version).first) continue;
    if (highest.empty() || IsOlder(Split(highest).second, Split(each).second)) highest = each;
  }
  return highest;
}

// The releases of GCC that brought each version of libstdc++'s symbols ("ABI Policy and Guidelines" of its manual).
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

// The newest GCC whose programs need no more than `have`; empty if none is known.
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
  std::map<std::string, std::string> highest;  // needed, by kind
  for (const LibraryFacts::Version& version : facts.needed_versions) {
    const auto library = closure.by_name.find(version.library);
    if (library == closure.by_name.end()) continue;  // missing as a whole
    const auto& [path, its] = closure.libraries[library->second];
    if (its.own_versions.empty()) continue;  // of a library without versions, the linker takes any symbol
    const std::vector<std::string>& own = its.own_versions;
    if (std::find(own.begin(), own.end(), version.name) == own.end()) {
      const std::string have = HighestLike(version.name, own);
      const std::string has = have.empty() ? "provides none of that kind" : fmt::format("provides at most {}", have);
      return {"versions", State::kRefused,
              fmt::format("it requires {} from {}, but {} {}", version.name, version.library, path, has),
              VersionRemedy(version.name, have)};
    }
    std::string& most = highest[Split(version.name).first];
    if (most.empty() || IsOlder(Split(most).second, Split(version.name).second)) most = version.name;
  }
  std::vector<std::string> names;
  for (const auto& [kind, version] : highest) names.push_back(version);
  return {"versions", State::kOk, names.empty() ? "none required" : fmt::format("{}", fmt::join(names, ", ")), ""};
}

// Names alone are compared; versions were looked at before.
Finding JudgeSymbols(const LibraryFacts& facts, const Closure& closure, const LibrarySearch& search) {
  std::vector<LibraryFacts> kept;  // whose names are in `defined`
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
  if (collect()) {  // what the process has loaded may define it too
    for (const std::string& path : search.loaded()) {
      if (auto loaded = ReadLibraryFacts(path)) add(kept.emplace_back(*std::move(loaded)));
    }
    collect();
  }
  if (undefined.empty()) return {"symbols", State::kOk, fmt::format("{} imported", facts.undefined.size()), ""};
  Refusal refusal = ExplainUndefined("", undefined.front(), undefined.size() - 1);
  return {"symbols", State::kRefused, std::move(refusal.reason), std::move(refusal.remedy)};
}

}  // namespace

std::vector<Finding> JudgeDependencies(const LibraryFacts& facts, const std::string& path,
                                       const LibrarySearch& search) {
  const Closure closure = ClosureReader(search).Read(facts, path);
  std::vector<Finding> findings = {JudgeLibraries(closure), JudgeVersions(facts, closure)};
  // Without all libraries nobody can tell which symbols are defined.
  if (closure.missing.empty()) findings.push_back(JudgeSymbols(facts, closure, search));
  return findings;
}

}  // namespace opsrun::host

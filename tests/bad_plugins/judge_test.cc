// tests/bad_plugins/judge_test.cc: what is found out about a file without opening it. refused.out has the messages.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/examine/compatibility.h"
#include "tests/bad_plugins/test_plugins.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

using State = Finding::State;

std::vector<Finding> Judge(const std::string& path) {
  return JudgePlugin(path, LookAtFile(path), LibrarySearch::OfThisProcess());
}

std::string OddPath(const std::string& name) {
  return PluginPath("built_oddly/" + name);
}

// The finding of one check; requires that all checks before it pass.
Finding FindingOf(const std::string& path, const std::string& check) {
  for (const Finding& finding : Judge(path)) {
    if (finding.check == check) return finding;
    EXPECT_NE(finding.state, State::kRefused) << finding.check << ": " << finding.text;
  }
  ADD_FAILURE() << path << " was not checked for " << check;
  return {};
}

// The check that rejects the file.
std::string RefusedBy(const std::string& path) {
  for (const Finding& finding : Judge(path)) {
    if (finding.state != State::kRefused) continue;
    EXPECT_FALSE(finding.text.empty() || finding.remedy.empty());
    return finding.check;
  }
  return "none";
}

// A plugin with a name in its tables replaced by one of the same length.
std::string Renamed(TempDir& dir, const std::string& plugin, const std::string& from, const std::string& to) {
  std::string bytes = PluginBytes(plugin);
  EXPECT_EQ(from.size(), to.size());
  const size_t at = bytes.find('\0' + from + '\0');
  EXPECT_NE(at, std::string::npos) << plugin << " lacks " << from;
  return dir.Write("renamed.so", bytes.replace(at + 1, from.size(), to));
}

TEST(Judged, AGoodPluginPassesEveryCheck) {
  std::vector<std::string> checks;
  for (const Finding& finding : Judge(PluginPath("good"))) {
    EXPECT_EQ(finding.state, State::kOk) << finding.check << ": " << finding.text;
    EXPECT_FALSE(finding.text.empty()) << finding.check;
    checks.push_back(finding.check);
  }
  EXPECT_EQ(checks, (std::vector<std::string>{"contract", "tables", "instruction set", "thread storage", "relocations",
                                              "exports", "libraries", "versions", "symbols"}));
}

TEST(Judged, NothingElseIsCheckedOfWhatItsNotesRefuse) {
  const std::vector<Finding> findings = Judge(PluginPath("future_major"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].check, "contract");
  EXPECT_EQ(findings[0].state, State::kRefused);
}

TEST(Judged, WhatIsRefusedNamesItsCheck) {
  EXPECT_EQ(RefusedBy(OddPath("static_tls")), "thread storage");
  EXPECT_EQ(RefusedBy(OddPath("text_relocations")), "relocations");
  EXPECT_EQ(RefusedBy(OddPath("sanitized")), "symbols");
  EXPECT_EQ(RefusedBy(PluginPath("no_entry")), "exports");
  EXPECT_EQ(RefusedBy(PluginPath("borrowed_entry")), "exports");
  EXPECT_EQ(RefusedBy(PluginPath("entry_is_data")), "exports");
  EXPECT_EQ(RefusedBy(PluginPath("needs_absent_library")), "libraries");
  EXPECT_EQ(RefusedBy(PluginPath("undefined_symbol")), "symbols");
}

TEST(Judged, StrayExportsAreWorthAWord) {
  const Finding finding = FindingOf(OddPath("exports"), "exports");
  EXPECT_EQ(finding.state, State::kWarning);
  EXPECT_NE(finding.text.find("it also exports "), std::string::npos) << finding.text;
  EXPECT_NE(finding.text.find("_helper and 1 more"), std::string::npos) << finding.text;
  EXPECT_FALSE(FirstRefusal(Judge(OddPath("exports"))).has_value());
}

TEST(Judged, SharedVariablesAreCounted) {
  const Finding finding = FindingOf(OddPath("unique"), "exports");
  EXPECT_EQ(finding.state, State::kWarning);
  EXPECT_NE(finding.text.find("STB_GNU_UNIQUE"), std::string::npos) << finding.text;
}

TEST(Judged, PackedRelocationsAreTaken) {
#ifdef OPSRUN_LINKER_PACKS
  EXPECT_EQ(FindingOf(OddPath("packed"), "relocations").text, "packed");
  EXPECT_TRUE(LoadFile(OddPath("packed"), TestHost()).refused.empty());
#else
  GTEST_SKIP() << "this linker packs no relocations";
#endif
}

TEST(Judged, AVersionThatNoLibraryHasIsNamedWithTheHighestThatItHas) {
  TempDir dir;
  std::string version;  // required by C++ plugins on this system
  const std::optional<LibraryFacts> facts = ReadLibraryFacts(PluginPath("throws"));
  ASSERT_TRUE(facts.has_value());
  for (const LibraryFacts::Version& each : facts->needed_versions) {
    if (each.name.starts_with("CXXABI_1.3")) version = each.name;
  }
  ASSERT_FALSE(version.empty());
  const std::string wanted = "CXXABI_9" + version.substr(8);
  const std::string path = Renamed(dir, "throws", version, wanted);
  EXPECT_EQ(RefusedBy(path), "versions");
  const std::string reason = FirstRefusal(Judge(path)).value_or(Refusal()).reason;
  EXPECT_EQ(reason.find("it requires " + wanted + " from libstdc++.so.6, but /"), 0u) << reason;
  EXPECT_NE(reason.find("libstdc++.so.6 provides at most CXXABI_1.3."), std::string::npos) << reason;
  EXPECT_NE(FirstRefusal(Judge(path))->remedy.find("build it with GCC "), std::string::npos);
}

// The first loaded library of a name is used by all later ones.
TEST(Judged, ALibraryThatTheProcessHasInAnotherVersionIsAClash) {
  EXPECT_EQ(FindingOf(OddPath("clash"), "libraries").state, State::kOk);
  const std::string loaded = std::string(OPSRUN_BAD_PLUGINS) + "/built_oddly/1/libopsrun_test_dependency.so";
  void* handle = dlopen(loaded.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const Finding finding = FindingOf(OddPath("clash"), "libraries");
  EXPECT_EQ(finding.state, State::kWarning);
  EXPECT_EQ(finding.text.find("its libopsrun_test_dependency.so is "), 0u) << finding.text;
  EXPECT_NE(finding.text.find("but the process has already loaded " + loaded), std::string::npos) << finding.text;
  dlclose(handle);
}

}  // namespace
}  // namespace opsrun::host

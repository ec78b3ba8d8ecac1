// tests/bad_plugins/judge_test.cc: what is found out about a file without opening it. refused.out has the messages.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "host/examine/compatibility.h"
#include "tests/bad_plugins/test_plugins.h"

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

TEST(Judged, NothingElseIsCheckedOfWhatItsNotesRefuse) {
  const std::vector<Finding> findings = Judge(PluginPath("future_major"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].check, "contract");
  EXPECT_EQ(findings[0].state, State::kRefused);
}

TEST(Judged, StrayExportsAreWorthAWord) {
  const Finding finding = FindingOf(OddPath("exports"), "exports");
  EXPECT_EQ(finding.state, State::kWarning);
  EXPECT_NE(finding.text.find("it also exports "), std::string::npos) << finding.text;
  EXPECT_NE(finding.text.find("_helper and 1 more"), std::string::npos) << finding.text;
  EXPECT_FALSE(FirstRefusal(Judge(OddPath("exports"))).has_value());
}

TEST(Judged, OlderHashTablesAreTaken) {
  EXPECT_EQ(FindingOf(PluginPath("older/sysv"), "tables").state, State::kOk);
}

TEST(Judged, PackedRelocationsAreTaken) {
#ifdef OPSRUN_LINKER_PACKS
  EXPECT_EQ(FindingOf(OddPath("packed"), "relocations").text, "packed");
  EXPECT_TRUE(LoadFile(OddPath("packed"), TestHost()).refused.empty());
#else
  GTEST_SKIP() << "this linker packs no relocations";
#endif
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

// tests/bad_plugins/probe_test.cc: what is found out about a file without opening it, how the process that tries a
// plugin ends, and what is stored about the plugin. refused.out has the messages.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "host/examine/compatibility.h"
#include "host/examine/prober.h"
#include "tests/bad_plugins/test_plugins.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

TEST(Probe, AGoodPluginLeavesTheProcessAsItWas) {
  const std::optional<ProbeReport> report = Probe(OPSRUN_PROBE, PluginPath("good"), OPSRUN_LEVEL, kLong);
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->refusal);
  EXPECT_TRUE(report->changes.empty());
  EXPECT_FALSE(report->by_table);
  EXPECT_NE(std::find(report->libraries.begin(), report->libraries.end(), PluginPath("good")), report->libraries.end());
}

TEST(Probe, IsNothingWithoutItsProgram) {
  EXPECT_FALSE(Probe("/absent/opsrun-probe", PluginPath("good"), OPSRUN_LEVEL, kLong).has_value());
}

// A script replaces the probe: it counts how often it is started, and prints what the test says.
class ProberTest : public testing::Test {
 protected:
  void SetUp() override {
    Tells("printf 'o\\0' >&3");
    std::filesystem::copy(PluginPath("good"), plugin_);
  }

  void Tells(const std::string& command) {
    program_ = dir_.Write("probe", "#!/bin/sh\necho started >> " + dir_.File("started") + "\n" + command + "\n");
    chmod(program_.c_str(), 0700);
  }
  std::string Admit() const {
    const std::optional<Refusal> refusal =
        Prober({program_, dir_.File("verdicts"), kLong}).Admit(plugin_, LookAtFile(plugin_).note);
    return refusal ? refusal->reason : "";
  }
  size_t Started() const {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(dir_.File("started"), error);
    return error ? 0 : bytes / sizeof("started");
  }

  TempDir dir_;
  std::string program_;
  const std::string plugin_ = dir_.File("good.so");
};

TEST_F(ProberTest, AGoodVerdictIsKept) {
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 1u);
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 1u);
}

TEST_F(ProberTest, ABadOneIsNot) {
  Tells("printf 'pin its entry\\0' >&3; kill -ILL $$");
  EXPECT_EQ(Admit(), "it crashed the probe process with SIGILL in its entry");
  EXPECT_NE(Admit(), "");
  EXPECT_EQ(Started(), 2u);
}

TEST_F(ProberTest, TimeSizeAndContentDecide) {
  EXPECT_EQ(Admit(), "");
  const auto time = std::filesystem::last_write_time(plugin_);
  std::filesystem::last_write_time(plugin_, time + std::chrono::hours(1));
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 1u) << "the content is the same";
  std::ofstream(plugin_, std::ios::app) << "more";
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 2u);
}

TEST_F(ProberTest, ALibraryThatChangedIsTriedAgain) {
  const std::string library = dir_.Write("liba.so", "a");
  Tells("printf 'l" + library + "\\0o\\0' >&3");
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 1u);
  dir_.Write("liba.so", "another one");
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 2u);
  std::filesystem::remove(library);
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 3u);
}

TEST_F(ProberTest, WhatEndsWithoutAWordIsRefused) {
  Tells("exit 3");
  EXPECT_EQ(Admit(), "the probe process ended with exit status 3 before it opened the file");
  Tells("printf 'x\\0o' >&3");
  EXPECT_NE(Admit(), "");
}

TEST_F(ProberTest, VerdictsThatOthersCanWriteAreRefused) {
  const std::string folder = dir_.File("verdicts");
  EXPECT_EQ(Admit(), "");
  EXPECT_FALSE(Prober({program_, folder, kLong}).RefusedVerdicts());
  chmod(folder.c_str(), 0702);
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(Started(), 2u);
  const std::optional<Refusal> refusal = Prober({program_, folder, kLong}).RefusedVerdicts();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, "others can write to it: its mode is 0702");
  EXPECT_EQ(refusal->remedy, "run chmod go-w " + folder);
  EXPECT_FALSE(Prober({program_, dir_.File("absent"), kLong}).RefusedVerdicts());
}

TEST_F(ProberTest, AFileWhoseModeHasChangedSinceItWasFoundIsRefused) {
  const PluginNote note = LookAtFile(plugin_).note;
  chmod(plugin_.c_str(), 0702);
  EXPECT_EQ(Admit(), "others can write to it: its mode is 0702");
  EXPECT_EQ(Started(), 0u);
  EXPECT_FALSE(Prober({program_, dir_.File("verdicts"), kLong, {.allow_writable = true}}).Admit(plugin_, note));
}

// Even if it keeps the pipe open. A killed process is gone, or a zombie.
TEST_F(ProberTest, WhatItHasStartedEndsWithIt) {
  Tells("sleep 1000 & echo $! > " + dir_.File("number") + "; printf 'o\\0' >&3");
  EXPECT_EQ(Admit(), "");
  std::string number;
  std::getline(std::ifstream(dir_.File("number")) >> std::ws, number);
  ASSERT_FALSE(number.empty());
  std::string state = "running";
  for (int i = 0; i < 1000 && !state.empty() && state.find(") Z") == std::string::npos; ++i) {
    usleep(10'000);
    state.clear();
    std::getline(std::ifstream("/proc/" + number + "/stat"), state);
  }
  EXPECT_TRUE(state.empty() || state.find(") Z") != std::string::npos) << state;
}

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

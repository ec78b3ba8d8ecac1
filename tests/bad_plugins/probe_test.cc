// tests/bad_plugins/probe_test.cc: how the process that tries a plugin ends, and what is stored about the plugin.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

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

}  // namespace
}  // namespace opsrun::host

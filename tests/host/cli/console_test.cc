// tests/host/cli/console_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/console.h"

#include <gtest/gtest.h>

#include "host/base/codes.h"
#include "tests/host/cli/captured_console.h"

namespace opsrun::host {
namespace {

TEST(Console, KeepsDataAndTalkApart) {
  CapturedConsole captured;
  captured.console.Print("data\n");
  captured.console.Note("talk");
  EXPECT_EQ(captured.console.Finish(kExitOk), kExitOk);
  EXPECT_EQ(captured.data(), "data\n");
  EXPECT_EQ(captured.talk(), "note: talk\n");
}

TEST(Console, SaysNothingButErrorsWhenQuiet) {
  CapturedConsole captured(ErrorFormat::kShort, true);
  Diagnostics warnings, errors;
  warnings.Warning("G220", "careful");
  errors.Error("G201", "wrong");
  captured.console.Ok("done");
  captured.console.Report(warnings, nullptr);
  captured.console.Report(errors, nullptr);
  EXPECT_EQ(captured.talk(), "error[G201]: wrong\n");
}

TEST(Console, FailsWhereStandardOutputIsFull) {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full";
  CapturedStream talk;
  Console console(full, talk.file, {}, false);
  console.Print("data");
  console.Ok("done");
  EXPECT_EQ(console.Finish(kExitOk), kExitFailed);
  EXPECT_EQ(talk.Text(), "error[R502]: cannot write to standard output: no space left on device\n");
  std::fclose(full);
}

TEST(Console, KeepsAnEarlierExitCode) {
  CapturedConsole captured;
  EXPECT_EQ(captured.console.Finish(kExitGraph), kExitGraph);
}

}  // namespace
}  // namespace opsrun::host

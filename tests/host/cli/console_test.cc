// tests/host/cli/console_test.cc: what goes to which stream. tests/graphs runs the program.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/console.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "host/base/diagnostic.h"

namespace opsrun::host {
namespace {

// A file for writing whose content is a string.
struct CapturedStream {
  CapturedStream() : file(open_memstream(&bytes, &size)) {}
  CapturedStream(const CapturedStream&) = delete;
  ~CapturedStream() {
    std::fclose(file);
    std::free(bytes);
  }
  std::string Text() {
    std::fflush(file);
    return std::string(bytes, size);
  }

  char* bytes = nullptr;
  size_t size = 0;
  std::FILE* file;
};

struct CapturedConsole {
  explicit CapturedConsole(ErrorFormat format = ErrorFormat::kHuman, bool quiet = false)
      : console(data_stream.file, talk_stream.file, {format, false}, quiet) {}

  std::string data() { return data_stream.Text(); }
  std::string talk() { return talk_stream.Text(); }

  CapturedStream data_stream;
  CapturedStream talk_stream;
  Console console;
};

TEST(Console, KeepsDataAndTalkApart) {
  CapturedConsole captured;
  captured.console.Print("data\n");
  captured.console.Note("talk");
  EXPECT_EQ(captured.console.Finish(kExitOk), kExitOk);
  EXPECT_EQ(captured.data(), "data\n");
  EXPECT_EQ(captured.talk(), "note: talk\n");
  EXPECT_EQ(captured.console.Finish(kExitGraph), kExitGraph) << "an earlier exit code stays";
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

}  // namespace
}  // namespace opsrun::host

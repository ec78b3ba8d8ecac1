// tests/host/cli/console_test.cc: consoles, and commands where there are no plugins. tests/graphs runs the program with
// plugins.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/console.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/base/codes.h"
#include "host/cli/command_line.h"

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

namespace fs = std::filesystem;

// A directory of this test's own, which is empty and the only plugin place.
class CommandsTest : public testing::Test {
 protected:
  CommandsTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) / ("opsrun_cli_" + std::to_string(getpid()) + info->name());
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    plugins_ = directory_;
  }
  ~CommandsTest() override { fs::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

  // The exit code of `opsrun WORDS --plugins DIRECTORY --no-default-plugins`.
  int Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--plugins", plugins_, "--no-default-plugins"});
    CommandLine line = ParseCommandLine(words);
    Invocation& invocation = std::get<Invocation>(line);
    return invocation.command->Execute(invocation.common, captured_.console);
  }

  fs::path directory_;
  std::string plugins_;
  CapturedConsole captured_{ErrorFormat::kShort};
};

constexpr const char* kGood = "opsrun: 1\nfeeds:\n  x: {value: [1, 2], dtype: int32}\noutputs: [x]\n";
constexpr const char* kUnknownOp = "opsrun: 1\nnodes:\n  z: {op: Nope}\noutputs: [z]\n";

TEST_F(CommandsTest, AGraphIsDrawnAsTextUnlessTheFileIsAPicture) {
  const std::string graph = Write("g.yaml", kGood), svg = directory_ / "g.svg";
  EXPECT_EQ(Run({"graph", graph}), kExitOk) << captured_.talk();
  EXPECT_EQ(captured_.data().substr(0, 7), "digraph");
  EXPECT_EQ(Run({"graph", "--dot", graph, "-o", svg}), kExitOk) << captured_.talk();
  std::string word;
  std::ifstream(svg) >> word;
  EXPECT_EQ(word, "digraph");
}

TEST_F(CommandsTest, CheckAnswersTheWorstOfSeveral) {
  EXPECT_EQ(Run({"check", Write("good.yaml", kGood), Write("bad.yaml", kUnknownOp)}), kExitGraph);
  EXPECT_NE(captured_.talk().find("good.yaml: 0 nodes, 1 feed, 1 output\n"), std::string::npos) << captured_.talk();
}

TEST_F(CommandsTest, PluginsSaysWhereItSearched) {
  EXPECT_EQ(Run({"plugins"}), kExitOk);
  EXPECT_NE(captured_.talk().find(directory_.string() + " (--plugins)"), std::string::npos);
}

}  // namespace
}  // namespace opsrun::host

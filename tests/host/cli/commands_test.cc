// tests/host/cli/commands_test.cc: commands where there are no plugins. tests/graphs runs the program with plugins.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/base/codes.h"
#include "host/cli/command_line.h"
#include "tests/host/cli/captured_console.h"

namespace opsrun::host {
namespace {

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

TEST_F(CommandsTest, RunPrintsAFeedThatIsAnOutput) {
  EXPECT_EQ(Run({"run", Write("g.yaml", kGood)}), kExitOk) << captured_.talk();
  EXPECT_EQ(captured_.data(), "x  int32 [2]\n[1 2]\n");
  EXPECT_EQ(captured_.talk().substr(0, 13), "ok: 0 nodes i");
}

TEST_F(CommandsTest, RunEndsWithTheCodeOfTheGraph) {
  EXPECT_EQ(Run({"run", Write("g.yaml", kUnknownOp)}), kExitGraph);
  EXPECT_EQ(captured_.data(), "");
  EXPECT_NE(captured_.talk().find("g.yaml:3:11: error[G201]: no op named 'Nope'"), std::string::npos)
      << captured_.talk();
}

TEST_F(CommandsTest, RunNamesAFileThatIsNotThere) {
  EXPECT_EQ(Run({"run", directory_ / "none.yaml"}), kExitGraph);
  EXPECT_NE(captured_.talk().find("none.yaml"), std::string::npos);
}

TEST_F(CommandsTest, RunLeavesNoFileBehindWhereItCannotWrite) {
  const std::string graph = Write("g.yaml", std::string(kGood) + "  \n");
  std::ofstream(graph)
      << "opsrun: 1\nfeeds:\n  x: {value: [1], dtype: int32}\noutputs:\n  y: {from: x, npy: none/y.npy}\n";
  EXPECT_EQ(Run({"run", graph}), kExitFailed);
  EXPECT_NE(captured_.talk().find("g.yaml:5:21: error[R501]: "), std::string::npos) << captured_.talk();
  EXPECT_FALSE(fs::exists(directory_ / "none"));
}

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

TEST_F(CommandsTest, ADirectoryThatIsMissingEndsWithPlugins) {
  plugins_ = directory_ / "none";
  EXPECT_EQ(Run({"plugins"}), kExitPlugins);
  EXPECT_EQ(captured_.talk().substr(0, 13), "error[P101]: ");
}

TEST_F(CommandsTest, ExplainOfAnUnknownOpIsAGraphError) {
  EXPECT_EQ(Run({"explain", "Nope"}), kExitGraph);
  EXPECT_EQ(captured_.talk(), "error[G201]: no op named 'Nope'; there are no ops\n");
}

TEST_F(CommandsTest, PluginsSaysWhereItSearched) {
  EXPECT_EQ(Run({"plugins"}), kExitOk);
  EXPECT_NE(captured_.talk().find(directory_.string() + " (--plugins)"), std::string::npos);
}

TEST_F(CommandsTest, InspectRefusesWhatIsNoPlugin) {
  EXPECT_EQ(Run({"inspect", Write("a.so", "text")}), kExitPlugins);
  EXPECT_NE(captured_.talk().find("error[P103]: "), std::string::npos) << captured_.talk();
  EXPECT_EQ(Run({"inspect", directory_ / "none.so"}), kExitPlugins);
  EXPECT_NE(captured_.talk().find("error[P102]: "), std::string::npos) << captured_.talk();
}

}  // namespace
}  // namespace opsrun::host

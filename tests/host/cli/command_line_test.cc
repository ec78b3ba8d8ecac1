// tests/host/cli/command_line_test.cc: which command words mean, and what is said of those that mean none.
// options_test.cc is about options.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/command_line.h"

#include <gtest/gtest.h>

#include <regex>

#include "host/cli/commands.h"
#include "host/cli/help_text.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

// "run", or what was answered instead.
std::string CommandOf(const Words& words) {
  const CommandLine line = ParseCommandLine(words);
  if (const auto* error = std::get_if<UsageError>(&line)) {
    const Diagnostic& d = error->diagnostic;
    return std::string(d.code.text()) + ": " + d.message + (d.help.empty() ? "" : "; " + d.help[0]);
  }
  const auto* invocation = std::get_if<Invocation>(&line);
  return invocation == nullptr ? "text" : std::string(invocation->type->name);
}

TEST(CommandLine, TakesAGraphAloneAsRun) {
  for (const char* graph : {"g.yaml", "g.yml", "dir/graph", "-"}) EXPECT_EQ(CommandOf({graph}), "run");
  EXPECT_EQ(CommandOf({"/proc/self/maps"}), "run") << "an existing file";
}

TEST(CommandLine, TakesOptionsBeforeAndAfterTheCommand) {
  for (const Words& words : {Words{"--plugins", "d", "-q", "run", "g.yaml", "--repeat", "3"},
                             Words{"run", "--repeat=3", "--quiet", "g.yaml", "--plugins=d"},
                             Words{"--repeat", "3", "g.yaml", "--plugins", "d", "-q"}}) {
    const CommandLine line = ParseCommandLine(words);
    ASSERT_TRUE(std::holds_alternative<Invocation>(line)) << CommandOf(words);
    const auto& invocation = std::get<Invocation>(line);
    EXPECT_EQ(invocation.type, &kRunCommand);
    EXPECT_EQ(invocation.common.plugins, Words{"d"});
    EXPECT_TRUE(invocation.common.quiet);
  }
  EXPECT_EQ(CommandOf({"-o", "s.json", "schema"}), "schema");
}

TEST(CommandLine, TakesNamesOfCommandsAsArguments) {
  EXPECT_EQ(CommandOf({"explain", "run"}), "explain");
  EXPECT_EQ(CommandOf({"check", "check", "plan"}), "check");
}

TEST(CommandLine, TakesWordsAfterTwoDashesAsFiles) {
  EXPECT_EQ(CommandOf({"check", "a.yaml", "--", "--odd.yaml", "-"}), "check");
  EXPECT_EQ(CommandOf({"--", "-g.yaml"}), "run");
  EXPECT_EQ(CommandOf({"--"}), "U003: there is no command and no graph; for example: opsrun graph.yaml");
}

TEST(CommandLine, SuggestsACommand) {
  EXPECT_EQ(CommandOf({"rnu", "g.yaml"}), "U002: no such command 'rnu'; did you mean 'run'?");
  EXPECT_EQ(CommandOf({"frobnicate"}),
            "U002: no such command 'frobnicate'; commands: run, bench, check, config, plan, grad, gradcheck, ops, explain, "
            "plugins, inspect, compat and 5 more");
}

TEST(CommandLine, SuggestsAnOption) {
  EXPECT_EQ(CommandOf({"run", "g.yaml", "--repaet", "3"}),
            "U001: unknown option '--repaet' of 'opsrun run'; did you mean '--repeat'?");
  EXPECT_EQ(CommandOf({"ops", "--feed=x"}).substr(0, 44), "U001: unknown option '--feed' of 'opsrun ops");
  EXPECT_EQ(CommandOf({"g.yaml", "-x"}).substr(0, 26), "U001: unknown option '-x' ");
  EXPECT_EQ(CommandOf({"--vesion"}), "U001: unknown option '--vesion'; did you mean '--version'?");
}

TEST(CommandLine, KnowsHowManyArgumentsEachCommandTakes) {
  EXPECT_EQ(CommandOf({"explain"}), "U003: 'opsrun explain' needs an argument: OP; see: opsrun explain --help");
  EXPECT_EQ(CommandOf({"plugins", "x"}),
            "U004: 'opsrun plugins' takes no argument, got 'x'; see: opsrun plugins --help");
  EXPECT_EQ(CommandOf({"schema", "g.yaml"}),
            "U004: 'opsrun schema' takes no argument, got 'g.yaml'; see: opsrun schema --help");
  EXPECT_EQ(CommandOf({"compat", "a.so"}),
            "U003: 'opsrun compat' takes 2 or 3 files, OLD.so [MID.so] NEW.so, got 1; see: opsrun compat --help");
  EXPECT_EQ(CommandOf({"-q"}), "U003: there is no command and no graph; for example: opsrun graph.yaml");
}

TEST(CommandLine, KnowsTheLimitsOfNumbers) {
  EXPECT_EQ(CommandOf({"g.yaml", "--repeat", "2000000000"}),
            "U005: --repeat cannot be '2000000000'; it must be a whole number from 1 to 1000000000");
  EXPECT_EQ(CommandOf({"bench", "g.yaml", "--seconds", "long"}),
            "U005: --seconds cannot be 'long'; it must be a time such as 10, 500ms or 2m");
}

TEST(CommandLine, ReportsMistakesInTheFormatThatWasAskedFor) {
  for (const Words& words :
       {Words{"run", "g.yaml", "--frob", "--error-format", "json"}, Words{"--error-format=json", "frobnicate"},
        Words{"check", "--error-format", "json", "g.yaml", "--color"}}) {
    const CommandLine line = ParseCommandLine(words);
    EXPECT_EQ(std::get<UsageError>(line).common.error_format, ErrorFormat::kJson) << CommandOf(words);
  }
}

TEST(Help, IsThereForTheProgramAndEveryCommand) {
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"--version"})).text, VersionText());
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"--help"})).text, HelpOfProgram());
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"help", "run"})).text, HelpOf(kRunCommand));
  EXPECT_TRUE(std::holds_alternative<Introduction>(ParseCommandLine({})));
  for (const CommandType* type : kCommands) {
    const std::string name(type->name), help = HelpOf(*type);
    EXPECT_EQ(std::get<HelpText>(ParseCommandLine({name, "-h"})).text, help);
    EXPECT_NE(help.find("Usage: opsrun " + name), std::string::npos);
    EXPECT_NE(help.find("Examples:\n  "), std::string::npos);
    EXPECT_NE(HelpOfProgram().find("\n  " + name), std::string::npos);
  }
}

// Options are listed as they are declared, but examples are written by hand.
TEST(Help, NamesOnlyOptionsThatThereAre) {
  const std::regex option("--[a-z-]+");
  for (const CommandType* type : kCommands) {
    const std::string help = HelpOf(*type);
    for (std::sregex_iterator it(help.begin(), help.end(), option), end; it != end; ++it) {
      EXPECT_NE(CommandOf({std::string(type->name), it->str()}).substr(0, 5), "U001:")
          << it->str() << " of " << type->name;
    }
  }
}

TEST(Help, FitsATerminal) {
  std::string all = HelpOfProgram();
  for (const CommandType* type : kCommands) all += HelpOf(*type);
  for (size_t begin = 0, end; begin < all.size(); begin = end + 1) {
    end = all.find('\n', begin);
    EXPECT_LE(end - begin, 120u) << all.substr(begin, end - begin);
  }
}

}  // namespace
}  // namespace opsrun::host

// tests/host/cli/command_line_test.cc: which command words mean, and what is said of those that mean none; options.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/command_line.h"

#include <gtest/gtest.h>

#include <regex>

#include "host/cli/commands.h"
#include "host/cli/help_text.h"
#include "host/cli/options.h"
#include "host/cli/shared_options.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

// "run", or the code of the error.
std::string CommandOf(const Words& words) {
  const CommandLine line = ParseCommandLine(words);
  if (const auto* error = std::get_if<UsageError>(&line)) return std::string(error->diagnostic.code.text());
  const auto* invocation = std::get_if<Invocation>(&line);
  return invocation == nullptr ? "text" : std::string(invocation->type->name);
}

TEST(CommandLine, FindsTheCommandOrWhatIsWrong) {
  const std::pair<Words, const char*> rows[] = {
      {{"g.yaml"}, "run"},
      {{"g.yml"}, "run"},
      {{"dir/graph"}, "run"},
      {{"-"}, "run"},
      {{"/proc/self/maps"}, "run"},  // an existing file
      {{"-o", "s.json", "schema"}, "schema"},
      {{"explain", "run"}, "explain"},
      {{"check", "check", "plan"}, "check"},
      {{"check", "a.yaml", "--", "--odd.yaml", "-"}, "check"},
      {{"--", "-g.yaml"}, "run"},
      {{"--"}, "U003"},
      {{"-q"}, "U003"},
      {{"rnu", "g.yaml"}, "U002"},
      {{"run", "g.yaml", "--repaet", "3"}, "U001"},
      {{"ops", "--feed=x"}, "U001"},
      {{"g.yaml", "-x"}, "U001"},
      {{"--vesion"}, "U001"},
      {{"explain"}, "U003"},
      {{"plugins", "x"}, "U004"},
      {{"schema", "g.yaml"}, "U004"},
      {{"compat", "a.so"}, "U003"},
      {{"g.yaml", "--repeat", "2000000000"}, "U005"},
      {{"bench", "g.yaml", "--seconds", "long"}, "U005"},
  };
  for (const auto& [words, found] : rows) EXPECT_EQ(CommandOf(words), found) << testing::PrintToString(words);
}

// What no graph in tests/graphs shows.
TEST(CommandLine, SaysWhatIsExpected) {
  const std::pair<Words, const char*> rows[] = {
      {{"frobnicate"},
       "no such command 'frobnicate'; commands: run, bench, check, config, plan, grad, gradcheck, ops, explain, "
       "plugins, "
       "inspect, compat and 5 more"},
      {{"-q"}, "there is no command and no graph; for example: opsrun graph.yaml"},
      {{"plugins", "x"}, "'opsrun plugins' takes no argument, got 'x'; see: opsrun plugins --help"},
      {{"compat", "a.so"},
       "'opsrun compat' takes 2 or 3 files, OLD.so [MID.so] NEW.so, got 1; see: opsrun compat --help"},
      {{"bench", "g.yaml", "--seconds", "long"},
       "--seconds cannot be 'long'; it must be a time such as 10, 500ms or 2m"},
      {{"g.yaml", "--timeout", "soon"}, "--timeout cannot be 'soon'; it must be a time such as 30s, 500ms or 2m"},
      {{"g.yaml", "--memory-limit", "K"}, "--memory-limit cannot be 'K'; it must be a size such as 512M or 2G"},
      {{"g.yaml", "--threads", "0"}, "--threads cannot be '0'; it must be a whole number from 1 to 1024"},
      {{"g.yaml", "--threads", "1", "--threads", "2"}, "option '--threads' is given twice; see: opsrun run --help"},
      {{"g.yaml", "--feed", "x"},
       "--feed 'x' is not of the form NAME=FILE.npy; for example: --feed x=x.npy or --feed x=arrays.npz:x"},
      {{"g.yaml", "--feed", "x=a", "--feed", "x=b"}, "--feed gives 'x' twice: 'a' and 'b'; leave one of them out"},
      {{"g.yaml", "--color", "nevr"}, "--color cannot be 'nevr'; did you mean 'never'?"},
  };
  for (const auto& [words, text] : rows) {
    const CommandLine line = ParseCommandLine(words);
    ASSERT_TRUE(std::holds_alternative<UsageError>(line)) << text;
    const Diagnostic& d = std::get<UsageError>(line).diagnostic;
    EXPECT_EQ(d.message + "; " + d.help.at(0), text);
  }
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
      EXPECT_NE(CommandOf({std::string(type->name), it->str()}), "U001") << it->str() << " of " << type->name;
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

using Words = std::vector<std::string>;

std::string CodeOf(const std::optional<Diagnostic>& mistake) {
  return mistake ? std::string(mistake->code.text()) : "no mistake";
}

// The options of a command that runs a graph.
struct Parsed {
  GraphOptions graph;
  std::string mistake;

  explicit Parsed(const Words& words) {
    Options options("run");
    options.Argument(graph.graph, "GRAPH", true);
    AddFeeds(options, graph.feeds);
    AddThreads(options, graph.threads);
    AddLimits(options, graph);
    AddStrict(options, graph.strict);
    mistake = CodeOf(options.Parse(words));
  }
};

TEST(GraphOptions, AreAllTaken) {
  const Parsed parsed({"--threads", "3", "g.yaml", "--strict", "--feed", "x=a=b.npy", "--feed=y=c.npy"});
  EXPECT_EQ(parsed.mistake, "no mistake");
  EXPECT_EQ(parsed.graph.graph, "g.yaml");
  EXPECT_EQ(parsed.graph.threads, 3u);
  EXPECT_TRUE(parsed.graph.strict);
  ASSERT_EQ(parsed.graph.feeds.size(), 2u);
  EXPECT_EQ(parsed.graph.feeds[0].name + "|" + parsed.graph.feeds[0].path, "x|a=b.npy");
  EXPECT_EQ(parsed.graph.feeds[1].name + "|" + parsed.graph.feeds[1].path, "y|c.npy");
}

TEST(GraphOptions, SayWhatIsWrong) {
  const std::pair<Words, const char*> rows[] = {
      {{}, "U003"},
      {{"g.yaml", "--feed"}, "U003"},
      {{"--threads=", "g.yaml"}, "U003"},
      {{"--threads", "", "g.yaml"}, "U003"},
      {{"a.yaml", "b.yaml"}, "U004"},
      {{"g.yaml", "--threads", "1", "--threads", "2"}, "U004"},
      {{"g.yaml", "--feed", "x=a", "--feed", "x=b"}, "U004"},
      {{"g.yaml", "--strict=yes"}, "U005"},
      {{"g.yaml", "--timeout", "soon"}, "U005"},
      {{"--threads", "0", "--thread=2"}, "U001"},  // before others
  };
  for (const auto& [words, code] : rows) EXPECT_EQ(Parsed(words).mistake, code) << testing::PrintToString(words);
  const auto refused = [](const char* option, const std::vector<const char*>& values) {
    for (const char* value : values) EXPECT_EQ(Parsed({"g.yaml", option, value}).mistake, "U005") << value;
  };
  refused("--feed", {"x", "=f.npy", "x="});
  refused("--memory-limit", {"0", "-1", "5X", "K", "1e30", "nan", "5 M"});
  refused("--threads", {"0", "-1", "x", "3x", "1.5", "1025", "010", "99999999999"});
}

TEST(Quantity, IsANumberAndAUnit) {
  EXPECT_EQ(Parsed({"g.yaml", "--memory-limit", "2GiB"}).graph.memory_limit, uint64_t{2} << 30);
  EXPECT_EQ(Parsed({"g.yaml", "--timeout", "0.5s"}).graph.timeout_ms, 500u);
  const std::pair<const char*, std::optional<uint64_t>> sizes[] = {
      {"1000", 1000}, {"1.5K", 1536}, {"1T", uint64_t{1} << 40}, {"1t", std::nullopt}};
  for (const auto& [text, bytes] : sizes) EXPECT_EQ(ParseBytes(text), bytes) << text;
  const std::pair<const char*, std::optional<uint64_t>> times[] = {
      {"30", 30'000}, {"250ms", 250}, {"2m", 120'000}, {"1h", 3600'000}, {"", std::nullopt}, {"0.1ms", std::nullopt}};
  for (const auto& [text, ms] : times) EXPECT_EQ(ParseMilliseconds(text), ms) << text;
}

TEST(GraphOptions, SplitTheKeyOfAnArchive) {
  const auto feed = [](const std::string& word) {
    const FeedArgument argument = Parsed({"g.yaml", "--feed", word}).graph.feeds.at(0);
    return argument.path + "|" + argument.key;
  };
  EXPECT_EQ(feed("x=a.npz:key"), "a.npz|key");
  EXPECT_EQ(feed("x=a.npz"), "a.npz|x");
  EXPECT_EQ(feed("x=d.npz:d/a.npz:a:b"), "d.npz:d/a.npz|a:b");
  EXPECT_EQ(feed("x=a.npy"), "a.npy|");
}

TEST(Options, CountArgumentsAndTakeAChoice) {
  const auto parse = [](const Words& words) {
    Words files;
    int color = 0;
    bool dot = false, svg = false;
    Options options("compat");
    options.Arguments(files, "OLD NEW", 2, 3);
    options.Choice("--color WHEN", color, {{"auto", 1}, {"never", 2}}, "");
    options.Flag("--dot", dot, "");
    options.Flag("--svg", svg, "");
    options.Exclude("--dot", "--svg");
    const std::string mistake = CodeOf(options.Parse(words));
    return mistake == "no mistake" ? std::to_string(files.size()) + " " + std::to_string(color) : mistake;
  };
  EXPECT_EQ(parse({"a", "b"}), "2 0");
  EXPECT_EQ(parse({"a", "b", "--color=never"}), "2 2");
  EXPECT_EQ(parse({"a", "b", "--color", "nevr"}), "U005");
  EXPECT_EQ(parse({"a"}), "U003");
  EXPECT_EQ(parse({"a", "b", "c", "d"}), "U004");
  EXPECT_EQ(parse({"-", "-"}), "U004");
  EXPECT_EQ(parse({"a", "b", "--svg", "--dot"}), "U004");
}

TEST(Options, AnswerHelpWhateverElseIsWrong) {
  std::string graph;
  uint32_t threads = 0;
  Options options("run");
  options.Argument(graph, "GRAPH", true);
  AddThreads(options, threads);
  EXPECT_EQ(options.Parse({"--threads", "0", "--nonsense", "-h"}), std::nullopt);
  EXPECT_TRUE(options.help_wanted());
}

TEST(Options, AnswerTheirHelp) {
  std::string text;
  bool flag = false;
  Options options("run");
  options.Text("-o,--output FILE", text, "write to FILE");
  options.Group("More");
  options.Flag("--flag", flag, "help");
  options.HelpFlag("this");
  const std::vector<Options::Help> helps = options.Helps();
  ASSERT_EQ(helps.size(), 3u);
  EXPECT_EQ(helps[0].group + "|" + helps[0].left + "|" + helps[0].help, "Options|-o, --output FILE|write to FILE");
  EXPECT_EQ(helps[1].group + "|" + helps[1].left + "|" + helps[1].help, "More|--flag|help");
  EXPECT_EQ(helps[2].group + "|" + helps[2].left + "|" + helps[2].help, "More|-h, --help|this");
}

}  // namespace
}  // namespace opsrun::host

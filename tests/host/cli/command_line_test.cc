// tests/host/cli/command_line_test.cc: what words mean, and what is said of those that mean nothing.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/command_line.h"

#include <gtest/gtest.h>

#include <regex>

#include "host/cli/command_words.h"
#include "host/cli/help_text.h"

namespace opsrun::host {
namespace {

Options Parse(const Words& words) {
  const CommandLine line = ParseCommandLine(words);
  if (const auto* error = std::get_if<UsageError>(&line)) ADD_FAILURE() << error->diagnostic.message;
  return std::holds_alternative<Options>(line) ? std::get<Options>(line) : Options{};
}

template <typename T>
T ParseAs(const Words& words) {
  return std::get<T>(Parse(words).command);
}

// "U001: sentence; first help"
std::string Mistake(const Words& words) {
  const CommandLine line = ParseCommandLine(words);
  const auto* error = std::get_if<UsageError>(&line);
  if (error == nullptr) return "no mistake";
  const Diagnostic& d = error->diagnostic;
  return d.code + ": " + d.message + (d.help.empty() ? "" : "; " + d.help[0]);
}

TEST(CommandLine, TakesAGraphAloneAsRun) {
  for (const char* graph : {"g.yaml", "g.yml", "dir/graph", "-"})
    EXPECT_EQ(ParseAs<RunCommand>({graph}).options.graph, graph);
  EXPECT_EQ(ParseAs<RunCommand>({"/proc/self/maps"}).options.graph, "/proc/self/maps") << "an existing file";
}

TEST(CommandLine, TakesOptionsBeforeAndAfterTheCommand) {
  for (const Words& words : {Words{"--plugins", "d", "-q", "run", "g.yaml", "--repeat", "3"},
                             Words{"run", "--repeat=3", "--quiet", "g.yaml", "--plugins=d"},
                             Words{"--repeat", "3", "g.yaml", "--plugins", "d", "-q"}}) {
    const Options options = Parse(words);
    EXPECT_EQ(options.common.plugins, Words{"d"});
    EXPECT_TRUE(options.common.quiet);
    EXPECT_EQ(std::get<RunCommand>(options.command).options.graph, "g.yaml");
    EXPECT_EQ(std::get<RunCommand>(options.command).repeat, 3u);
  }
}

TEST(CommandLine, KeepsFeedsInOrder) {
  const GraphOptions run = ParseAs<RunCommand>({"g.yaml", "--feed", "x=a=b.npy", "--feed=y=c.npy"}).options;
  ASSERT_EQ(run.feeds.size(), 2u);
  EXPECT_EQ(run.feeds[0].name + "|" + run.feeds[0].path, "x|a=b.npy");
  EXPECT_EQ(run.feeds[1].name + "|" + run.feeds[1].path, "y|c.npy");
}

TEST(CommandLine, SplitsTheKeyOfAnArchive) {
  const auto feed = [](const std::string& word) {
    const FeedArgument argument = ParseAs<RunCommand>({"g.yaml", "--feed", word}).options.feeds.at(0);
    return argument.path + "|" + argument.key;
  };
  EXPECT_EQ(feed("x=a.npz:key"), "a.npz|key");
  EXPECT_EQ(feed("x=a.npz"), "a.npz|x");
  EXPECT_EQ(feed("x=d.npz:d/a.npz:a:b"), "d.npz:d/a.npz|a:b");
  EXPECT_EQ(feed("x=a.npy"), "a.npy|");
}

TEST(CommandLine, TakesStrictWhereGraphsArePlanned) {
  EXPECT_TRUE(ParseAs<RunCommand>({"g.yaml", "--strict"}).options.strict);
  EXPECT_TRUE(ParseAs<CheckCommand>({"check", "--strict", "g.yaml"}).strict);
  EXPECT_FALSE(ParseAs<CheckCommand>({"check", "g.yaml"}).strict);
}

TEST(CommandLine, TakesSizesAndTimesWithUnits) {
  const auto options = [](const char* option, const char* value) {
    return ParseAs<RunCommand>({"g.yaml", option, value}).options;
  };
  EXPECT_EQ(options("--memory-limit", "1000").memory_limit, 1000u);
  EXPECT_EQ(options("--memory-limit", "1.5K").memory_limit, 1536u);
  EXPECT_EQ(options("--memory-limit", "2GiB").memory_limit, uint64_t{2} << 30);
  EXPECT_EQ(options("--timeout", "30").timeout_ms, 30000u);
  EXPECT_EQ(options("--timeout", "0.5s").timeout_ms, 500u);
  EXPECT_EQ(options("--timeout", "250ms").timeout_ms, 250u);
  EXPECT_EQ(options("--timeout", "2m").timeout_ms, 120000u);
}

TEST(CommandLine, TakesWhatToMeasure) {
  const auto plain = ParseAs<BenchCommand>({"bench", "g.yaml"});
  EXPECT_EQ(plain.measure_ms, 3000u);
  EXPECT_FALSE(plain.json);
  const auto bench = ParseAs<BenchCommand>(
      {"bench", "g.yaml", "--seconds", "0.5", "--json", "--compare", "old.json", "--feed", "x=x.npy", "--timeout=1"});
  EXPECT_EQ(bench.measure_ms, 500u);
  EXPECT_TRUE(bench.json);
  EXPECT_EQ(bench.compare, "old.json");
  EXPECT_EQ(bench.options.feeds.size(), 1u);
  EXPECT_EQ(bench.options.timeout_ms, 1000u);
  EXPECT_EQ(Mistake({"bench", "g.yaml", "--seconds", "long"}),
            "U005: --seconds cannot be 'long'; it must be a time such as 10, 500ms or 2m");
}

TEST(CommandLine, KnowsEveryCommand) {
  EXPECT_EQ(ParseAs<CheckCommand>({"check", "a.yaml", "b"}).graphs, (Words{"a.yaml", "b"}));
  EXPECT_EQ(ParseAs<OpsCommand>({"ops"}).pattern, "*");
  EXPECT_EQ(ParseAs<OpsCommand>({"ops", "Z*"}).pattern, "Z*");
  EXPECT_EQ(ParseAs<ExplainCommand>({"explain", "ZeroOut"}).op, "ZeroOut");
  EXPECT_EQ(ParseAs<InspectCommand>({"inspect", "a.so", "b.so"}).files, (Words{"a.so", "b.so"}));
  EXPECT_EQ(ParseAs<CompatCommand>({"compat", "a.so", "b.so"}).files, (Words{"a.so", "b.so"}));
  EXPECT_FALSE(Parse({"plugins", "--no-default-plugins"}).common.default_plugins);
  using Part = SdkCommand::Part;
  EXPECT_EQ(ParseAs<SdkCommand>({"sdk", "--cflags", "--link-flags"}).parts,
            (std::vector<Part>{Part::kCompileFlags, Part::kLinkFlags}));
  EXPECT_EQ(ParseAs<SdkCommand>({"sdk", "--test-flags"}).parts, std::vector<Part>{Part::kTestFlags});
}

TEST(CommandLine, TakesWordsAfterTwoDashesAsFiles) {
  EXPECT_EQ(ParseAs<CheckCommand>({"check", "a.yaml", "--", "--odd.yaml", "-"}).graphs,
            (Words{"a.yaml", "./--odd.yaml", "-"}));
}

TEST(CommandLine, TakesAPictureForWhatItsFileIsCalled) {
  using Format = GraphCommand::Format;
  EXPECT_EQ(ParseAs<GraphCommand>({"graph", "g.yaml"}).format, Format::kDot);
  EXPECT_EQ(ParseAs<GraphCommand>({"graph", "g.yaml", "-o", "g.svg"}).format, Format::kSvg);
  EXPECT_EQ(ParseAs<GraphCommand>({"graph", "--dot", "g.yaml", "-o", "g.svg"}).format, Format::kDot);
  const GraphCommand svg = ParseAs<GraphCommand>({"graph", "--svg", "g.yaml", "--output", "picture"});
  EXPECT_EQ(svg.format, Format::kSvg);
  EXPECT_EQ(svg.output, "picture");
  EXPECT_EQ(Mistake({"graph", "--svg", "--dot", "g.yaml"}),
            "U004: there are both '--dot' and '--svg'; leave one of them out");
}

TEST(CommandLine, TakesAFileForTheSchema) {
  EXPECT_EQ(ParseAs<SchemaCommand>({"schema"}).output, "");
  EXPECT_EQ(ParseAs<SchemaCommand>({"schema", "-o", "s.json"}).output, "s.json");
  EXPECT_EQ(Mistake({"schema", "g.yaml"}),
            "U004: 'opsrun schema' takes no argument, got 'g.yaml'; see: opsrun schema --help");
}

TEST(CommandLine, SuggestsACommand) {
  EXPECT_EQ(Mistake({"rnu", "g.yaml"}), "U002: no such command 'rnu'; did you mean 'run'?");
  EXPECT_EQ(Mistake({"frobnicate"}),
            "U002: no such command 'frobnicate'; commands: run, bench, check, config, plan, ops, explain, plugins, "
            "inspect, compat, schema, graph, sdk");
}

TEST(CommandLine, SuggestsAnOption) {
  EXPECT_EQ(Mistake({"run", "g.yaml", "--repaet", "3"}),
            "U001: unknown option '--repaet' of 'opsrun run'; did you mean '--repeat'?");
  EXPECT_EQ(Mistake({"ops", "--feed=x"}).substr(0, 43), "U001: unknown option '--feed' of 'opsrun op");
  EXPECT_EQ(Mistake({"g.yaml", "-x"}).substr(0, 26), "U001: unknown option '-x' ");
  EXPECT_EQ(Mistake({"--vesion"}), "U001: unknown option '--vesion'; did you mean '--version'?");
}

TEST(CommandLine, SaysWhatIsMissing) {
  EXPECT_EQ(Mistake({"run"}), "U003: 'opsrun run' needs an argument: GRAPH; see: opsrun run --help");
  EXPECT_EQ(Mistake({"compat", "a.so"}),
            "U003: 'opsrun compat' takes 2 or 3 files, OLD.so [MID.so] NEW.so, got 1; see: opsrun compat --help");
  EXPECT_EQ(Mistake({"explain"}), "U003: 'opsrun explain' needs an argument: OP; see: opsrun explain --help");
  EXPECT_EQ(Mistake({"run", "g.yaml", "--feed"}),
            "U003: option '--feed' needs a value: NAME=FILE.npy; see: opsrun run --help");
  EXPECT_EQ(Mistake({"-q"}), "U003: there is no command and no graph; for example: opsrun graph.yaml");
}

TEST(CommandLine, SaysWhatIsTooMuch) {
  EXPECT_EQ(Mistake({"run", "a.yaml", "b.yaml"}),
            "U004: 'opsrun run' takes one GRAPH, got 'a.yaml' and 'b.yaml'; see: opsrun run --help");
  EXPECT_EQ(Mistake({"compat", "a", "b", "c", "d"}),
            "U004: 'opsrun compat' takes 2 or 3 files, OLD.so [MID.so] NEW.so, got 4; see: opsrun compat --help");
  EXPECT_EQ(Mistake({"plugins", "x"}), "U004: 'opsrun plugins' takes no argument, got 'x'; see: opsrun plugins --help");
  EXPECT_EQ(Mistake({"g.yaml", "--repeat", "1", "--repeat", "2"}),
            "U004: option '--repeat' is given twice; see: opsrun run --help");
  EXPECT_EQ(Mistake({"g.yaml", "--feed", "x=a", "--feed", "x=b"}),
            "U004: --feed gives 'x' twice: 'a' and 'b'; leave one of them out");
}

TEST(CommandLine, SaysWhichValuesAreAllowed) {
  EXPECT_EQ(Mistake({"g.yaml", "--error-format", "jsn"}), "U005: --error-format cannot be 'jsn'; did you mean 'json'?");
  for (const char* size : {"0", "-1", "5X", "K", "1e30", "nan", "5 M"}) {
    EXPECT_EQ(Mistake({"g.yaml", "--memory-limit", size}),
              std::string("U005: --memory-limit cannot be '") + size + "'; it must be a size such as 512M or 2G");
  }
  EXPECT_EQ(Mistake({"g.yaml", "--timeout", "soon"}),
            "U005: --timeout cannot be 'soon'; it must be a time such as 30s, 500ms or 2m");
  EXPECT_EQ(Mistake({"g.yaml", "--threads", "1025"}),
            "U005: --threads cannot be '1025'; it must be a whole number from 1 to 1024");
  EXPECT_EQ(Mistake({"g.yaml", "--color=pink"}), "U005: --color cannot be 'pink'; it may be: auto, always, never");
  for (const char* word : {"0", "-1", "x", "3x", "1.5", "99999999999"}) {
    EXPECT_EQ(Mistake({"g.yaml", "--repeat", word}),
              std::string("U005: --repeat cannot be '") + word + "'; it must be a whole number from 1 to 1000000000");
  }
  for (const char* word : {"x", "=f.npy", "x="}) {
    EXPECT_EQ(Mistake({"g.yaml", "--feed", word}),
              std::string("U005: --feed '") + word +
                  "' is not of the form NAME=FILE.npy; for example: --feed x=x.npy or --feed "
                  "x=arrays.npz:x");
  }
}

TEST(CommandLine, TellsMistakesInTheFormatThatWasAskedFor) {
  const CommandLine line = ParseCommandLine({"run", "g.yaml", "--frob", "--error-format", "json"});
  EXPECT_EQ(std::get<UsageError>(line).common.error_format, ErrorFormat::kJson);
}

TEST(Help, IsThereForTheProgramAndEveryCommand) {
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"--version"})).text, VersionText());
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"--help"})).text, HelpOf(""));
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"help", "run"})).text, HelpOf("run"));
  EXPECT_TRUE(std::holds_alternative<Introduction>(ParseCommandLine({})));
  for (const std::string& name : CommandNames()) {
    EXPECT_EQ(std::get<HelpText>(ParseCommandLine({name, "-h"})).text, HelpOf(name));
    EXPECT_NE(HelpOf(name).find("Usage: opsrun " + name), std::string::npos);
    EXPECT_NE(HelpOf(name).find("Example"), std::string::npos);
    EXPECT_NE(HelpOf("").find("\n  " + name), std::string::npos);
  }
}

// The text is written by hand; each option in it must be one that the command takes.
TEST(Help, NamesOnlyOptionsThatThereAre) {
  const std::regex option("--[a-z-]+");
  for (const std::string& name : CommandNames()) {
    const std::string help = HelpOf(name);
    for (std::sregex_iterator it(help.begin(), help.end(), option), end; it != end; ++it) {
      EXPECT_NE(Mistake({name, it->str()}).substr(0, 5), "U001:") << it->str() << " of " << name;
    }
  }
}

}  // namespace
}  // namespace opsrun::host

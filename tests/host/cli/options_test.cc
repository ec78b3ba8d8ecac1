// tests/host/cli/options_test.cc: what words mean to each kind of option, and what is said of those that mean nothing.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/options.h"

#include <gtest/gtest.h>

#include "host/cli/shared_options.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

// "U001: sentence; first help"
std::string TextOf(const std::optional<Diagnostic>& mistake) {
  if (!mistake) return "no mistake";
  return std::string(mistake->code.text()) + ": " + mistake->message +
         (mistake->help.empty() ? "" : "; " + mistake->help[0]);
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
    mistake = TextOf(options.Parse(words));
  }
};

TEST(GraphOptions, AreAllTaken) {
  const Parsed parsed({"--threads", "3", "g.yaml", "--strict"});
  EXPECT_EQ(parsed.mistake, "no mistake");
  EXPECT_EQ(parsed.graph.graph, "g.yaml");
  EXPECT_EQ(parsed.graph.threads, 3u);
  EXPECT_TRUE(parsed.graph.strict);
}

TEST(GraphOptions, KeepFeedsInOrder) {
  const GraphOptions graph = Parsed({"g.yaml", "--feed", "x=a=b.npy", "--feed=y=c.npy"}).graph;
  ASSERT_EQ(graph.feeds.size(), 2u);
  EXPECT_EQ(graph.feeds[0].name + "|" + graph.feeds[0].path, "x|a=b.npy");
  EXPECT_EQ(graph.feeds[1].name + "|" + graph.feeds[1].path, "y|c.npy");
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

TEST(GraphOptions, RefuseFeedsThatAreNotClear) {
  for (const char* word : {"x", "=f.npy", "x="}) {
    EXPECT_EQ(Parsed({"g.yaml", "--feed", word}).mistake,
              std::string("U005: --feed '") + word +
                  "' is not of the form NAME=FILE.npy; for example: --feed x=x.npy or --feed x=arrays.npz:x");
  }
  EXPECT_EQ(Parsed({"g.yaml", "--feed", "x=a", "--feed", "x=b"}).mistake,
            "U004: --feed gives 'x' twice: 'a' and 'b'; leave one of them out");
}

TEST(GraphOptions, TakeSizesAndTimesWithUnits) {
  const auto options = [](const char* option, const char* value) { return Parsed({"g.yaml", option, value}).graph; };
  EXPECT_EQ(options("--memory-limit", "1000").memory_limit, 1000u);
  EXPECT_EQ(options("--memory-limit", "1.5K").memory_limit, 1536u);
  EXPECT_EQ(options("--memory-limit", "2GiB").memory_limit, uint64_t{2} << 30);
  EXPECT_EQ(options("--timeout", "30").timeout_ms, 30000u);
  EXPECT_EQ(options("--timeout", "0.5s").timeout_ms, 500u);
  EXPECT_EQ(options("--timeout", "250ms").timeout_ms, 250u);
  EXPECT_EQ(options("--timeout", "2m").timeout_ms, 120000u);
}

TEST(GraphOptions, SayWhichValuesAreAllowed) {
  for (const char* size : {"0", "-1", "5X", "K", "1e30", "nan", "5 M"}) {
    EXPECT_EQ(Parsed({"g.yaml", "--memory-limit", size}).mistake,
              std::string("U005: --memory-limit cannot be '") + size + "'; it must be a size such as 512M or 2G");
  }
  EXPECT_EQ(Parsed({"g.yaml", "--timeout", "soon"}).mistake,
            "U005: --timeout cannot be 'soon'; it must be a time such as 30s, 500ms or 2m");
  for (const char* word : {"0", "-1", "x", "3x", "1.5", "1025", "010", "99999999999"}) {
    EXPECT_EQ(Parsed({"g.yaml", "--threads", word}).mistake,
              std::string("U005: --threads cannot be '") + word + "'; it must be a whole number from 1 to 1024");
  }
}

TEST(Options, SayWhatIsMissing) {
  EXPECT_EQ(Parsed({}).mistake, "U003: 'opsrun run' needs an argument: GRAPH; see: opsrun run --help");
  EXPECT_EQ(Parsed({"g.yaml", "--feed"}).mistake,
            "U003: option '--feed' needs a value: NAME=FILE.npy; see: opsrun run --help");
  for (const Words& words : {Words{"--threads=", "g.yaml"}, Words{"--threads", "", "g.yaml"}}) {
    EXPECT_EQ(Parsed(words).mistake, "U003: option '--threads' needs a value: N; see: opsrun run --help");
  }
}

TEST(Options, SayWhatIsTooMuch) {
  EXPECT_EQ(Parsed({"a.yaml", "b.yaml"}).mistake,
            "U004: 'opsrun run' takes one GRAPH, got 'a.yaml' and 'b.yaml'; see: opsrun run --help");
  EXPECT_EQ(Parsed({"g.yaml", "--threads", "1", "--threads", "2"}).mistake,
            "U004: option '--threads' is given twice; see: opsrun run --help");
  EXPECT_EQ(Parsed({"g.yaml", "--strict=yes"}).mistake,
            "U005: option '--strict' takes no value; see: opsrun run --help");
}

TEST(Options, NameAnUnknownOneBeforeOtherMistakes) {
  EXPECT_EQ(Parsed({"--threads", "0", "--thread=2"}).mistake,
            "U001: unknown option '--thread' of 'opsrun run'; did you mean '--threads'?");
}

TEST(Options, CountArguments) {
  const auto parse = [](const Words& words) {
    Words files;
    Options options("compat");
    options.Arguments(files, "OLD NEW", 2, 3);
    const std::string mistake = TextOf(options.Parse(words));
    return mistake == "no mistake" ? std::to_string(files.size()) : mistake;
  };
  EXPECT_EQ(parse({"a", "b"}), "2");
  EXPECT_EQ(parse({"a"}), "U003: 'opsrun compat' takes 2 or 3 files, OLD NEW, got 1; see: opsrun compat --help");
  EXPECT_EQ(parse({"a", "b", "c", "d"}),
            "U004: 'opsrun compat' takes 2 or 3 files, OLD NEW, got 4; see: opsrun compat --help");
  EXPECT_EQ(parse({"-", "-"}), "U004: '-' is given twice: standard input can be read once; see: opsrun compat --help");
}

TEST(Options, ExcludeEachOther) {
  bool dot = false, svg = false;
  Options options("graph");
  options.Flag("--dot", dot, "");
  options.Flag("--svg", svg, "");
  options.Exclude("--dot", "--svg");
  EXPECT_EQ(TextOf(options.Parse({"--svg", "--dot"})),
            "U004: there are both '--dot' and '--svg'; leave one of them out");
}

TEST(Options, TakeAChoice) {
  const auto parse = [](const Words& words) {
    int value = 0;
    Options options("run");
    options.Choice("--color WHEN", value, {{"auto", 1}, {"never", 2}}, "");
    const std::string mistake = TextOf(options.Parse(words));
    return mistake == "no mistake" ? std::to_string(value) : mistake;
  };
  EXPECT_EQ(parse({}), "0");
  EXPECT_EQ(parse({"--color=never"}), "2");
  EXPECT_EQ(parse({"--color", "nevr"}), "U005: --color cannot be 'nevr'; did you mean 'never'?");
  EXPECT_EQ(parse({"--color", "pink"}), "U005: --color cannot be 'pink'; it may be: auto, never");
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

TEST(Quantity, IsANumberAndAUnit) {
  EXPECT_EQ(ParseBytes("1T"), uint64_t{1} << 40);
  EXPECT_EQ(ParseBytes("1t"), std::nullopt);
  EXPECT_EQ(ParseMilliseconds("1h"), 3'600'000u);
  EXPECT_EQ(ParseMilliseconds(""), std::nullopt);
  EXPECT_EQ(ParseMilliseconds("0.1ms"), std::nullopt);
}

}  // namespace
}  // namespace opsrun::host

// tests/host/cli/command_line_test.cc: which command words mean, and what is said of those that mean none; options; and
// what goes to which stream. tests/graphs runs the program.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "host/cli/commands.h"

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

TEST(CommandLine, FindsTheCommandOrSaysWhatIsWrong) {
  const struct {
    Words words;
    const char* found;
    const char* text = nullptr;  // message and help, unless tests/graphs shows them; usage.yaml has more rows
  } rows[] = {
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
      {{"-q"}, "U003", "expected a command or a graph; for example: opsrun graph.yaml"},
      {{"frobnicate"},
       "U002",
       "no such command 'frobnicate'; commands: run, batch, bench, compile, lock, check, config, plan, grad, "
       "gradcheck, test, ops and 18 more"},
      {{"run", "g.yaml", "--repaet", "3"}, "U001"},
      {{"run", "--threads", "0", "--thread=2"}, "U001"},  // before other mistakes
      {{"ops", "--feed=x"}, "U001"},
      {{"g.yaml", "-x"}, "U001"},
      {{"--vesion"}, "U001"},
      {{"plugins", "x"}, "U004", "'opsrun plugins' takes no argument, got 'x'; see: opsrun plugins --help"},
      {{"schema", "g.yaml"}, "U004"},
      {{"compat", "a.so"},
       "U003",
       "'opsrun compat' takes 2 or 3 files, OLD.so [MID.so] NEW.so, got 1; see: opsrun compat --help"},
      {{"compat", "a.so", "b.so", "c.so", "d.so"}, "U004"},
      {{"g.yaml", "--repeat", "2000000000"}, "U005"},
      {{"g.yaml", "--strict=yes"}, "U005"},
      {{"bench", "g.yaml", "--seconds", "long"},
       "U005",
       "--seconds cannot be 'long'; it must be a time such as 10, 500ms or 2m"},
      {{"g.yaml", "--timeout", "soon"},
       "U005",
       "--timeout cannot be 'soon'; it must be a time such as 30s, 500ms or 2m"},
      {{"g.yaml", "--memory-limit", "K"}, "U005", "--memory-limit cannot be 'K'; it must be a size such as 512M or 2G"},
      {{"g.yaml", "--threads", "0"}, "U005", "--threads cannot be '0'; it must be a whole number from 1 to 1024"},
      {{"--threads", "", "g.yaml"}, "U003"},
      {{"g.yaml", "--threads", "1", "--threads", "2"},
       "U004",
       "option '--threads' is given twice; see: opsrun run --help"},
      {{"g.yaml", "--feed"}, "U003"},
      {{"g.yaml", "--feed", "x"},
       "U005",
       "--feed 'x' is not of the form NAME=FILE.npy; for example: --feed x=x.npy or --feed x=arrays.npz:x"},
      {{"g.yaml", "--feed", "x=a", "--feed", "x=b"}, "U004", "--feed gives 'x' twice: 'a' and 'b'; remove one of them"},
      {{"g.yaml", "--color", "nevr"}, "U005", "--color cannot be 'nevr'; did you mean 'never'?"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(CommandOf(row.words), row.found) << testing::PrintToString(row.words);
    if (row.text == nullptr) continue;
    const CommandLine line = ParseCommandLine(row.words);
    ASSERT_TRUE(std::holds_alternative<UsageError>(line)) << row.text;
    const Diagnostic& d = std::get<UsageError>(line).diagnostic;
    EXPECT_EQ(d.message + "; " + d.help.at(0), row.text);
  }
  const auto refused = [](const char* option, const std::vector<const char*>& values) {
    for (const char* value : values) EXPECT_EQ(CommandOf({"g.yaml", option, value}), "U005") << value;
  };
  refused("--feed", {"=f.npy", "x="});
  refused("--memory-limit", {"0", "-1", "5X", "1e30", "nan", "5 M"});
  refused("--threads", {"-1", "x", "3x", "1.5", "1025", "010", "99999999999"});
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

TEST(Help, IsThereForTheProgramAndEveryCommandAndFitsATerminal) {
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"run", "--threads", "0", "--nonsense", "-h"})).text,
            HelpOf(kRunCommand));
  for (const char* version : {"--version", "-V", "version"})
    EXPECT_EQ(std::get<HelpText>(ParseCommandLine({version})).text, VersionText());
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"--help"})).text, HelpOfProgram());
  EXPECT_EQ(std::get<HelpText>(ParseCommandLine({"help", "run"})).text, HelpOf(kRunCommand));
  EXPECT_FALSE(std::get<HelpText>(ParseCommandLine({})).requested);
  for (const CommandType* type : kCommands) {
    const std::string name(type->name), help = HelpOf(*type);
    EXPECT_EQ(std::get<HelpText>(ParseCommandLine({name, "-h"})).text, help);
    EXPECT_NE(help.find("Usage: opsrun " + name), std::string::npos);
    EXPECT_NE(help.find("Examples:\n  "), std::string::npos);
    EXPECT_NE(HelpOfProgram().find("\n  " + name), std::string::npos);
  }
  std::string all = HelpOfProgram();
  for (const CommandType* type : kCommands) all += HelpOf(*type);
  all = std::regex_replace(all, std::regex("\nExamples:\n(  .*\n)*"), "\n");
  for (size_t begin = 0, end; begin < all.size(); begin = end + 1) {
    end = all.find('\n', begin);
    EXPECT_LE(end - begin, 80u) << all.substr(begin, end - begin);
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

TEST(Manual, HasEveryCommandAndEscapesWhatItsLanguageReads) {
  const std::string page = std::get<HelpText>(ParseCommandLine({"help", "man"})).text;
  for (const CommandType* type : kCommands)
    EXPECT_NE(page.find(".SH \"opsrun " + std::string(type->name) + " "), std::string::npos) << type->name;
  EXPECT_NE(page.find(".B \\-q, \\-\\-quiet\n"), std::string::npos);
}

// The options of a command that runs a graph.
GraphOptions Parsed(const Words& words) {
  GraphOptions graph;
  Options options("run");
  options.Argument(graph.graph, "GRAPH", true);
  AddFeeds(options, graph.feeds);
  AddThreads(options, graph.threads);
  AddLimits(options, graph);
  AddStrict(options, graph.strict);
  EXPECT_EQ(options.Parse(words), std::nullopt);
  return graph;
}

TEST(GraphOptions, AreAllTakenAndSplitTheKeyOfAnArchive) {
  const GraphOptions graph = Parsed({"--threads", "3", "g.yaml", "--strict", "--feed", "x=a=b.npy", "--feed=y=c.npy"});
  EXPECT_EQ(graph.graph, "g.yaml");
  EXPECT_EQ(graph.threads, 3u);
  EXPECT_TRUE(graph.strict);
  ASSERT_EQ(graph.feeds.size(), 2u);
  EXPECT_EQ(graph.feeds[0].name + "|" + graph.feeds[0].path, "x|a=b.npy");
  EXPECT_EQ(graph.feeds[1].name + "|" + graph.feeds[1].path, "y|c.npy");
  const auto feed = [](const std::string& word) {
    const FeedArgument argument = Parsed({"g.yaml", "--feed", word}).feeds.at(0);
    return argument.path + "|" + argument.key;
  };
  EXPECT_EQ(feed("x=a.npz:key"), "a.npz|key");
  EXPECT_EQ(feed("x=a.npz"), "a.npz|x");
  EXPECT_EQ(feed("x=d.npz:d/a.npz:a:b"), "d.npz:d/a.npz|a:b");
  EXPECT_EQ(feed("x=a.npy"), "a.npy|");
}

TEST(Quantity, IsANumberAndAUnit) {
  EXPECT_EQ(Parsed({"g.yaml", "--memory-limit", "2GiB"}).memory_limit, uint64_t{2} << 30);
  EXPECT_EQ(Parsed({"g.yaml", "--timeout", "0.5s"}).timeout_ms, 500u);
  const std::pair<const char*, std::optional<uint64_t>> sizes[] = {
      {"1000", 1000}, {"1.5K", 1536}, {"1T", uint64_t{1} << 40}, {"50MB", 50'000'000}, {"1t", std::nullopt}};
  for (const auto& [text, bytes] : sizes) EXPECT_EQ(ParseBytes(text), bytes) << text;
  const std::pair<const char*, std::optional<uint64_t>> times[] = {
      {"30", 30'000}, {"250ms", 250}, {"2m", 120'000}, {"1h", 3600'000}, {"", std::nullopt}, {"0.1ms", std::nullopt}};
  for (const auto& [text, ms] : times) EXPECT_EQ(ParseMilliseconds(text), ms) << text;
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
  EXPECT_EQ(helps[0].group + "|" + helps[0].value + "|" + helps[0].help, "Options|FILE|write to FILE");
  EXPECT_EQ(helps[0].names, (Words{"-o", "--output"}));
  EXPECT_EQ(helps[1].group + "|" + helps[1].value + "|" + helps[1].help, "More||help");
  EXPECT_EQ(helps[2].names, (Words{"-h", "--help"}));
}

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

// host/cli/command_line.cc: from words to what they mean.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "host/base/near_names.h"
#include "host/cli/command_words.h"
#include "host/cli/help_text.h"

namespace opsrun::host {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();

// How many arguments a command takes, and what they are called.
struct ArgumentRule {
  std::string_view command;
  std::string_view argument;
  size_t least;
  size_t most;
};

constexpr ArgumentRule kRules[] = {{"run", "GRAPH", 1, 1},
                                   {"bench", "GRAPH", 1, 1},
                                   {"check", "GRAPH", 1, kAny},
                                   {"config", "GRAPH", 1, 1},
                                   {"plan", "GRAPH", 1, 1},
                                   {"ops", "PATTERN", 0, 1},
                                   {"explain", "OP", 1, 1},
                                   {"plugins", "", 0, 0},
                                   {"inspect", "FILE.so", 1, kAny},
                                   {"compat", "OLD.so [MID.so] NEW.so", 2, 3},
                                   {"schema", "", 0, 0},
                                   {"graph", "GRAPH", 1, 1},
                                   {"sdk", "", 0, 0}};

constexpr std::pair<std::string_view, ErrorFormat> kFormats[] = {
    {"human", ErrorFormat::kHuman}, {"short", ErrorFormat::kShort}, {"json", ErrorFormat::kJson}};

constexpr std::pair<std::string_view, ColorChoice> kColors[] = {
    {"auto", ColorChoice::kAuto}, {"always", ColorChoice::kAlways}, {"never", ColorChoice::kNever}};

constexpr uint32_t kMostThreads = 1024;
constexpr uint64_t kLongestBench = uint64_t{365} * 24 * 3600 * 1000;  // milliseconds

constexpr std::pair<std::string_view, double> kSizes[] = {{"B", 1},        {"K", 0x1p10},   {"KiB", 0x1p10},
                                                          {"M", 0x1p20},   {"MiB", 0x1p20}, {"G", 0x1p30},
                                                          {"GiB", 0x1p30}, {"T", 0x1p40},   {"TiB", 0x1p40}};

constexpr std::pair<std::string_view, double> kDurations[] = {{"s", 1e3}, {"ms", 1}, {"m", 60e3}, {"h", 3600e3}};

// Gives words their meaning. The first mistake wins.
class Meaning {
 public:
  explicit Meaning(const CommandWords& words) : words_(words) {}

  CommonOptions Common() {
    CommonOptions common;
    common.plugins = words_.plugins;
    common.default_plugins = !words_.no_default_plugins;
    common.quiet = words_.quiet;
    common.error_format = OneOf("--error-format", words_.error_format, kFormats);
    common.color = OneOf("--color", words_.color, kColors);
    return common;
  }

  Command TheCommand() {
    CheckArguments();
    if (mistake_) return {};
    const Words& arguments = words_.arguments;
    const std::string& name = words_.command;
    if (name == "run") {
      return RunCommand{GraphArguments(), Count("--repeat", words_.repeat), Count("--concurrency", words_.concurrency),
                        words_.trace, words_.profile};
    }
    if (name == "bench") return Bench();
    if (name == "check") return CheckCommand{arguments, words_.strict, words_.shapes};
    if (name == "config") return ConfigCommand{GraphArguments()};
    if (name == "plan") return PlanCommand{GraphArguments(), words_.json};
    if (name == "ops") return arguments.empty() ? OpsCommand{} : OpsCommand{arguments[0]};
    if (name == "explain") return ExplainCommand{CodeIn(arguments[0]), words_.json};
    if (name == "inspect") return InspectCommand{arguments};
    if (name == "compat") return CompatCommand{arguments};
    if (name == "schema") return SchemaCommand{words_.output};
    if (name == "graph") return GraphCommand{arguments[0], PictureFormat(), words_.output};
    if (name == "sdk") return SdkCommand{SdkParts()};
    return PluginsCommand{};
  }

  const std::optional<Diagnostic>& mistake() const { return mistake_; }

 private:
  void Mistake(std::string code, std::string sentence, std::string help) {
    if (mistake_) return;
    mistake_.emplace();
    mistake_->code = std::move(code);
    mistake_->message = std::move(sentence);
    mistake_->help = {std::move(help)};
  }

  void CheckArguments() {
    const std::string& command = words_.command;
    const Words& given = words_.arguments;
    if (command.empty()) return Mistake("U003", "there is no command and no graph", "for example: opsrun graph.yaml");
    const ArgumentRule& rule = *std::find_if(std::begin(kRules), std::end(kRules),
                                             [&](const ArgumentRule& r) { return r.command == command; });
    if (rule.least > 1 && (given.size() < rule.least || given.size() > rule.most)) {
      Mistake(given.size() < rule.least ? "U003" : "U004",
              fmt::format("'opsrun {}' takes {} or {} files, {}, got {}", command, rule.least, rule.most, rule.argument,
                          given.size()),
              SeeHelp(command));
    } else if (given.size() < rule.least) {
      Mistake("U003", fmt::format("'opsrun {}' needs an argument: {}", command, rule.argument), SeeHelp(command));
    } else if (given.size() > rule.most && rule.most == 0) {
      Mistake("U004", fmt::format("'opsrun {}' takes no argument, got '{}'", command, given[0]), SeeHelp(command));
    } else if (std::count(given.begin(), given.end(), "-") > 1) {
      Mistake("U004", "'-' is given twice: standard input can be read once", SeeHelp(command));
    } else if (given.size() > rule.most) {
      Mistake("U004",
              fmt::format("'opsrun {}' takes one {}, got '{}' and '{}'", command, rule.argument, given[0], given[1]),
              SeeHelp(command));
    }
  }

  // "error[G204]", as it is copied out of a message, is "G204".
  static std::string CodeIn(const std::string& word) {
    const size_t open = word.find('['), close = word.find(']');
    return open < close && close != std::string::npos ? word.substr(open + 1, close - open - 1) : word;
  }

  template <typename T, size_t N>
  T OneOf(std::string_view option, const std::string& word, const std::pair<std::string_view, T> (&values)[N]) {
    Words names;
    for (const auto& [name, value] : values) {
      if (name == word) return value;
      names.emplace_back(name);
    }
    Mistake("U005", fmt::format("{} cannot be '{}'", option, word), DidYouMean(word, names, "it may be"));
    return values[0].second;
  }

  uint32_t Count(std::string_view option, const std::string& word, uint32_t most = 1'000'000'000) {
    uint32_t value = 0;
    const char* last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, value);
    if (error == std::errc() && end == last && value >= 1 && value <= most) return value;
    Mistake("U005", fmt::format("{} cannot be '{}'", option, word),
            fmt::format("it must be a whole number from 1 to {}", most));
    return 1;
  }

  BenchCommand Bench() {
    BenchCommand bench{GraphArguments(), {}, words_.json, words_.compare};
    bench.measure_ms =
        std::min(Scaled("--seconds", words_.seconds, kDurations, "a time such as 10, 500ms or 2m"), kLongestBench);
    return bench;
  }

  GraphOptions GraphArguments() {
    GraphOptions options;
    options.graph = words_.arguments[0];
    options.feeds = Feeds();
    options.strict = words_.strict;
    if (!words_.threads.empty()) options.threads = Count("--threads", words_.threads, kMostThreads);
    if (!words_.memory_limit.empty()) {
      options.memory_limit = Scaled("--memory-limit", words_.memory_limit, kSizes, "a size such as 512M or 2G");
    }
    if (!words_.timeout.empty()) {
      options.timeout_ms = Scaled("--timeout", words_.timeout, kDurations, "a time such as 30s, 500ms or 2m");
    }
    return options;
  }

  // A number above 0 and a unit, as a whole number of the smallest unit; no unit is the first of `units`.
  template <size_t N>
  uint64_t Scaled(std::string_view option, const std::string& word,
                  const std::pair<std::string_view, double> (&units)[N], std::string_view what) {
    double number = 0;
    const char* last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, number);
    const std::string_view unit(end, static_cast<size_t>(last - end));
    for (const auto& [name, factor] : units) {
      const bool is_it = unit == name || (unit.empty() && name == units[0].first);
      if (error != std::errc() || !is_it) continue;
      const double scaled = number * factor;
      if (scaled >= 1 && scaled <= 1e18) return static_cast<uint64_t>(scaled);
    }
    Mistake("U005", fmt::format("{} cannot be '{}'", option, word), fmt::format("it must be {}", what));
    return 0;
  }

  static FeedArgument SplitKey(FeedArgument feed) {
    constexpr std::string_view kArchive = ".npz";
    if (feed.path.ends_with(kArchive)) feed.key = feed.name;
    const size_t colon = feed.path.rfind(".npz:");
    if (colon == std::string::npos || colon + kArchive.size() + 1 == feed.path.size()) return feed;
    feed.key = feed.path.substr(colon + kArchive.size() + 1);
    feed.path.resize(colon + kArchive.size());
    return feed;
  }

  std::vector<FeedArgument> Feeds() {
    std::vector<FeedArgument> feeds;
    for (const std::string& word : words_.feeds) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
        Mistake("U005", fmt::format("--feed '{}' is not of the form NAME=FILE.npy", word),
                "for example: --feed x=x.npy or --feed x=arrays.npz:x");
        continue;
      }
      FeedArgument feed = SplitKey({word.substr(0, equals), word.substr(equals + 1), ""});
      for (const FeedArgument& earlier : feeds) {
        if (earlier.name != feed.name) continue;
        Mistake("U004", fmt::format("--feed gives '{}' twice: '{}' and '{}'", feed.name, earlier.path, feed.path),
                "leave one of them out");
      }
      feeds.push_back(std::move(feed));
    }
    return feeds;
  }

  // Without a word, what the file to write is called.
  GraphCommand::Format PictureFormat() {
    if (words_.dot && words_.svg) Mistake("U004", "there are both '--dot' and '--svg'", "leave one of them out");
    const bool svg = words_.svg || (!words_.dot && words_.output.ends_with(".svg"));
    return svg ? GraphCommand::Format::kSvg : GraphCommand::Format::kDot;
  }

  std::vector<SdkCommand::Part> SdkParts() const {
    std::vector<SdkCommand::Part> parts;
    if (words_.cflags || words_.compile_flags) parts.push_back(SdkCommand::Part::kCompileFlags);
    if (words_.cflags || words_.link_flags) parts.push_back(SdkCommand::Part::kLinkFlags);
    if (words_.cuda_cflags) parts.push_back(SdkCommand::Part::kCudaFlags);
    if (words_.test_flags) parts.push_back(SdkCommand::Part::kTestFlags);
    return parts;
  }

  const CommandWords& words_;
  std::optional<Diagnostic> mistake_;
};

// The format that the words ask for, also where they make no sense otherwise.
CommonOptions FormatAskedFor(const Words& words) {
  CommonOptions common;
  for (size_t i = 0; i < words.size(); ++i) {
    for (const auto& [name, format] : kFormats) {
      const bool apart = words[i] == "--error-format" && i + 1 < words.size() && words[i + 1] == name;
      if (apart || words[i] == fmt::format("--error-format={}", name)) common.error_format = format;
    }
  }
  return common;
}

}  // namespace

CommandLine ParseCommandLine(const Words& words) {
  if (words.empty()) return Introduction{IntroductionText()};
  if (words[0] == "help") return HelpText{HelpOf(words.size() > 1 ? words[1] : "")};

  CommandWords split;
  if (std::optional<Diagnostic> mistake = SplitWords(words, &split)) {
    return UsageError{FormatAskedFor(words), *std::move(mistake)};
  }
  if (split.help) return HelpText{HelpOf(split.command)};
  if (split.version) return HelpText{VersionText()};
  Meaning meaning(split);
  Options options;
  options.common = meaning.Common();
  if (!meaning.mistake()) options.command = meaning.TheCommand();
  if (meaning.mistake()) return UsageError{options.common, *meaning.mistake()};
  return options;
}

}  // namespace opsrun::host

// host/cli/command_line.cc: splits words into a command and its options, and builds the help from their texts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kPlaces =
    R"(opsrun looks for plugins in the directories of --plugins and $OPSRUN_PLUGIN_PATH, in ~/.local/lib/opsrun,
/usr/local/lib/opsrun, /usr/lib/opsrun, and in ../lib/opsrun next to the program. If two of them have the same op or
the same plugin, the first one is used.

Exit codes: 0 success; 1 an op or a check failed, an output could not be written, or compat found an unsafe
difference; 2 usage; 3 the graph; 4 plugins; 5 device or memory; 6 timeout; 70 an internal error; 128+n signal n.
)";

constexpr std::string_view kExamples = R"(opsrun examples/quickstart.yaml
opsrun picture.yaml --feed image=photo.npy
opsrun check --error-format short graphs/*.yaml
g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags)
cp my_op.so ~/.local/lib/opsrun/
)";

constexpr char kIntroduction[] =
    R"(opsrun runs YAML graphs whose ops come from plugins.

  opsrun graph.yaml         run a graph
  opsrun check graph.yaml   find the errors in a graph
  opsrun ops                list the available ops
  opsrun --help             show all commands and options

Example, a graph on standard input:
  echo '{opsrun: 1, feeds: {x: {value: [7, 8], dtype: int32}}, nodes: {z: {op: ZeroOut, in: x}}, outputs: [z]}' |
    opsrun -
)";

// The text after an empty line.
std::string Paragraph(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("\n{}", text);
}

std::string Examples(std::string_view lines) {
  std::string text = "\nExamples:\n";
  for (const std::string_view line : LinesOf(lines)) text += fmt::format("  {}\n", line);
  return text;
}

std::string UsageOf(const CommandType& type) {
  std::string line = fmt::format("Usage: opsrun {} [OPTIONS] {}", type.name, type.arguments);
  if (type.arguments.empty()) line.pop_back();
  return type.usage.empty() ? line + "\n" : fmt::format("{}\n       {}\n", line, type.usage);
}

// The groups, separated by empty lines.
std::string OptionList(const Options& options) {
  constexpr size_t kColumn = 26;
  std::string text, group;
  for (const Options::Help& option : options.Helps()) {
    if (option.group != group) text += fmt::format("{}{}:\n", group.empty() ? "" : "\n", option.group);
    group = option.group;
    std::string lines = fmt::format("  {:<{}}  ", option.left, kColumn - 4);
    if (lines.size() > kColumn) lines.back() = '\n';
    lines += option.help + "\n";
    for (size_t at = lines.find('\n'); at + 1 < lines.size(); at = lines.find('\n', at + 1)) {
      lines.insert(at + 1, kColumn, ' ');
    }
    text += lines;
  }
  return text;
}

std::string CommandList() {
  std::string text;
  for (const CommandType* type : kCommands) {
    const std::string call = fmt::format("{} {}", type->name, type->arguments);
    text += fmt::format("  {:<21} {}{}\n", call, call.size() > 21 ? "\n" + std::string(24, ' ') : "", type->summary);
  }
  return text;
}

const CommandType* FindCommand(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &CommandType::name);
  return found == std::end(kCommands) ? nullptr : *found;
}

bool LooksLikeOption(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

// Words after "--" are arguments. Rewriting "-x" as "./-x", the same file, keeps the parser from reading it as an
// option.
void RemoveDoubleDash(Words& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return;
  for (auto word = dashes + 1; word != words.end(); ++word) {
    if (LooksLikeOption(*word)) word->insert(0, "./");
  }
  words.erase(dashes);
}

// A command with all its options.
struct WithOptions {
  explicit WithOptions(const CommandType& type) : command(type.make()), options(type.name) {
    command->AddOptions(options);
    AddCommonOptions(options, common);
  }

  CommonOptions common;
  std::unique_ptr<Command> command;
  Options options;
};

// Of all commands, since the command is not known yet.
std::set<std::string> OptionsWithValue() {
  std::set<std::string> names;
  for (const CommandType* type : kCommands) names.merge(WithOptions(*type).options.NamesWithValue());
  return names;
}

// The index of the first word that is neither an option nor an option's value; words.size() if there is none.
size_t FirstArgument(const Words& words) {
  if (!LooksLikeOption(words[0])) return 0;
  const std::set<std::string> with_value = OptionsWithValue();
  for (size_t i = 0; i < words.size(); ++i) {
    if (!LooksLikeOption(words[i])) return i;
    if (with_value.count(words[i]) > 0) ++i;
  }
  return words.size();
}

bool LooksLikeGraph(const std::string& word) {
  namespace fs = std::filesystem;
  if (word == "-" || word.ends_with(".yaml") || word.ends_with(".yml")) return true;
  if (word.find('/') != std::string::npos) return true;
  std::error_code error;
  const fs::file_status status = fs::status(word, error);
  return fs::exists(status) && !fs::is_directory(status);
}

Diagnostic UnknownCommand(const std::string& word) {
  Words names;
  for (const CommandType* type : kCommands) names.emplace_back(type->name);
  Diagnostic d = MakeError("U002", fmt::format("no such command '{}'", word), DidYouMean(word, names, "commands"));
  d.help.push_back(SeeHelp(""));
  if (NearNames(word, names).empty())
    d.notes = {"names of graph files end in .yaml; for another file, use 'opsrun run FILE'"};
  return d;
}

// Finds the requested error format even if other words are invalid.
UsageError Refuse(const Words& words, CommonOptions common, Diagnostic mistake) {
  Options options("");
  AddErrorFormat(options, common.error_format);
  options.Parse(words);
  return {std::move(common), std::move(mistake)};
}

CommandLine ParseOptions(const CommandType& type, const Words& words) {
  WithOptions all(type);
  std::optional<Diagnostic> mistake = all.options.Parse(words);
  if (all.options.help_wanted()) return HelpText{HelpOf(type)};
  if (mistake) return Refuse(words, std::move(all.common), *std::move(mistake));
  return Invocation{&type, std::move(all.common), std::move(all.command)};
}

CommandLine ParseWithoutCommand(const Words& words) {
  CommonOptions common;
  bool version = false;
  Options options("");
  AddCommonOptions(options, common);
  options.Flag("--version", version, "print the version");
  std::optional<Diagnostic> mistake = options.Parse(words);
  if (options.help_wanted()) return HelpText{HelpOfProgram()};
  if (!mistake && version) return HelpText{VersionText()};
  if (!mistake) mistake = MakeError("U003", "expected a command or a graph", "for example: opsrun graph.yaml");
  return Refuse(words, std::move(common), *std::move(mistake));
}

}  // namespace

std::string HelpOf(const CommandType& type) {
  return fmt::format("{}\n{}{}\n{}{}{}", type.about, UsageOf(type), Paragraph(type.details),
                     OptionList(WithOptions(type).options), Paragraph(type.notes), Examples(type.examples));
}

std::string HelpOfProgram() {
  CommonOptions common;
  Options options("");
  AddCommonOptions(options, common);
  return fmt::format(
      "opsrun runs YAML graphs whose ops come from plugins.\n\n"
      "Usage: opsrun GRAPH.yaml [OPTIONS]\n       opsrun COMMAND [OPTIONS] ...\n\n"
      "Commands:\n{}\n"
      "'opsrun COMMAND --help' explains a command, 'opsrun --version' prints the version.\n\n{}\n{}{}",
      CommandList(), OptionList(options), kPlaces, Examples(kExamples));
}

std::string VersionText() {
  return fmt::format("opsrun {} (level {})\n", OPSRUN_VERSION, OPSRUN_LEVEL);
}

CommandLine ParseCommandLine(Words words) {
  if (words.empty()) return HelpText{kIntroduction, false};
  if (words[0] == "help") {
    const CommandType* type = words.size() > 1 ? FindCommand(words[1]) : nullptr;
    return HelpText{type == nullptr ? HelpOfProgram() : HelpOf(*type)};
  }
  RemoveDoubleDash(words);
  const size_t at = words.empty() ? 0 : FirstArgument(words);
  if (at == words.size()) return ParseWithoutCommand(words);
  if (const CommandType* type = FindCommand(words[at])) {
    words.erase(words.begin() + static_cast<ptrdiff_t>(at));
    return ParseOptions(*type, words);
  }
  if (LooksLikeGraph(words[at])) return ParseOptions(kRunCommand, words);
  return Refuse(words, {}, UnknownCommand(words[at]));
}

}  // namespace opsrun::host

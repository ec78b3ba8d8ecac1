// host/cli/command_line.cc: splits words into a command and its options.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "host/base/display_text.h"
#include "host/cli/commands.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

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

// Of all commands, since the command is not known yet.
std::set<std::string> OptionsWithValue() {
  std::set<std::string> names;
  for (const CommandType* type : kCommands) {
    for (const Options::Help& option : WithOptions(*type).options.Helps()) {
      if (!option.value.empty()) names.insert(option.names.begin(), option.names.end());
    }
  }
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
  options.Flag("-V,--version", version, "print the version");
  std::optional<Diagnostic> mistake = options.Parse(words);
  if (options.help_wanted()) return HelpText{HelpOfProgram()};
  if (!mistake && version) return HelpText{VersionText()};
  if (!mistake) mistake = MakeError("U003", "expected a command or a graph", "for example: opsrun graph.yaml");
  return Refuse(words, std::move(common), *std::move(mistake));
}

}  // namespace

CommandLine ParseCommandLine(Words words) {
  if (words.empty()) return HelpText{kIntroduction, false};
  if (words[0] == "help") {
    const std::string topic = words.size() > 1 ? words[1] : "";
    const CommandType* type = FindCommand(topic);
    return HelpText{type != nullptr ? HelpOf(*type) : topic == "man" ? ManualPage() : HelpOfProgram()};
  }
  if (words[0] == "version") return HelpText{VersionText()};
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

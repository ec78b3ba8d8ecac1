// host/cli/command_line.cc: splits words into a command and its options.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "host/base/near_names.h"
#include "host/cli/help_text.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

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
    const std::unique_ptr<Command> command = type->make();
    CommonOptions common;
    Options options(type->name);
    command->AddOptions(options);
    AddCommonOptions(options, common);
    names.merge(options.NamesWithValue());
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
  if (NearNames(word, names).empty()) d.notes = {"the name of a graph ends in .yaml; 'opsrun run FILE' takes any"};
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
  Invocation invocation{&type, {}, type.make()};
  Options options(type.name);
  invocation.command->AddOptions(options);
  AddCommonOptions(options, invocation.common);
  std::optional<Diagnostic> mistake = options.Parse(words);
  if (options.help_wanted()) return HelpText{HelpOf(type)};
  if (mistake) return Refuse(words, std::move(invocation.common), *std::move(mistake));
  return invocation;
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
  if (!mistake) mistake = MakeError("U003", "there is no command and no graph", "for example: opsrun graph.yaml");
  return Refuse(words, std::move(common), *std::move(mistake));
}

}  // namespace

CommandLine ParseCommandLine(Words words) {
  if (words.empty()) return Introduction{IntroductionText()};
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

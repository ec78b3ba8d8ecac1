// host/cli/command_words.cc: the only door to CLI11, which tells options, values and arguments apart. Every sentence is
// ours.
//
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/command_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "host/base/near_names.h"

namespace opsrun::host {
namespace {

Diagnostic Mistake(std::string code, std::string sentence, Words help) {
  Diagnostic d;
  d.code = std::move(code);
  d.message = std::move(sentence);
  d.help = std::move(help);
  return d;
}

void AddText(CLI::App& app, const char* name, std::string& value, const char* shown) {
  app.add_option(name, value)->type_name(shown);
}

void AddList(CLI::App& app, const char* name, Words& values, const char* shown) {
  app.add_option(name, values)->type_name(shown)->allow_extra_args(false);
}

void AddCommonOptions(CLI::App& app, CommandWords& split) {
  AddList(app, "--plugins", split.plugins, "DIR");
  app.add_flag("--no-default-plugins", split.no_default_plugins);
  AddText(app, "--error-format", split.error_format, "human, short or json");
  AddText(app, "--color", split.color, "auto, always or never");
  app.add_flag("-q,--quiet", split.quiet);
}

// Of commands that run a graph.
void AddGraphOptions(CLI::App& command, CommandWords& split) {
  AddList(command, "--feed", split.feeds, "NAME=FILE.npy");
  AddText(command, "--threads", split.threads, "N");
  AddText(command, "--memory-limit", split.memory_limit, "SIZE");
  AddText(command, "--timeout", split.timeout, "TIME");
  command.add_flag("--strict", split.strict);
}

void AddCommand(CLI::App& app, const std::string& name, CommandWords& split) {
  CLI::App& command = *app.add_subcommand(name);
  command.add_option("arguments", split.arguments);
  AddCommonOptions(command, split);
  if (name == "run") {
    AddGraphOptions(command, split);
    AddText(command, "--repeat", split.repeat, "N");
    AddText(command, "--concurrency", split.concurrency, "K");
    AddText(command, "--trace", split.trace, "FILE.json");
    command.add_flag("--profile", split.profile);
  } else if (name == "bench") {
    AddGraphOptions(command, split);
    AddText(command, "--seconds", split.seconds, "S");
    command.add_flag("--json", split.json);
    AddText(command, "--compare", split.compare, "OLD.json");
  } else if (name == "explain") {
    command.add_flag("--json", split.json);
  } else if (name == "check") {
    command.add_flag("--strict", split.strict);
    command.add_flag("--shapes", split.shapes);
  } else if (name == "config" || name == "plan") {
    AddList(command, "--feed", split.feeds, "NAME=FILE.npy");
    command.add_flag("--strict", split.strict);
    if (name == "plan") AddText(command, "--threads", split.threads, "N");
    if (name == "plan") command.add_flag("--json", split.json);
  } else if (name == "schema") {
    AddText(command, "-o,--output", split.output, "FILE");
  } else if (name == "graph") {
    AddText(command, "-o,--output", split.output, "FILE");
    command.add_flag("--dot", split.dot);
    command.add_flag("--svg", split.svg);
  } else if (name == "sdk") {
    command.add_flag("--cflags", split.cflags);
    command.add_flag("--compile-flags", split.compile_flags);
    command.add_flag("--link-flags", split.link_flags);
    command.add_flag("--cuda-cflags", split.cuda_cflags);
    command.add_flag("--test-flags", split.test_flags);
  }
}

void DefineOptions(CLI::App& app, CommandWords& split) {
  app.allow_extras();  // CLI11 would name all unknown words in one sentence of its own
  AddCommonOptions(app, split);
  app.add_flag("--version", split.version);
  for (const std::string& name : CommandNames()) AddCommand(app, name, split);
}

bool IsCommand(const std::string& word) {
  const Words& names = CommandNames();
  return std::find(names.begin(), names.end(), word) != names.end();
}

bool LooksLikeOption(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

// What follows "--" is no option. "./-x" says the same as "-x" of a file, and no parser takes it for an option.
Words WithoutDoubleDash(Words words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return words;
  for (auto word = dashes + 1; word != words.end(); ++word) {
    if (LooksLikeOption(*word)) word->insert(0, "./");
  }
  words.erase(dashes);
  return words;
}

std::set<std::string> OptionsWithValue(const CLI::App& app) {
  std::set<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional() && option->get_items_expected_max() > 0) names.insert(option->get_name());
  }
  for (const CLI::App* command : app.get_subcommands({})) names.merge(OptionsWithValue(*command));
  return names;
}

// Where the first word stands that is neither an option nor an option's value; words.size() if there is none.
size_t FirstArgument(const CLI::App& app, const Words& words) {
  const std::set<std::string> with_value = OptionsWithValue(app);
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
  Diagnostic d = Mistake("U002", fmt::format("no such command '{}'", word),
                         {DidYouMean(word, CommandNames(), "commands"), SeeHelp("")});
  if (NearNames(word, CommandNames()).empty()) {
    d.notes = {"the name of a graph ends in .yaml; 'opsrun run FILE' takes any"};
  }
  return d;
}

// Puts the command's name first, where CLI11 wants it; adds it where a graph stands alone.
std::optional<Diagnostic> PutCommandFirst(const CLI::App& app, Words& words) {
  const size_t at = FirstArgument(app, words);
  if (at == words.size()) return std::nullopt;
  const std::string word = words[at];
  if (IsCommand(word)) {
    const auto found = words.begin() + static_cast<ptrdiff_t>(at);
    std::rotate(words.begin(), found, found + 1);
  } else if (LooksLikeGraph(word)) {
    words.insert(words.begin(), "run");
  } else {
    return UnknownCommand(word);
  }
  return std::nullopt;
}

Diagnostic NeedsValue(const CLI::Option& option, const std::string& command) {
  return Mistake("U003", fmt::format("option '{}' needs a value: {}", option.get_name(), option.get_type_name()),
                 {SeeHelp(command)});
}

// "--threads=": CLI11 would take the next word.
std::optional<Diagnostic> RefuseNoValue(const Words& words, const CLI::App& command, const std::string& name) {
  for (const std::string& word : words) {
    if (!LooksLikeOption(word) || !word.ends_with('=')) continue;
    const CLI::Option* option = command.get_option_no_throw(word.substr(0, word.size() - 1));
    if (option == nullptr) continue;
    if (option->get_items_expected_max() > 0) return NeedsValue(*option, name);
    return Mistake("U005", fmt::format("option '{}' takes no value", option->get_name()), {SeeHelp(name)});
  }
  return std::nullopt;
}

// "--threads ''": an empty text is no value of any option.
std::optional<Diagnostic> RefuseEmptyValue(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    const Words& values = option->results();
    const bool empty = std::find(values.begin(), values.end(), "") != values.end();
    if (option->nonpositional() && empty) return NeedsValue(*option, name);
  }
  return std::nullopt;
}

// CLI11 complains of one option: it has no value, or more than one.
Diagnostic Translate(const CLI::ParseError& error, const CLI::App& app, const std::string& command) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(": "));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option != nullptr && option->count() > 1) {
    return Mistake("U004", fmt::format("option '{}' is given twice", name), {SeeHelp(command)});
  }
  if (option != nullptr && option->get_items_expected_max() > 0) {
    return NeedsValue(*option, command);
  }
  return Mistake("U005", fmt::format("an option is written wrongly: {}", text), {SeeHelp(command)});
}

Words OptionNames(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Diagnostic UnknownOption(const std::string& word, const CLI::App& app, const std::string& command) {
  const std::string name = word.substr(0, word.find('='));
  const std::string of = command.empty() ? "" : fmt::format(" of 'opsrun {}'", command);
  return Mistake("U001", fmt::format("unknown option '{}'{}", name, of),
                 {DidYouMean(name, OptionNames(app), "options"), SeeHelp(command)});
}

}  // namespace

const Words& CommandNames() {
  static const Words names = {"run",     "bench",   "check",  "config", "plan",  "ops", "explain",
                              "plugins", "inspect", "compat", "schema", "graph", "sdk"};
  return names;
}

std::string SeeHelp(const std::string& command) {
  return command.empty() ? "see: opsrun --help" : fmt::format("see: opsrun {} --help", command);
}

std::optional<Diagnostic> SplitWords(const Words& words, CommandWords* split) {
  CLI::App app;
  DefineOptions(app, *split);
  Words ordered = WithoutDoubleDash(words);
  if (std::optional<Diagnostic> mistake = PutCommandFirst(app, ordered)) return mistake;
  if (!ordered.empty() && IsCommand(ordered[0])) split->command = ordered[0];
  const CLI::App& command = split->command.empty() ? app : *app.get_subcommand(split->command);
  if (std::optional<Diagnostic> mistake = RefuseNoValue(ordered, command, split->command)) return mistake;
  try {
    std::reverse(ordered.begin(), ordered.end());  // CLI11 takes words from the back
    app.parse(ordered);
  } catch (const CLI::CallForHelp&) {
    split->help = true;
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return Translate(error, command, split->command);
  }
  const Words extras = app.remaining(true);
  if (!extras.empty()) return UnknownOption(extras.front(), command, split->command);
  if (std::optional<Diagnostic> mistake = RefuseEmptyValue(app, split->command)) return mistake;
  return RefuseEmptyValue(command, split->command);
}

}  // namespace opsrun::host

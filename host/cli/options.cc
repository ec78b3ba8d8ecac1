// host/cli/options.cc: the only file that uses CLI11, which separates options, values and arguments and checks numbers,
// choices and exclusions.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

using Remedy = std::function<std::string(const std::string&)>;

using Unit = std::pair<std::string_view, double>;

// Converts to the smallest unit; without a unit, the first of `units` is used.
std::optional<uint64_t> Parse(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name = end == last ? units.front().first : std::string_view(end, last);
  for (const auto& [unit, factor] : units) {
    const double scaled = number * factor;
    if (name == unit && scaled >= 1 && scaled <= 1e18) return static_cast<uint64_t>(scaled);
  }
  return std::nullopt;
}

}  // namespace

std::string SeeHelp(std::string_view command) {
  return command.empty() ? "see: opsrun --help" : fmt::format("see: opsrun {} --help", command);
}

struct Options::Impl {
  explicit Impl(std::string_view name) : command(name) {
    app.option_defaults()->group("Options");
    app.allow_extras();  // CLI11 would report all unknown words in one message
    app.add_option("arguments", given);
  }

  // names: "--feed NAME=FILE.npy". remedy: help for an invalid value.
  template <typename T>
  CLI::Option& AddValue(const std::string& names, T&& value, const char* help, Remedy remedy = nullptr) {
    const size_t blank = names.find(' ');
    CLI::Option& option = *app.add_option(names.substr(0, blank), std::forward<T>(value), help);
    option.type_name(names.substr(blank + 1));
    // No option accepts an empty value.
    option.check([](const std::string& word) { return std::string(word.empty() ? "empty" : ""); });
    remedies[&option] = std::move(remedy);
    return option;
  }

  Diagnostic NeedsValue(const CLI::Option& option) const {
    return MakeError("U003", fmt::format("option '{}' needs a value: {}", option.get_name(), option.get_type_name()),
                     SeeHelp(command));
  }

  // Rejects "--threads=", for which CLI11 would use the next word, and "--quiet=yes".
  std::optional<Diagnostic> CheckEqualSigns(const Words& words) const {
    for (const std::string& word : words) {
      const size_t equals = word.find('=');
      if (word[0] != '-' || equals == word.npos) continue;
      const CLI::Option* option = app.get_option_no_throw(word.substr(0, equals));
      if (option == nullptr) continue;
      if (option->get_items_expected_max() == 0) {
        return MakeError("U005", fmt::format("option '{}' takes no value", option->get_name()), SeeHelp(command));
      }
      if (equals + 1 == word.size()) return NeedsValue(*option);
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> CheckUnknown() const {
    const Words unknown = app.remaining();
    if (unknown.empty()) return std::nullopt;
    const std::string name = unknown[0].substr(0, unknown[0].find('='));
    Words names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
    }
    const std::string of = command.empty() ? "" : fmt::format(" of 'opsrun {}'", command);
    Diagnostic d =
        MakeError("U001", fmt::format("unknown option '{}'{}", name, of), DidYouMean(name, names, "options"));
    d.help.push_back(SeeHelp(command));
    return d;
  }

  // Names the options that exclude each other.
  Diagnostic NameBoth() const {
    std::string names;
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0 || option->get_excludes().empty()) continue;
      names += fmt::format("{}'{}'", names.empty() ? "" : " and ", option->get_name());
    }
    return MakeError("U004", fmt::format("{} cannot be used together", names), "remove one of them");
  }

  // Converts an error of CLI11 about one option.
  Diagnostic Translate(const CLI::ParseError& error) const {
    const std::string text = error.what();
    const CLI::Option* option = app.get_option_no_throw(text.substr(0, text.find_first_of(": ")));
    if (option == nullptr || option->get_items_expected_max() == 0) {
      return MakeError("U005", fmt::format("invalid option syntax: {}", text), SeeHelp(command));
    }
    const Words& words = option->results();
    if (words.empty() || std::find(words.begin(), words.end(), "") != words.end()) return NeedsValue(*option);
    if (words.size() > 1) {
      return MakeError("U004", fmt::format("option '{}' is given twice", option->get_name()), SeeHelp(command));
    }
    return MakeError("U005", fmt::format("{} cannot be '{}'", option->get_name(), words[0]),
                     remedies.at(option)(words[0]));
  }

  std::optional<Diagnostic> CheckArguments() const {
    const auto mistake = [&](Code code, std::string sentence) {
      return MakeError(code, fmt::format("'opsrun {}' {}", command, sentence), SeeHelp(command));
    };
    const Code code = given.size() < least ? Code("U003") : Code("U004");
    if (given.size() < least || given.size() > most) {
      if (least > 1) {
        return mistake(code, fmt::format("takes {} or {} files, {}, got {}", least, most, shown, given.size()));
      }
      if (given.empty()) return mistake(code, fmt::format("needs an argument: {}", shown));
      if (most == 0) return mistake(code, fmt::format("takes no argument, got '{}'", given[0]));
      return mistake(code, fmt::format("takes one {}, got '{}' and '{}'", shown, given[0], given[1]));
    }
    if (std::count(given.begin(), given.end(), "-") < 2) return std::nullopt;
    return MakeError("U004", "'-' is given twice: standard input can be read only once", SeeHelp(command));
  }

  void TakeArguments(const char* what, size_t at_least, size_t at_most, std::function<void(Words)> take) {
    shown = what;
    least = at_least;
    most = at_most;
    store = std::move(take);
  }

  const std::string command;
  CLI::App app;
  std::map<const CLI::Option*, Remedy> remedies;
  std::map<const CLI::Option*, Words> choices;
  Words given;  // the arguments
  std::string shown;
  size_t least = 0, most = 0;
  std::function<void(Words)> store;   // stores the arguments once their number is checked
  std::optional<Diagnostic> mistake;  // returned by a Taker
};

Options::Options(std::string_view command) : impl_(std::make_unique<Impl>(command)) {}
Options::~Options() = default;

void Options::Group(const char* title) {
  impl_->app.option_defaults()->group(title);
}

void Options::HelpFlag(const char* help) {
  impl_->app.set_help_flag("-h,--help", help);
}

void Options::Flag(const char* names, bool& value, const char* help) {
  impl_->app.add_flag(names, value, help);
}

void Options::Text(const char* names, std::string& value, const char* help) {
  impl_->AddValue(names, value, help);
}

void Options::Hidden(const char* names, std::string& value) {
  impl_->AddValue(names, value, "").group("");
}

void Options::Count(const char* names, uint32_t& value, uint32_t most, const char* help) {
  const auto remedy = [most](const std::string&) {
    return fmt::format("it must be a whole number from 1 to {}", most);
  };
  // CLI11 would read 010 as octal 8.
  const auto octal = [](const std::string& word) { return std::string(word.starts_with('0') ? "octal" : ""); };
  impl_->AddValue(names, value, help, remedy).check(octal)->check(CLI::Range(uint32_t{1}, most).description(""));
}

void Options::Quantity(const char* names, uint64_t& value, Parser parse, const char* allowed, const char* help) {
  const auto remedy = [allowed](const std::string&) { return fmt::format("it must be {}", allowed); };
  const auto transform = [parse](std::string& word) {
    const std::optional<uint64_t> parsed = parse(word);
    if (parsed) word = std::to_string(*parsed);
    return std::string(parsed ? "" : "not a quantity");
  };
  impl_->AddValue(names, value, help, remedy).transform(CLI::Validator(transform, ""));
}

void Options::Each(const char* names, Taker take, const char* help) {
  const auto take_all = [this, take = std::move(take)](const Words& words) {
    for (const std::string& word : words) {
      if ((impl_->mistake = take(word))) return false;
    }
    return true;
  };
  impl_->AddValue(names, CLI::callback_t(take_all), help).expected(1, -1)->allow_extra_args(false);
}

void Options::OneOf(const char* names, Words words, std::function<void(size_t)> choose, const char* help) {
  const auto remedy = [words](const std::string& word) { return DidYouMean(word, words, "it may be"); };
  const auto take = [words, choose = std::move(choose)](const Words& given) {
    choose(static_cast<size_t>(std::find(words.begin(), words.end(), given[0]) - words.begin()));
    return true;
  };
  CLI::Option& option = impl_->AddValue(names, CLI::callback_t(take), help, remedy);
  impl_->choices[option.check(CLI::IsMember(words).description(""))] = words;
}

void Options::Exclude(const char* a, const char* b) {
  impl_->app.get_option(a)->excludes(impl_->app.get_option(b));
}

void Options::Argument(std::string& value, const char* shown, bool required) {
  impl_->TakeArguments(shown, required ? 1 : 0, 1, [&value](Words given) {
    if (!given.empty()) value = given[0];
  });
}

void Options::Arguments(Words& values, const char* shown, size_t least, size_t most) {
  impl_->TakeArguments(shown, least, most, [&values](Words given) { values = std::move(given); });
}

std::optional<Diagnostic> Options::Parse(Words words) {
  if (std::optional<Diagnostic> mistake = impl_->CheckEqualSigns(words)) return mistake;
  std::optional<Diagnostic> mistake;
  try {
    std::reverse(words.begin(), words.end());  // CLI11 expects the words in reverse order
    impl_->app.parse(words);
  } catch (const CLI::ExcludesError&) {
    mistake = impl_->NameBoth();
  } catch (const CLI::ParseError& error) {
    mistake = impl_->mistake ? impl_->mistake : impl_->Translate(error);
  }
  if (help_wanted()) return std::nullopt;
  if (std::optional<Diagnostic> unknown = impl_->CheckUnknown()) return unknown;
  if (mistake || (mistake = impl_->CheckArguments())) return mistake;
  if (impl_->store) impl_->store(impl_->given);
  return std::nullopt;
}

bool Options::help_wanted() const {
  return impl_->app.get_help_ptr()->count() > 0;
}

std::vector<Options::Help> Options::Helps() const {
  std::vector<Help> helps;
  for (const CLI::Option* option : impl_->app.get_options()) {
    if (!option->nonpositional() || option->get_group().empty()) continue;
    Help& help = helps.emplace_back(Help{option->get_group(), {}, "", {}, option->get_description()});
    for (const std::string& name : option->get_snames()) help.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) help.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0) help.value = option->get_type_name();
    if (const auto choices = impl_->choices.find(option); choices != impl_->choices.end())
      help.choices = choices->second;
  }
  return helps;
}

std::optional<uint64_t> ParseBytes(std::string_view text) {
  static constexpr Unit kUnits[] = {{"B", 1},      {"K", 0x1p10},   {"KiB", 0x1p10}, {"M", 0x1p20},   {"MiB", 0x1p20},
                                    {"G", 0x1p30}, {"GiB", 0x1p30}, {"T", 0x1p40},   {"TiB", 0x1p40}, {"kB", 1e3},
                                    {"KB", 1e3},   {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
  return Parse(text, kUnits);
}

std::optional<uint64_t> ParseMilliseconds(std::string_view text) {
  static constexpr Unit kUnits[] = {{"s", 1e3}, {"ms", 1}, {"m", 60e3}, {"h", 3600e3}};
  return Parse(text, kUnits);
}

}  // namespace opsrun::host

// host/cli/options.cc: the only door to CLI11, which tells options, values and arguments apart and checks numbers,
// choices and exclusions.
//
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "host/base/near_names.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kHelpColumn = 26;

Diagnostic Mistake(std::string code, std::string sentence, std::string help) {
  Diagnostic d;
  d.code = std::move(code);
  d.message = std::move(sentence);
  d.help = {std::move(help)};
  return d;
}

// What is known of an option beside what CLI11 knows.
struct OptionRow {
  const CLI::Option* option = nullptr;
  std::string value;  // the word for it; empty for a flag
  std::string group;
  std::string help;
  std::function<std::string(const std::string&)> remedy;  // for a word that was refused
};

std::string HelpLine(const OptionRow& row) {
  std::string names = row.option->get_name(false, true);
  if (const size_t comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
  std::string text = fmt::format("  {:<{}}", row.value.empty() ? names : names + " " + row.value, kHelpColumn - 4);
  text += text.size() > kHelpColumn - 2 ? "\n" : "  ";
  text += row.help + "\n";
  for (size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
    text.insert(at + 1, kHelpColumn, ' ');
  }
  return text;
}

}  // namespace

std::string SeeHelp(std::string_view command) {
  return command.empty() ? "see: opsrun --help" : fmt::format("see: opsrun {} --help", command);
}

struct Options::Impl {
  explicit Impl(std::string_view name) : command(name) {
    app.allow_extras();  // CLI11 would name all unknown words in one sentence of its own
    app.add_option("arguments", given);
  }

  CLI::Option& Add(const char* names_and_value, CLI::Option* option, const char* help) {
    const std::string_view both = names_and_value;
    const size_t blank = both.find(' ');
    rows.push_back({option, std::string(blank == both.npos ? "" : both.substr(blank + 1)), group, help, {}});
    return *option;
  }

  // An empty text is no value of any option.
  template <typename T>
  CLI::Option& AddValue(const char* names_and_value, T&& value, const char* help) {
    const std::string names(std::string_view(names_and_value).substr(0, std::string_view(names_and_value).find(' ')));
    CLI::Option* option = app.add_option(names, std::forward<T>(value));
    option->check([](const std::string& word) { return std::string(word.empty() ? "empty" : ""); });
    return Add(names_and_value, option, help);
  }

  void SetRemedy(std::function<std::string(const std::string&)> remedy) { rows.back().remedy = std::move(remedy); }

  const OptionRow& RowOf(const CLI::Option& option) const {
    return *std::find_if(rows.begin(), rows.end(), [&](const OptionRow& row) { return row.option == &option; });
  }

  Diagnostic NeedsValue(const CLI::Option& option) const {
    return Mistake("U003", fmt::format("option '{}' needs a value: {}", option.get_name(), RowOf(option).value),
                   SeeHelp(command));
  }

  // "--threads=", where CLI11 would take the next word, and "--quiet=yes".
  std::optional<Diagnostic> CheckEqualSigns(const Words& words) const {
    for (const std::string& word : words) {
      const size_t equals = word.find('=');
      if (word[0] != '-' || equals == word.npos) continue;
      const CLI::Option* option = app.get_option_no_throw(word.substr(0, equals));
      if (option == nullptr) continue;
      if (option->get_items_expected_max() == 0) {
        return Mistake("U005", fmt::format("option '{}' takes no value", option->get_name()), SeeHelp(command));
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
    Diagnostic d = Mistake("U001", fmt::format("unknown option '{}'{}", name, of), DidYouMean(name, names, "options"));
    d.help.push_back(SeeHelp(command));
    return d;
  }

  // Of those that exclude each other.
  Diagnostic NameBoth() const {
    std::string names;
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0 || option->get_excludes().empty()) continue;
      names += fmt::format("{}'{}'", names.empty() ? "" : " and ", option->get_name());
    }
    return Mistake("U004", fmt::format("there are both {}", names), "leave one of them out");
  }

  // CLI11 refuses the words of one option.
  Diagnostic Translate(const CLI::ParseError& error) const {
    const std::string text = error.what();
    const CLI::Option* option = app.get_option_no_throw(text.substr(0, text.find_first_of(": ")));
    if (option == nullptr || option->get_items_expected_max() == 0) {
      return Mistake("U005", fmt::format("an option is written wrongly: {}", text), SeeHelp(command));
    }
    const Words& words = option->results();
    if (words.empty() || std::find(words.begin(), words.end(), "") != words.end()) return NeedsValue(*option);
    if (words.size() > 1) {
      return Mistake("U004", fmt::format("option '{}' is given twice", option->get_name()), SeeHelp(command));
    }
    return Mistake("U005", fmt::format("{} cannot be '{}'", option->get_name(), words[0]),
                   RowOf(*option).remedy(words[0]));
  }

  std::optional<Diagnostic> CheckArguments() const {
    const auto mistake = [&](const char* code, std::string sentence) {
      return Mistake(code, fmt::format("'opsrun {}' {}", command, sentence), SeeHelp(command));
    };
    const char* code = given.size() < least ? "U003" : "U004";
    if (given.size() < least || given.size() > most) {
      if (least > 1) {
        return mistake(code, fmt::format("takes {} or {} files, {}, got {}", least, most, shown, given.size()));
      }
      if (given.empty()) return mistake(code, fmt::format("needs an argument: {}", shown));
      if (most == 0) return mistake(code, fmt::format("takes no argument, got '{}'", given[0]));
      return mistake(code, fmt::format("takes one {}, got '{}' and '{}'", shown, given[0], given[1]));
    }
    if (std::count(given.begin(), given.end(), "-") < 2) return std::nullopt;
    return Mistake("U004", "'-' is given twice: standard input can be read once", SeeHelp(command));
  }

  const std::string command;
  CLI::App app;
  std::vector<OptionRow> rows;
  std::string group = "Options";
  Words given;  // arguments
  std::string shown;
  size_t least = 0, most = 0;
  std::function<void()> store;        // the arguments, once their number is right
  std::optional<Diagnostic> mistake;  // of a Taker
};

Options::Options(std::string_view command) : impl_(std::make_unique<Impl>(command)) {}
Options::~Options() = default;

void Options::Group(const char* title) {
  impl_->group = title;
}

void Options::Help(const char* help) {
  impl_->Add("", impl_->app.get_help_ptr(), help);
}

void Options::Flag(const char* names, bool& value, const char* help) {
  impl_->Add(names, impl_->app.add_flag(names, value), help);
}

void Options::NoFlag(const char* names, bool& value, const char* help) {
  impl_->Add(names, impl_->app.add_flag_callback(names, [&value] { value = false; }), help);
}

void Options::Text(const char* names, std::string& value, const char* help) {
  impl_->AddValue(names, value, help);
}

void Options::Texts(const char* names, std::vector<std::string>& values, const char* help) {
  impl_->AddValue(names, values, help).allow_extra_args(false);
}

void Options::Count(const char* names, uint32_t& value, uint32_t most, const char* help) {
  // CLI11 takes 010 for 8.
  const auto octal = [](const std::string& word) { return std::string(word.starts_with('0') ? "not decimal" : ""); };
  impl_->AddValue(names, value, help).check(octal)->check(CLI::Range(uint32_t{1}, most));
  impl_->SetRemedy([most](const std::string&) { return fmt::format("it must be a whole number from 1 to {}", most); });
}

void Options::Quantity(const char* names, uint64_t& value, Parser parse, const char* allowed, const char* help) {
  const auto transform = [parse](std::string& word) {
    const std::optional<uint64_t> parsed = parse(word);
    if (parsed) word = std::to_string(*parsed);
    return std::string(parsed ? "" : "not a quantity");
  };
  impl_->AddValue(names, value, help).transform(CLI::Validator(transform, ""));
  impl_->SetRemedy([allowed](const std::string&) { return fmt::format("it must be {}", allowed); });
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
  const auto take = [words, choose = std::move(choose)](const Words& given) {
    choose(static_cast<size_t>(std::find(words.begin(), words.end(), given[0]) - words.begin()));
    return true;
  };
  impl_->AddValue(names, CLI::callback_t(take), help).check(CLI::IsMember(words));
  impl_->SetRemedy([words](const std::string& word) { return DidYouMean(word, words, "it may be"); });
}

void Options::Exclude(const char* a, const char* b) {
  impl_->app.get_option(a)->excludes(impl_->app.get_option(b));
}

void Options::Argument(std::string& value, const char* shown, bool required) {
  impl_->shown = shown;
  impl_->least = required ? 1 : 0;
  impl_->most = 1;
  impl_->store = [this, &value] {
    if (!impl_->given.empty()) value = impl_->given[0];
  };
}

void Options::Arguments(Words& values, const char* shown, size_t least, size_t most) {
  impl_->shown = shown;
  impl_->least = least;
  impl_->most = most;
  impl_->store = [this, &values] { values = impl_->given; };
}

std::optional<Diagnostic> Options::Parse(Words words) {
  if (std::optional<Diagnostic> mistake = impl_->CheckEqualSigns(words)) return mistake;
  std::optional<Diagnostic> mistake;
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
    impl_->app.parse(words);
  } catch (const CLI::ExcludesError&) {
    mistake = impl_->NameBoth();
  } catch (const CLI::ParseError& error) {
    mistake = impl_->mistake ? impl_->mistake : impl_->Translate(error);
  }
  if (help_wanted()) return std::nullopt;
  if (std::optional<Diagnostic> unknown = impl_->CheckUnknown()) return unknown;
  if (mistake || (mistake = impl_->CheckArguments())) return mistake;
  if (impl_->store) impl_->store();
  return std::nullopt;
}

bool Options::help_wanted() const {
  return impl_->app.get_help_ptr()->count() > 0;
}

std::string Options::HelpText() const {
  std::string text, group;
  for (const OptionRow& row : impl_->rows) {
    if (row.group != group) text += (text.empty() ? "" : "\n") + row.group + ":\n";
    group = row.group;
    text += HelpLine(row);
  }
  return text;
}

std::set<std::string> Options::NamesWithValue() const {
  std::set<std::string> names;
  for (const OptionRow& row : impl_->rows) {
    if (row.value.empty()) continue;
    for (const std::string& name : row.option->get_lnames()) names.insert("--" + name);
    for (const std::string& name : row.option->get_snames()) names.insert("-" + name);
  }
  return names;
}

}  // namespace opsrun::host

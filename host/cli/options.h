// host/cli/options.h: the options and arguments of a command, each declared in one place with its help.
//
// An option is declared as the help shows it, "-o,--output FILE": names, then the placeholder of its value. Parsing
// writes to the given variables, which must live until then. CLI11 splits the words; all messages are our own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// "see: opsrun run --help"; without a command, "see: opsrun --help".
std::string SeeHelp(std::string_view command);

class Options {
 public:
  static constexpr size_t kAny = std::numeric_limits<size_t>::max();

  // command: empty if no command was given.
  explicit Options(std::string_view command);
  Options(const Options&) = delete;
  ~Options();

  // Sets the title above the options that follow; initially "Options".
  void Group(const char* title);

  void HelpFlag(const char* help);  // -h, which needs no variable
  void Flag(const char* names, bool& value, const char* help);
  void Text(const char* names, std::string& value, const char* help);
  // A whole number from 1 to `most`.
  void Count(const char* names, uint32_t& value, uint32_t most, const char* help);
  // parse: returns nothing for an invalid word. allowed: describes valid ones, "a size such as 512M or 2G".
  using Parser = std::optional<uint64_t> (*)(std::string_view);
  void Quantity(const char* names, uint64_t& value, Parser parse, const char* allowed, const char* help);
  // May be repeated. take: stores a word, or returns an error.
  using Taker = std::function<std::optional<Diagnostic>(const std::string&)>;
  void Each(const char* names, Taker take, const char* help);

  template <typename T>
  void Choice(const char* names, T& value, std::vector<std::pair<std::string, T>> choices, const char* help) {
    std::vector<std::string> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    OneOf(
        names, std::move(words), [&value, choices](size_t i) { value = choices[i].second; }, help);
  }

  // Makes it an error to use both. Both options must be declared.
  void Exclude(const char* a, const char* b);

  // shown: the name of the arguments in messages, "GRAPH".
  void Argument(std::string& value, const char* shown, bool required);
  void Arguments(std::vector<std::string>& values, const char* shown, size_t least, size_t most);

  // words: without the name of the command. Returns an error for an unknown option (U001), a missing argument (U003),
  // an unexpected argument (U004) or an invalid value (U005), but never if help is requested.
  std::optional<Diagnostic> Parse(std::vector<std::string> words);
  bool help_wanted() const;

  struct Help {
    std::string group;
    std::string left;  // "-o, --output FILE"
    std::string help;  // may have several lines
  };
  std::vector<Help> Helps() const;

  // "--output" and "-o", for the options that take a value.
  std::set<std::string> NamesWithValue() const;

 private:
  void OneOf(const char* names, std::vector<std::string> words, std::function<void(size_t)> choose, const char* help);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Numbers with units, as the values of options.
//
// A quantity is a number above 0, possibly with a fraction, with a unit directly after it: "1.5G", "500ms".
// docs/decisions.md explains why CLI11's units are not used.

// Bytes: B (also without a unit), K or KiB, M, G, T. Nothing for invalid text.
std::optional<uint64_t> ParseBytes(std::string_view text);

// Milliseconds: s (also without a unit), ms, m, h. Nothing for invalid text.
std::optional<uint64_t> ParseMilliseconds(std::string_view text);

}  // namespace opsrun::host

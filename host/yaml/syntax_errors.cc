// host/yaml/syntax_errors.cc: what is not YAML in a text: characters, and what libyaml refuses, in an author's words.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/text.h"
#include "host/yaml/libyaml.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsAllowed(uint32_t code, std::string_view rest) {
  if (code == '\t' || code == '\n') return true;
  if (code == '\r') return rest.substr(0, 2) == "\r\n";
  return IsPrintable(code);
}

bool Refuse(Reporter& reporter, size_t at, std::string message, std::string help) {
  const Position place = TextPlaces(reporter.source().text).PositionAt(at);
  return reporter.Refuse("G001", OneCharacter(place), std::move(message), std::move(help));
}

constexpr size_t kLongestKey = 1024;  // libyaml does not look further for the ':'

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class Explainer {
 public:
  Explainer(const YamlProblem& problem, const ReadSoFar& before, const TextPlaces& places, Reporter& reporter)
      : problem_(problem),
        before_(before),
        places_(places),
        reporter_(reporter),
        text_(places.text()),
        offset_(places.OffsetOf(problem.place)) {}

  void Report() {
    if (!ReportTab() && !ReportQuote() && !ReportKey() && !ReportBracket()) ReportOther();
  }

 private:
  char At(size_t offset) const { return offset < text_.size() ? text_[offset] : '\n'; }
  bool IsAt(char c) const { return At(offset_) == c; }

  // The text at the problem, up to the next space or separator.
  std::string Word() const {
    const std::string_view rest = text_.substr(offset_);
    const std::string_view word = rest.substr(0, std::min(rest.find_first_of(" \t,]}\r\n", 1), rest.size()));
    return word.empty() ? "the end of the line" : Quote(word);
  }

  void Add(Position place, std::string message, std::string help) {
    reporter_.Refuse("G006", OneCharacter(place), std::move(message), std::move(help));
  }

  // Reports a tab at the problem, or one in the indent that made the line continue the text above.
  bool ReportTab() {
    const bool at_tab = Holds(problem_.problem, "tab character") || IsAt('\t');
    if (Holds(problem_.context, "quoted scalar") || (!at_tab && !before_.brackets.empty())) return false;
    const Position begin = {problem_.place.line, 1};
    const size_t indent = places_.Indent(begin.line).value_or(0);
    const size_t tab = text_.substr(places_.OffsetOf(begin), indent).find('\t');
    if (!at_tab && tab == std::string_view::npos) return false;
    ReportIndentTab(at_tab ? problem_.place : Position{begin.line, static_cast<uint32_t>(tab) + 1}, places_, reporter_);
    return true;
  }

  bool ReportQuote() {
    if (!Holds(problem_.context, "quoted scalar") && !Holds(problem_.context, "simple key")) return false;
    if (Holds(problem_.problem, "escape") || Holds(problem_.problem, "hexdecimal")) {
      const size_t backslash = text_.rfind('\\', offset_);
      Add({problem_.place.line, problem_.place.column - static_cast<uint32_t>(offset_ - backslash)},
          fmt::format("invalid escape in double quotes: {}", Quote(EscapeAt(backslash))),
          "write a backslash as \\\\, or use single quotes");
      return true;
    }
    const char quote = At(places_.OffsetOf(problem_.context_place));
    const bool key = Holds(problem_.context, "simple key");
    const bool unclosed =
        !key || ((quote == '"' || quote == '\'') && problem_.place.line > problem_.context_place.line);
    if (unclosed) ReportUnclosedQuote(problem_.context_place, places_, reporter_);
    return unclosed;
  }

  // "\q", "\u12".
  std::string_view EscapeAt(size_t backslash) const {
    const char kind = At(backslash + 1);
    const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    size_t end = backslash + 1 + std::max<size_t>(DecodeUtf8(text_.substr(backslash + 1)).size, 1);
    for (size_t i = 0; i < digits && (IsLetter(At(end)) || IsDigit(At(end))); ++i) ++end;
    return text_.substr(backslash, end - backslash);
  }

  bool ReportKey() {
    const bool required = Holds(problem_.problem, "could not find expected ':'");
    if (!required && !IsAt(':')) return false;
    const Position begin = required ? problem_.context_place : before_.last_text.begin;
    if (begin.line == problem_.place.line && problem_.place.column - begin.column > kLongestKey) {
      Add(begin, fmt::format("a key takes more than {} characters", kLongestKey),
          "shorten it, or write '? key' and ': value' on two lines");
      return true;
    }
    const size_t before = text_.substr(0, offset_).find_last_not_of(" \t");
    const bool missing = !required && (before == std::string_view::npos || Holds("\n,{", text_.substr(before, 1)));
    if (missing) ReportKeyOfNoText(OneCharacter(problem_.place), "nothing", reporter_);
    return missing;
  }

  bool ReportBracket() {
    const bool closes = IsAt(']') || IsAt('}');
    if (before_.brackets.empty()) {
      if (!closes) return false;
      return !reporter_.Refuse("G004", OneCharacter(problem_.place), fmt::format("'{}' closes nothing", At(offset_)),
                               "remove it, or add the opening bracket");
    }
    if (closes && At(offset_) != Closing(before_.brackets.back())) {
      ReportUnclosed(before_.brackets.back(), fmt::format("is not closed before '{}'", At(offset_)));
      return true;
    }
    const size_t open = OpenAtTheEnd();
    if (open > 0) ReportUnclosed(before_.brackets[open - 1], "is never closed");
    return open > 0;
  }

  // How many of the open brackets are not closed in the rest of the text.
  size_t OpenAtTheEnd() const {
    size_t open = before_.brackets.size(), least = open;
    for (size_t at = offset_; at < text_.size() && open > 0; ++at) {
      if (text_[at] == '[' || text_[at] == '{') ++open;
      if (text_[at] == ']' || text_[at] == '}') least = std::min(least, --open);
    }
    return least;
  }

  char Closing(size_t bracket) const { return At(bracket) == '[' ? ']' : '}'; }

  void ReportUnclosed(size_t bracket, std::string_view what) {
    Diagnostic& error =
        reporter_.Error("G004", OneCharacter(places_.PositionAt(bracket)), fmt::format("'{}' {}", At(bracket), what));
    error.label = "opened here";
    error.help.push_back(fmt::format("close it with '{}'", Closing(bracket)));
  }

  void ReportOther() {
    const std::string_view problem = problem_.problem;
    if (Holds(problem, "mapping values are not allowed")) {
      Add(problem_.place, "this ':' does not follow a key of the map around it",
          "start all keys of a map in the same column, end each with ':', and quote values that contain ': '");
    } else if (Holds(problem, "could not find expected ':'")) {
      Add(problem_.context_place, "a ':' is missing in this line",
          "write 'key: value', or indent the line if it continues the one above");
    } else if (Holds(problem, "block sequence entries")) {
      Add(problem_.place, "a list cannot start here with '-'", "begin each item on a line of its own, or write [a, b]");
    } else if (Holds(problem, "cannot start any token")) {
      Add(problem_.place, fmt::format("'{}' cannot begin a value", At(offset_)), "put the text in quotes");
    } else if (Holds(problem, "unexpected ':'")) {
      Add(problem_.place, "there is no key before this ':'", "put a space after the ':'");
    } else if (!before_.brackets.empty() && Holds(problem, "did not find expected")) {
      Add(problem_.place, fmt::format("unexpected {} in these brackets", Word()), "separate values with ','");
    } else if (Holds(problem_.context, "while parsing") || Holds(problem, "<document start>")) {
      Add(problem_.place, fmt::format("unexpected {} here", Word()),
          "start all keys of a map, or all '-' of a list, in the same column");
    } else {
      Add(problem_.place, fmt::format("this is not valid YAML: {}, {}", problem_.context, problem),
          "see docs/graph_format.md");
    }
  }

  const YamlProblem& problem_;
  const ReadSoFar& before_;
  const TextPlaces& places_;
  Reporter& reporter_;
  std::string_view text_;
  const size_t offset_;
};

}  // namespace

// Excludes U+2028 and U+2029, which end a line in libyaml but not in YAML 1.2.
bool IsPrintable(uint32_t code) {
  return !IsControl(code) && code != 0x2028 && code != 0x2029 && code != 0xfffe && code != 0xffff;
}

bool CheckCharacters(Reporter& reporter) {
  const std::string_view text = reporter.source().text;
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    return Refuse(reporter, 0, "the text begins with a byte order mark", "save it as UTF-8 without one");
  }
  const auto is_plain = [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; };  // most are
  for (size_t at = 0; at < text.size();) {
    if (is_plain(text[at])) {
      ++at;
      continue;
    }
    const Utf8Character character = DecodeUtf8(text.substr(at));
    if (character.size == 0) {
      return Refuse(reporter, at,
                    fmt::format("the text is not UTF-8: unexpected byte {:02x}", static_cast<unsigned char>(text[at])),
                    "save the file as UTF-8");
    }
    if (!IsAllowed(character.code, text.substr(at))) {
      const std::string escape =
          character.code > 0xff ? fmt::format("u{:04x}", character.code) : fmt::format("x{:02x}", character.code);
      return Refuse(reporter, at, fmt::format("the control character {} is not allowed", escape.substr(1)),
                    fmt::format("write \"\\{}\" in double quotes, or end lines with a line feed", escape));
    }
    at += character.size;
  }
  return true;
}

void ReportSyntaxError(const YamlProblem& problem, const ReadSoFar& before, const TextPlaces& places,
                       Reporter& reporter) {
  Explainer(problem, before, places, reporter).Report();
}

bool ReportKeyOfNoText(const Span& key, std::string_view found, Reporter& reporter) {
  return reporter.Refuse("G012", key, fmt::format("a key must be a string, found {}", found), "put the key in quotes");
}

bool ReportIndentTab(Position tab, const TextPlaces& places, Reporter& reporter) {
  Diagnostic& error = reporter.Error("G002", OneCharacter(tab), "there is a tab in the indentation of this line");
  error.help.push_back("indent with spaces");
  size_t lines = 0;
  for (uint32_t line = tab.line; line <= places.lines(); ++line) {
    const size_t begin = places.OffsetOf({line, 1});
    if (places.text().substr(begin, places.Indent(line).value_or(0)).find('\t') != std::string_view::npos) ++lines;
  }
  if (lines > 1) error.notes.push_back(fmt::format("{} lines are indented with tabs", lines));
  return false;
}

bool ReportUnclosedQuote(Position quote, const TextPlaces& places, Reporter& reporter) {
  const char c = places.text()[places.OffsetOf(quote)];
  Diagnostic& error = reporter.Error("G003", OneCharacter(quote), fmt::format("the quote {} is never closed", c));
  error.label = "opened here";
  error.help.push_back(fmt::format("add a closing {}", c));
  return false;
}

}  // namespace opsrun::host

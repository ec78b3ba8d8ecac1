// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/simple_lines.h"

#include <algorithm>
#include <array>

#include "host/base/text.h"

namespace opsrun::host {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kMostValues = 5'000'000;  // far from the limit of ReadYaml
constexpr size_t kLongestWord = 200;       // and from that of libyaml for keys
constexpr int kDeepest = 8;

// What YAML reads as a part of a word wherever it stands in it, except for '-' and '+' at its beginning.
constexpr auto kInWord = [] {
  std::array<bool, 256> in{};
  for (unsigned c = 0; c < in.size(); ++c) {
    const auto each = static_cast<char>(c);
    in[c] = IsLetter(each) || IsDigit(each) || each == '_' || each == '.' || each == '-' || each == '+';
  }
  return in;
}();

// Reads one line, or only checks it. Functions return false if the line is not simple.
class LineReader {
 public:
  LineReader(std::string_view line, uint32_t number) : line_(line), number_(number) {}

  bool Read(Value::Entry* entry) {
    return line_.starts_with("  ") && (at_ = kIndent, ReadKey(entry)) && at_ < line_.size() && line_[at_] == '{' &&
           ReadMap(entry == nullptr ? nullptr : &entry->value, 0) && at_ == line_.size();
  }

  size_t values() const { return values_; }

 private:
  bool Take(char c) { return at_ < line_.size() && line_[at_] == c && (++at_, true); }

  Span From(size_t begin) const {
    return {{number_, static_cast<uint32_t>(begin) + 1}, {number_, static_cast<uint32_t>(at_) + 1}};
  }

  std::string_view TakeWord() {
    const size_t begin = at_;
    while (at_ < line_.size() && kInWord[static_cast<unsigned char>(line_[at_])]) ++at_;
    return line_.substr(begin, at_ - begin);
  }

  static bool IsNull(std::string_view word) { return word == "null" || word == "Null" || word == "NULL"; }

  bool ReadKey(Value::Entry* entry) {
    const size_t begin = at_;
    const std::string_view word = TakeWord();
    if (word.empty() || word.size() > kLongestWord || !(IsLetter(word[0]) || word[0] == '_') || IsNull(word))
      return false;
    if (entry != nullptr) {
      entry->key = word;
      entry->key_span = From(begin);
    }
    return Take(':') && Take(' ');
  }

  bool ReadValue(Value* value, int depth) {
    ++values_;
    if (at_ >= line_.size()) return false;
    if (line_[at_] == '{') return ReadMap(value, depth);
    if (line_[at_] == '[') return ReadList(value, depth);
    const size_t begin = at_;
    const std::string_view word = TakeWord();
    const bool sign = !word.empty() && (word[0] == '-' || word[0] == '+');
    if (word.empty() || word.size() > kLongestWord || (sign && (word.size() == 1 || !IsDigit(word[1])))) return false;
    if (value == nullptr) return true;
    value->span = From(begin);
    if (IsNull(word)) return true;
    value->kind = Value::Kind::kScalar;
    value->text = word;
    return true;
  }

  bool ReadList(Value* list, int depth) {
    const size_t begin = at_++;
    if (depth == kDeepest) return false;
    do {
      if (!ReadValue(list == nullptr ? nullptr : &list->items.emplace_back(), depth + 1)) return false;
    } while (Take(',') && Take(' '));
    if (!Take(']')) return false;
    if (list != nullptr) {
      list->kind = Value::Kind::kList;
      list->span = From(begin);
    }
    return true;
  }

  bool ReadMap(Value* map, int depth) {
    const size_t begin = at_++;
    if (depth == kDeepest) return false;
    if (map != nullptr) map->entries.reserve(2);
    std::array<std::string_view, 16> keys;
    size_t count = 0;
    do {
      const size_t key = at_;
      Value::Entry* const entry = map == nullptr ? nullptr : &map->entries.emplace_back();
      if (count == keys.size() || !ReadKey(entry)) return false;
      keys[count] = line_.substr(key, at_ - key);
      if (std::find(keys.begin(), keys.begin() + count, keys[count]) != keys.begin() + count) return false;
      ++count;
      if (!ReadValue(entry == nullptr ? nullptr : &entry->value, depth + 1)) return false;
    } while (Take(',') && Take(' '));
    if (!Take('}')) return false;
    if (map != nullptr) {
      map->kind = Value::Kind::kMap;
      map->span = From(begin);
    }
    return true;
  }

  const std::string_view line_;
  const uint32_t number_;
  size_t at_ = 0;
  size_t values_ = 1;
};

// An empty line or a comment.
bool IsNothing(std::string_view line) {
  const size_t content = line.find_first_not_of(' ');
  return content == std::string_view::npos || line[content] == '#';
}

std::string_view LineAt(std::string_view text, size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

}  // namespace

SimpleLines::SimpleLines(std::string_view text, std::string_view section) : text_(text) {
  next_ = FindBegin(section);
  line_ = section_line_ + 1;
  if (next_ == 0) return;
  others_.assign(text, 0, next_);
  size_t at = next_, values = 0;
  std::string_view line;
  for (; at < text.size(); at += line.size() + 1) {
    line = LineAt(text, at);
    LineReader reader(line, 0);
    const bool simple = reader.Read(nullptr);
    if (!simple && !IsNothing(line)) break;
    if (simple) {
      ++count_;
      values += reader.values();
    } else {
      others_ += line;
    }
    if (at + line.size() < text.size()) others_ += '\n';
  }
  if (values > kMostValues || !AreComplete(at)) count_ = 0;
  if (at < text.size()) others_ += text.substr(at);
}

// The offset behind the line of the section; 0 if there is none.
size_t SimpleLines::FindBegin(std::string_view section) {
  size_t at = 0;
  for (uint32_t number = 1; at < text_.size(); ++number) {
    const std::string_view line = LineAt(text_, at);
    at += line.size() + 1;
    if (line.size() != section.size() + 1 || !line.starts_with(section) || line.back() != ':') continue;
    section_line_ = number;
    return at;
  }
  return 0;
}

// True if the line at `end` begins another entry: of the section, or of the root.
bool SimpleLines::AreComplete(size_t end) const {
  if (end >= text_.size()) return true;
  std::string_view line = LineAt(text_, end);
  if (line.starts_with("  ")) line.remove_prefix(kIndent);
  const size_t word =
      std::ranges::find_if_not(line, [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }) - line.begin();
  return word > 0 && word < kLongestWord && !IsDigit(line[0]) && line.substr(word, 1) == ":" &&
         (word + 1 == line.size() || line[word + 1] == ' ');
}

// All lines up to the last are simple, or have no key.
void SimpleLines::Next(Value::Entry& entry) {
  std::string_view line;
  do {
    line = LineAt(text_, next_);
    next_ += line.size() + 1;
  } while (!LineReader(line, line_++).Read(&entry));
}

}  // namespace opsrun::host

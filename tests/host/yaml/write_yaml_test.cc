// tests/host/yaml/write_yaml_test.cc: what is written reads back the same.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "host/base/text.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// A list or a map of one entry that says what is different.
std::string Difference(const Value& written, const Value& read) {
  if (written.kind != read.kind || written.items.size() != read.items.size() ||
      written.entries.size() != read.entries.size())
    return KindText(written) + " became " + KindText(read);
  const bool same = written.quoted ? AsString(read) == written.text : !read.quoted && read.text == written.text;
  if (written.kind == Value::Kind::kBytes && read.text != written.text) return "other bytes";
  if (written.kind == Value::Kind::kScalar && !same) return written.text + " became " + read.text;
  std::string difference;
  for (size_t i = 0; i < written.items.size(); ++i) difference += Difference(written.items[i], read.items[i]);
  for (size_t i = 0; i < written.entries.size(); ++i) {
    const Value::Entry &from = written.entries[i], &to = read.entries[i];
    difference += from.key == to.key ? Difference(from.value, to.value) : from.key + " became " + to.key;
  }
  return difference;
}

void ExpectSame(const Value& value) {
  const std::string text = WriteYaml(value);
  Diagnostics diagnostics;
  const std::optional<Value> read = ReadYaml({"g.yaml", text}, diagnostics);
  ASSERT_TRUE(diagnostics.all().empty()) << diagnostics.all()[0].message << "\n" << text;
  EXPECT_EQ(Difference(value, *read), "") << text;
}

// "k: " and what is written for the string.
std::string Line(const std::string& text) {
  Value map = MapValue();
  AddEntry(map, "k", StringValue(text));
  return WriteYaml(map);
}

class RandomTree {
 public:
  explicit RandomTree(uint32_t seed) : random_(seed) {}

  Value Map(int depth) {
    Value map = MapValue();
    for (size_t i = Below(5); i > 0; --i) {
      const std::string key = Text();
      if (map.Find(key) == nullptr && IsUtf8(key)) AddEntry(map, key, Any(depth - 1));
    }
    return map;
  }

 private:
  size_t Below(size_t end) { return random_() % end; }

  std::string Text() {
    static const auto kParts =
        [](auto... parts) {
          return std::vector<std::string>{parts..., std::string(130, 'k'), std::string(1100, 'k')};
        }("a", "no", "null", "~", "1.2", "True", "\xff", "\xe9x", "<<", ".inf", "0x1", " ", "  ", ":", ": ", "- ", "#",
          " #", "\n", "\t", "\r", "\"", "'", "\\", "[", "}", ",", "? ", "\u00e9", "\u0085", "\u2028", "\U0001F600",
          "\uFEFF", "\x7f", "\x01", "%", "@", "&a", "*a", "!b", "|", ">", "---", "...");
    std::string text;
    for (size_t i = Below(4); i > 0; --i) text += kParts[Below(std::size(kParts))];
    return text;
  }

  Value Any(int depth) {
    const size_t kind = Below(depth > 0 ? 6 : 4);
    if (kind == 0) return Value();
    if (kind == 1) return PlainValue(std::vector<std::string>{"1", "-2.5", "true", ".nan", "1.0e-09"}[Below(5)]);
    if (kind < 4) return StringValue(Text());
    if (kind == 4) return Map(depth);
    Value list = ListValue();
    for (size_t i = Below(5); i > 0; --i) list.items.push_back(Any(depth - 1));
    return list;
  }

  std::mt19937 random_;
};

TEST(WriteYaml, WritesWhatReadsBackTheSame) {
  for (uint32_t seed = 0; seed < 3000; ++seed) ExpectSame(RandomTree(seed).Map(4));
}

TEST(WriteYaml, QuotesStringsThatSomeYamlWouldReadAsSomethingElse) {
  EXPECT_EQ(Line("some words, it's [fine]"), "k: some words, it's [fine]\n");
  EXPECT_EQ(Line("\u00e9"), "k: \u00e9\n");
  EXPECT_EQ(Line("\xff"), "k: !!binary \"/w==\"\n");
  EXPECT_EQ(Line("a\t\"b\"\x01"), "k: \"a\\t\\\"b\\\"\\x01\"\n");
  EXPECT_EQ(Line("a: b"), "k: 'a: b'\n");
  for (const std::string text : {"", "no", "Null", "~", "1.2", "0x1", ".inf", "2001-01-01", "<<", "oFF"})
    EXPECT_EQ(Line(text), "k: \"" + text + "\"\n");
}

TEST(WriteYaml, PutsOnALineWhatFits) {
  Value list = ListValue(), map = MapValue(), node = MapValue(), nodes = MapValue(), checks = ListValue(),
        root = MapValue();
  for (int i = 0; i < 3; ++i) list.items.push_back(PlainValue(std::to_string(i)));
  AddEntry(map, "x", list);
  AddEntry(map, "no", ListValue());
  AddEntry(node, "op", StringValue("A"));
  AddEntry(node, "in", map);
  AddEntry(nodes, "short", node);
  AddEntry(node, "label", StringValue(std::string(90, 'l')));
  AddEntry(nodes, "long", node);
  AddEntry(root, "nodes", nodes);
  AddEntry(root, "outputs", list);
  checks.items.push_back(map);
  AddEntry(root, "checks", checks);
  EXPECT_EQ(WriteYaml(root),
            "nodes:\n  short: {op: A, in: {x: [0, 1, 2], \"no\": []}}\n  long:\n    op: A\n"
            "    in: {x: [0, 1, 2], \"no\": []}\n    label: " +
                std::string(90, 'l') + "\noutputs: [0, 1, 2]\nchecks:\n- {x: [0, 1, 2], \"no\": []}\n");
}

// Writes entries, each with its value and as a line that is made from it.
FurtherEntries Further(const std::vector<Value::Entry>& entries) {
  const auto line = [&entries](size_t i) {
    EntryLine made(entries[i].key);
    made.Add(entries[i].value);
    return made;
  };
  return {entries.size(), line, [&entries](size_t i) { return entries[i]; }};
}

// Writes the tree as a whole, and with the entries of one section given one at a time.
TEST(WriteYaml, WritesFurtherEntriesLikeThoseOfTheTree) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Value whole = MapValue();
    RandomTree random(seed);
    AddEntry(whole, "first", random.Map(3));
    AddEntry(whole, "nodes", random.Map(3));
    if (seed % 2 == 0) AddEntry(whole, "last", random.Map(2));
    Value some = whole;
    std::vector<Value::Entry>& entries = some.Find("nodes")->entries;
    const auto begin = entries.begin() + std::min<ptrdiff_t>(seed % 3, std::ssize(entries));
    const std::vector<Value::Entry> further(begin, entries.end());
    entries.erase(begin, entries.end());
    const std::string text = WriteYaml(some, "nodes", Further(further));
    ASSERT_EQ(text, WriteYaml(whole)) << seed;
  }
}

TEST(WriteYaml, WritesFurtherEntriesWithTheSameQuotes) {
  for (const std::string word : {"abc", "a_1.b", "yes", "1", "a b", "a:b", "_", "-", "", "\u00e9", "\xff", ".inf"}) {
    Value nodes = MapValue(), node = MapValue(), list = ListValue();
    list.items = {StringValue(word), PlainValue("1.5"), PlainValue("true"), PlainValue("-1"), Value()};
    for (size_t count = 0; count < list.items.size(); ++count) {
      Value some = ListValue();
      some.items.assign(list.items.begin(), list.items.begin() + static_cast<ptrdiff_t>(count));
      AddEntry(node, word + std::to_string(count), some);
      AddEntry(nodes, word + std::to_string(count), node);
    }
    AddEntry(nodes, word, MapValue());
    Value whole = MapValue(), begun = MapValue();
    AddEntry(whole, "nodes", nodes);
    AddEntry(begun, "nodes", MapValue());
    EXPECT_EQ(WriteYaml(begun, "nodes", Further(nodes.entries)), WriteYaml(whole));
  }
}

}  // namespace
}  // namespace opsrun::host

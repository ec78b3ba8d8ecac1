// tests/host/engine/check_graph_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/check_graph.h"

#include <gtest/gtest.h>

#include <string>

#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

Feed MakeFeed(const char* name, Feed::Source source, uint32_t line) {
  Feed feed;
  feed.name = {name, {{line, 3}, {line, 4}}};
  feed.source = source;
  return feed;
}

// "F301 ", or "F304@2 " with the line of the feed, for a graph that declares 'image' on line 2 and gives 'k' a value.
std::string Errors(const std::vector<std::string>& given, bool all = true) {
  Graph graph;
  graph.source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", ""});
  graph.feeds = {MakeFeed("image", Feed::Source::kDeclared, 2), MakeFeed("k", Feed::Source::kValue, 3)};
  graph.left_out = {"broken"};
  Diagnostics diagnostics;
  CheckFeeds(graph, given, all, diagnostics);
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    text += std::string(d.code.text()) + (d.where.known() ? "@" + std::to_string(d.where.begin.line) : "") + " ";
  }
  return text;
}

TEST(CheckFeeds, AFeedThatIsNotGivenIsMissingInARunAlone) {
  EXPECT_EQ(Errors({}), "F304@2 ");
  EXPECT_EQ(Errors({}, false), "");
  EXPECT_EQ(Errors({"image"}), "");
}

TEST(CheckFeeds, AMistypedNameIsOneError) {
  EXPECT_EQ(Errors({"imge"}), "F301 ");
  EXPECT_EQ(Errors({"other"}), "F301 F304@2 ");
}

TEST(CheckFeeds, AValueOfTheGraphIsNotReplaced) {
  EXPECT_EQ(Errors({"image", "k"}), "F303@3 ");
}

TEST(CheckFeeds, AFeedWithAMistakeIsNotUnknown) {
  EXPECT_EQ(Errors({"image", "broken"}), "");
}

class CheckRequiresTest : public ::testing::Test {
 protected:
  CatalogEntry& Add(const std::string& path, const std::string& name, const std::string& version) {
    CatalogEntry& entry = catalog_.entries.emplace_back();
    entry.path = path;
    entry.note.name = name;
    entry.note.version = version;
    return entry;
  }

  // The only error, with its help and notes; empty if all holds.
  std::string Found(const std::string& requires_text) {
    auto source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", "opsrun: 1\nrequires: " + requires_text});
    Diagnostics diagnostics;
    const std::optional<Graph> graph = ReadGraph(source, diagnostics);
    const std::vector<std::string> unmet = CheckRequires(*graph, catalog_, diagnostics);
    EXPECT_EQ(unmet.size(), diagnostics.all().size());
    if (diagnostics.all().empty()) return "";
    const Diagnostic& d = diagnostics.all()[0];
    std::string text = std::string(d.code.text()) + " " + d.message;
    for (const std::string& help : d.help) text += "\nhelp: " + help;
    for (const std::string& note : d.notes) text += "\nnote: " + note;
    return text;
  }

  // The ops of these nodes that are held back if `unmet` is not met.
  std::vector<std::string> HeldBack(const std::string& nodes, const std::string& unmet) {
    auto source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", "opsrun: 1\nnodes: " + nodes});
    Diagnostics diagnostics;
    return OpsOfUnmet(*ReadGraph(source, diagnostics), catalog_, {unmet});
  }

  Catalog catalog_;
};

TEST_F(CheckRequiresTest, HoldsBackWhatIsOrMayBeOfAnUnmetPlugin) {
  Add("a.so", "a", "1.0").note.ops = {"Old"};
  Add("b.so", "b", "1.0").note.ops = {"Other"};
  EXPECT_EQ(HeldBack("{x: {op: Old}, y: {op: Other}, z: {op: Unknown}, w: {op: b.Other}}", "a"),
            (std::vector<std::string>{"Old", "Unknown"}));
  EXPECT_EQ(HeldBack("{x: {op: Old}, y: {op: a.New}, z: {op: c.New}}", "c"), (std::vector<std::string>{"c.New"}));
}

TEST_F(CheckRequiresTest, TakesWhatFits) {
  Add("a.so", "acme.images", "1.10.2");
  EXPECT_EQ(Found("{acme.images: '>= 1.9, < 2'}"), "");
  EXPECT_EQ(Found("{}"), "");
}

TEST_F(CheckRequiresTest, NamesTheFileThatIsHidden) {
  Add("/new/a.so", "a", "1.0");
  Add("/old/a.so", "a", "2.0").hidden_by = "/new/a.so";
  EXPECT_EQ(Found("{a: '>= 2'}"),
            "P302 plugin 'a' is version 1.0, the graph requires '>= 2'\n"
            "help: install a version that fits, or change the range if the graph works with this one\n"
            "note: found: /new/a.so\n"
            "note: it hides /old/a.so, version 2.0");
}

TEST_F(CheckRequiresTest, SaysWhyAPluginIsRefused) {
  Add("a.so", "a", "1.0").refusal = Refusal{"it needs level 9", "use a newer opsrun"};
  EXPECT_EQ(Found("{a: 1}"), "P301 plugin 'a' was refused\nhelp: use a newer opsrun\nnote: a.so: it needs level 9");
}

TEST_F(CheckRequiresTest, ComparesNoVersionThatIsNotNumbers) {
  Add("a.so", "a", "1.0-beta");
  EXPECT_EQ(Found("{a: '>= 1'}").substr(0, 66), "P302 plugin 'a' is version 1.0-beta, the graph requires '>= 1'\nhel");
  EXPECT_EQ(Found("{a: '*'}"), "");
}

TEST_F(CheckRequiresTest, TakesAnyVersionOnlyOfWhatIsThere) {
  EXPECT_EQ(Found("{a: '*'}"),
            "P301 there is no plugin 'a'\nhelp: there are no plugins\nnote: no directory was searched");
}

}  // namespace

}  // namespace opsrun::host

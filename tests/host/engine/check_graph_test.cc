// tests/host/engine/check_graph_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/check_graph.h"

#include <gtest/gtest.h>

#include <string>

#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

// tests/graphs has what is wrong with one feed.
TEST(CheckFeeds, TellsAMissingFeedBesideAnUnknownOne) {
  const auto errors = [](const std::vector<std::string>& given, bool all) {
    Graph graph;
    graph.source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", ""});
    graph.feeds.resize(1);
    graph.feeds[0].name.value = "image";
    graph.left_out = {"broken"};
    Diagnostics diagnostics;
    CheckFeeds(graph, given, all, diagnostics);
    std::string codes;
    for (const Diagnostic& d : diagnostics.all()) codes += std::string(d.code.text()) + " ";
    return codes;
  };
  EXPECT_EQ(errors({}, false), "") << "it is missing in a run alone";
  EXPECT_EQ(errors({"imge"}, true), "F301 ") << "a mistyped name is one error";
  EXPECT_EQ(errors({"other"}, true), "F301 F304 ");
  EXPECT_EQ(errors({"image", "broken"}, true), "") << "a feed with a mistake is not unknown";
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

TEST_F(CheckRequiresTest, ComparesNumbersAlone) {
  EXPECT_EQ(Found("{a: '*'}"),
            "P301 there is no plugin 'a'\nhelp: there are no plugins\nnote: no directory was searched");
  Add("a.so", "a", "1.0-beta");
  EXPECT_EQ(Found("{a: '>= 1'}").substr(0, 5), "P302 ");
  EXPECT_EQ(Found("{a: '*'}"), "");
  Add("b.so", "acme.images", "1.10.2");
  EXPECT_EQ(Found("{acme.images: '>= 1.9, < 2'}"), "");
}

}  // namespace

}  // namespace opsrun::host

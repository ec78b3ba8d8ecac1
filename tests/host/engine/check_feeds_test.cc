// tests/host/engine/check_feeds_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/check_feeds.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace opsrun::host

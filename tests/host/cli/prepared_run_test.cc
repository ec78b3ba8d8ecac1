// tests/host/cli/prepared_run_test.cc: --feed against the feeds of a graph.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/prepared_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

Feed MakeFeed(const char* name, Feed::Source source, uint32_t line) {
  Feed feed;
  feed.name = {name, {{line, 3}, {line, 4}}};
  feed.source = source;
  feed.dtype = Located<DType>{DType::kInt32, {}};
  return feed;
}

// A graph with a declared feed 'image' on line 2 and a feed 'k' with a value on line 3.
Graph MakeGraph() {
  Graph graph;
  graph.source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", ""});
  graph.feeds = {MakeFeed("image", Feed::Source::kDeclared, 2), MakeFeed("k", Feed::Source::kValue, 3)};
  return graph;
}

std::string Errors(const std::vector<FeedArgument>& arguments) {
  Diagnostics diagnostics;
  ReadFeedFiles(arguments, MakeGraph(), diagnostics);
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    const std::string place = d.file.empty() ? "" : d.file + ":" + std::to_string(d.where.begin.line) + ": ";
    text += place + std::string(d.code.text()) + ": " + d.message + (d.help.empty() ? "" : "; " + d.help[0]) + "\n";
  }
  return text;
}

TEST(FeedFiles, ReadsAnArray) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + "prepared_run_test.npy";
  Result<Tensor> tensor = Tensor::Create(DType::kInt32, {2});
  ASSERT_TRUE(tensor.ok());
  ASSERT_TRUE(WriteNpy(path, *tensor).ok());
  Diagnostics diagnostics;
  const std::map<std::string, Tensor> arrays = ReadFeedFiles({{"image", path}}, MakeGraph(), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(arrays.at("image").shape(), Shape{2});
}

TEST(FeedFiles, NamesAFileThatCannotBeRead) {
  EXPECT_NE(Errors({{"image", "/nowhere/a.npy"}}).find("F302: --feed image: "), std::string::npos);
  EXPECT_NE(Errors({{"image", "/nowhere/a.npy"}}).find("'/nowhere/a.npy'"), std::string::npos);
}

}  // namespace
}  // namespace opsrun::host

// host/graph/feed_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/feed_files.h"

#include <optional>

#include "host/yaml/read_yaml.h"
#include "host/yaml/value.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {

std::string WithFeedFiles(const SourceFile& source, const std::vector<FeedFile>& files) {
  Diagnostics ignored;  // the text was read before
  std::optional<Value> root = ReadYaml(source, ignored);
  Value* const feeds = root ? root->Find("feeds") : nullptr;
  if (feeds == nullptr) return source.text;
  for (const FeedFile& file : files) {
    Value* const feed = feeds->Find(file.feed);
    if (feed == nullptr) continue;
    AddEntry(*feed, "npz", StringValue(file.npz));
    AddEntry(*feed, "key", StringValue(file.key));
  }
  return WriteYaml(*root);
}

}  // namespace opsrun::host

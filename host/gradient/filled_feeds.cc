// host/gradient/filled_feeds.cc: see filled_feeds.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/filled_feeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/gradient/gradient_graph.h"

namespace opsrun::host {
namespace {

// Whether one of the values `of` does, through values of any type.
bool DependOn(uint32_t value, const std::vector<uint32_t>& of, const Resolution& resolution) {
  std::vector<bool> depends(resolution.values.size());
  depends[value] = true;
  for (const uint32_t index : resolution.order) {
    const ResolvedNode& node = resolution.nodes[index];
    const bool reached = std::any_of(node.inputs.begin(), node.inputs.end(), [&](uint32_t in) { return depends[in]; });
    if (!reached) continue;
    for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) depends[node.first_output + i] = true;
  }
  return std::any_of(of.begin(), of.end(), [&](uint32_t each) { return depends[each]; });
}

bool MayHaveShape(const ResolvedShape& shape, const Shape& declared) {
  const auto may = [](const ResolvedDim& dim, int64_t size) { return dim.size < 0 || size < 0 || dim.size == size; };
  return !shape.rank_known || std::equal(shape.dims.begin(), shape.dims.end(), declared.begin(), declared.end(), may);
}

}  // namespace

// Declared feeds with the name of a gradient: what stands for it as long as it does not exist.
std::map<std::string, size_t> FilledFeeds(const Graph& graph, const GradientRequest& request) {
  std::map<std::string, size_t> filled;
  if (!request.fill_feeds) return filled;
  for (size_t i = 0; i < request.wrt.size(); ++i) {
    const std::string name = GradientName(ReferenceText(request.wrt[i]));
    const bool declared = std::any_of(graph.feeds.begin(), graph.feeds.end(), [&](const Feed& feed) {
      return feed.name.value == name && feed.source == Feed::Source::kDeclared;
    });
    if (declared) filled.emplace(name, i);
  }
  return filled;
}

bool CheckFilledFeeds(const Graph& graph, const Resolution& resolution, const std::map<std::string, size_t>& filled,
                      const std::vector<uint32_t>& of, const std::vector<uint32_t>& wrt, Diagnostics& diagnostics) {
  bool ok = true;
  const auto fail = [&](Code code, std::string message, const Feed& feed, std::string help) {
    ok = false;
    Diagnostic& error = diagnostics.Error(code, std::move(message));
    error.file = graph.source->path;
    error.where = feed.name.span;
    error.help.push_back(std::move(help));
  };
  for (size_t i = 0; i < graph.feeds.size(); ++i) {
    const Feed& feed = graph.feeds[i];
    const auto found = filled.find(feed.name.value);
    if (found == filled.end()) continue;
    if (DependOn(resolution.feed_values[i], of, resolution)) {
      fail("G205", fmt::format("what is differentiated depends on '{}', which its gradient replaces", feed.name.value),
           feed, "take the feed out of what is differentiated, or give it another name");
      continue;
    }
    const ResolvedValue& value = resolution.values[wrt[found->second]];
    const bool same_type = feed.dtype->value == value.dtype;
    if (same_type && (!feed.shape || MayHaveShape(value.shape, feed.shape->value))) continue;
    fail("G304",
         fmt::format("feed '{}' is {} {}, but the gradient that replaces it is {} {}", feed.name.value,
                     DTypeName(feed.dtype->value), feed.shape ? ShapeText(feed.shape->value) : "?",
                     DTypeName(value.dtype), ResolvedShapeText(value.shape)),
         feed, "declare it like the tensor whose gradient it is, or give the feed another name");
  }
  return ok;
}

}  // namespace opsrun::host

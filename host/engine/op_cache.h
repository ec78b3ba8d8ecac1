// host/engine/op_cache.h: graphs and single ops that can be called with tensors of any type and shape that they allow,
// each combination prepared once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/engine/callable_plan.h"
#include "host/plan/build_plan.h"
#include "host/plan/resolution.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A cache with a limited number of values and bytes, which keeps the most recently used. Private to this room.

// For few values: a lookup compares keys one by one, most recently used first. Any thread.
template <typename Key, typename Value>
class LruCache {
 public:
  explicit LruCache(size_t most) : most_(most) {}
  static constexpr size_t kMostBytes = size_t{256} << 20;

  // A copy of the value whose key satisfies `is`, or Value().
  template <typename Is>
  Value Find(Is is) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return is(entry.key); });
    if (found == entries_.end()) return Value();
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().value;
  }

  // If there are too many values, or more than kMostBytes of them, drops the least recently used ones, but never the
  // new one. Dropped values are destroyed with their last users.
  void Add(Key key, Value value, size_t bytes) {
    std::vector<Entry> oldest;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (most_ == 0) return;
    bytes_ += bytes;
    while (!entries_.empty() && (entries_.size() >= most_ || bytes_ > kMostBytes)) {
      bytes_ -= entries_.back().bytes;
      oldest.push_back(std::move(entries_.back()));
      entries_.pop_back();
    }
    entries_.insert(entries_.begin(), {std::move(key), std::move(value), bytes});
  }

 private:
  struct Entry {
    Key key;
    Value value;
    size_t bytes = 0;
  };

  const size_t most_;
  std::mutex mutex_;  // guards the members below
  size_t bytes_ = 0;
  std::vector<Entry> entries_;
};

// A graph of one node, to call a single op.

// One input tensor of a call, or an empty list. Tensors of one list argument are adjacent.
struct OpInput {
  std::string arg;
  bool list = false;
  FeedType type;
  bool empty = false;  // an empty list argument
};

// The name of the node. It cannot collide with arguments, whose names begin with a small letter.
inline constexpr char kOpNode[] = "Call";

// The name of the feed for an input: "x", its argument's name; for an element of a list "values-0".
std::string FeedOfInput(const std::string& arg, bool list, size_t i);

// Loads the graph for inputs of any shape. Null, with an error in `diagnostics`, if an attr cannot be expressed. Other
// errors are in the diagnostics of the result. attrs: borrowed.
std::shared_ptr<LoadedGraph> LoadOpGraph(Engine& engine, const std::string& op, const std::vector<OpInput>& inputs,
                                         const std::vector<opsrun_attr>& attrs, Diagnostics& diagnostics);
// The graph as a file, with this name for the op. Requires: each feed has a data type.
std::string WriteOpGraph(const Graph& graph, const std::string& op);
// Loads such a file. Null after errors in the text *source.
std::shared_ptr<LoadedGraph> ReadOpGraph(Engine& engine, std::string yaml, Diagnostics& diagnostics,
                                         std::shared_ptr<const SourceFile>* source);

struct PreparedOp {
  std::shared_ptr<CallablePlan> plan;
  FeedSignature types;               // of the inputs
  std::vector<std::string> outputs;  // "y"; "parts.0" of a list
};

// Prepares an op as a graph of one node. Any thread.
class OpCache {
 public:
  OpCache(std::shared_ptr<Engine> engine, size_t most) : engine_(std::move(engine)), prepared_(most) {}

  // Null after errors, which refer to the text *source. Equal calls share a prepared op, unless the op is stateful:
  // kernel objects with state are never shared. attrs: borrowed.
  std::shared_ptr<PreparedOp> Prepare(const std::string& op, const std::vector<OpInput>& inputs,
                                      const std::vector<opsrun_attr>& attrs, Diagnostics& diagnostics,
                                      std::shared_ptr<const SourceFile>* source);

 private:
  const std::shared_ptr<Engine> engine_;
  LruCache<std::string, std::shared_ptr<PreparedOp>> prepared_;  // keys contain everything that a call specifies
};

// A loaded graph that can be called with tensors of any type and shape that it allows.

// Plans once for each combination of data types and shapes of the feeds, and keeps the most recently used plans. State
// of kernel objects lives as long as their plan; shared objects live as long as the engine. Any thread.
class CallableGraph {
 public:
  // Requires: the graph has no errors.
  CallableGraph(std::shared_ptr<LoadedGraph> graph, size_t most_plans);

  const LoadedGraph& loaded() const { return *graph_; }
  // The declared feeds, in the order of a call's arguments.
  const std::vector<const Feed*>& feeds() const { return feeds_; }

  // The plan for feeds of these types and shapes; null after errors. Requires: one element for each of feeds().
  std::shared_ptr<CallablePlan> PlanFor(std::span<const TensorRef> feeds, Diagnostics& diagnostics);

 private:
  const std::shared_ptr<LoadedGraph> graph_;
  std::vector<const Feed*> feeds_;
  LruCache<FeedSignature, std::shared_ptr<CallablePlan>> plans_;
};

}  // namespace opsrun::host

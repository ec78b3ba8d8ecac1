// host/engine/lock.h: the lock of a graph, "graph.lock" beside "graph.yaml": the plugins, ops, types, shapes and arrays
// that the graph was last accepted with, and their comparison with what is there now. docs/locks.md describes the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/examine/catalog.h"
#include "host/graph/graph.h"
#include "host/plan/plan.h"
#include "host/plugin/plugin.h"
#include "host/spec/op_def.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// What is known about a tensor before a run: "float32 [2, ?]", "float32 ?".
struct LockedTensor {
  DType dtype = DType::kInvalid;
  bool rank_known = true;
  Shape shape;  // -1: unknown size
};
std::string LockedTensorsText(const std::vector<LockedTensor>& tensors);  // "float32 [2, ?], int32 []"

struct LockedPlugin {
  Located<std::string> name;
  std::string version;   // empty: none
  std::string build_id;  // of its file; empty: none
  std::string digest;    // of its file; empty: none was made, or the plugin has no file
};

// "== 1.0", or "*" for a plugin without a version.
std::string LockedRange(const LockedPlugin& plugin);

struct LockedOp {
  std::string name;  // as the graph writes it: "ZeroOut", "images.ZeroOut"
  std::string plugin;
  spec::OpDef def;
};

// A feed or a result.
struct LockedValue {
  std::string name;
  LockedTensor type;
};

// Nodes whose outputs have the same types and shapes.
struct LockedNodes {
  std::vector<LockedTensor> results;
  std::string names;  // separated by spaces
};

// An array that the graph reads from a file.
struct LockedArray {
  std::string feed;
  std::string digest;  // Digest of its type, shape and elements
};

struct Lock {
  std::shared_ptr<const SourceFile> source;  // null for one that was not read
  std::vector<LockedPlugin> plugins;
  std::vector<LockedOp> ops;
  std::vector<LockedValue> feeds;
  std::vector<LockedArray> arrays;
  std::vector<LockedNodes> nodes;
  std::vector<LockedValue> results;
};

// "graph.lock" for "graph.yaml", and for "graph.opsplan". Empty for standard input, and for a path that is the same.
std::string LockPath(const std::string& graph);

inline constexpr size_t kMostLockBytes = size_t{64} << 20;

// The lock for a plan that was made with PlanInputs::for_runs false and without tensors for its feeds. Reads the files
// of plugins; errors are about those. registry, catalog: those of the plan.
Result<Lock> MakeLock(const Plan& plan, const Registry& registry, const Catalog& catalog);

// The text of the file; equal locks have equal texts.
std::string LockText(const Lock& lock);

// The lock in a file. Nothing, and at least one error with a place in the file, if it is none; a lock of a later format
// is an error, too (G101).
std::optional<Lock> ReadLock(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

// A difference, in the words of `opsrun compat`.
struct LockChange {
  std::string about;  // "op 'Join'"
  spec::OpChange change;
  Span where;          // in the graph, as far as it is about a part of it
  std::string op;      // of what CompareLockedOps finds about an op
  std::string plugin;  // the locked one, of what it finds
};

struct LockOptions {
  bool whole = false;  // also compares the files of plugins, and arrays of MappedFiles::kLeastArray and more
  bool fed = false;    // the plan is for tensors of feeds, so it may know more than the lock
};

// The plugins and ops that the graph still uses: an op that is not there (op_removed) or is from another plugin
// (op_moved), the rules of CompareVersions, and, which is safe, op_added, op_unused, plugin_version and plugin_rebuilt.
std::vector<LockChange> CompareLockedOps(const Lock& lock, const Graph& graph, const Registry& registry,
                                         const Catalog& catalog, const LockOptions& options);

// Feeds, arrays, nodes and results: type_changed, array_changed, feed_added if it has no value, feed_removed,
// result_removed; safe: type_refined, feed_added, array_added, result_added, nodes_added, nodes_removed. A node that
// reads what has changed in the same way is not a change of its own. Requires: no steps of the plan were added or
// joined yet.
std::vector<LockChange> CompareLockedPlan(const Lock& lock, const Plan& plan, const LockOptions& options);

}  // namespace opsrun::host

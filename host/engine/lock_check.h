// host/engine/lock_check.h: refuses graphs that do not match their lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/engine/engine.h"
#include "host/engine/lock.h"

namespace opsrun::host {

class LockCheck {
 public:
  // Reads the lock of the graph file `path`. Null if there is none, or after errors: those in the lock, and G226 if it
  // cannot be read or is missing although use is kFrozen.
  static std::unique_ptr<LockCheck> Open(const std::string& path, LockUse use, Diagnostics& diagnostics);

  // Adds an error G225 for each difference that is refused, with its place in the graph, and P301 or P302 for each
  // plugin of the lock that is missing or does not match, with its place in the lock. Returns the ops of the graph that
  // the lock has but no plugin.
  std::vector<std::string> CompareOps(const Graph& graph, const Registry& registry, const Catalog& catalog,
                                      Diagnostics& diagnostics);
  // The same for what CompareLockedPlan finds. fed: see LockOptions.
  void ComparePlan(const Plan& plan, bool fed, Diagnostics& diagnostics);

  // A line about what has changed otherwise; empty if nothing has.
  std::string Remark() const;

 private:
  LockCheck(std::string graph, Lock lock, bool frozen)
      : path_(std::move(graph)), lock_(std::move(lock)), frozen_(frozen) {}
  void Report(std::vector<LockChange> changes, const std::string& file, Diagnostics& diagnostics);
  std::string Update() const;

  const std::string path_;  // of the graph
  const Lock lock_;
  const bool frozen_;
  std::vector<LockChange> safe_;  // that are not refused
};

}  // namespace opsrun::host

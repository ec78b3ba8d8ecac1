// tests/fuzz/lock_target.cc: the lock of a graph: reads one, writes it again, and compares it with a plan.
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/lock.h"
#include "tests/fuzz/planned_ops.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {
namespace locks {

const Plan& ThePlan() {
  static const std::unique_ptr<const Plan> plan = AllOps().PlanOf(std::make_shared<const SourceFile>(SourceFile{
      "graph.yaml",
      "opsrun: 1\nfeeds:\n  x: {value: [1, 2], dtype: int32}\n  d: {dtype: float32, shape: [-1, 3]}\n"
      "nodes:\n  a: {op: Same, in: x}\n  j: {op: test.Join, in: {first: d, xs: [d, d]}}\n  b: {op: Same, in: j}\n"
      "outputs: [a, b]\n"}));
  return *plan;
}

std::vector<LockChange> Changes(const Lock& lock) {
  const Plan& plan = ThePlan();
  std::vector<LockChange> all =
      CompareLockedOps(lock, plan.graph(), AllOps().registry(), AllOps().catalog(), {.whole = true});
  for (const bool fed : {false, true}) {
    for (LockChange& change : CompareLockedPlan(lock, plan, {.whole = true, .fed = fed}))
      all.push_back(std::move(change));
  }
  return all;
}

std::optional<Lock> Read(std::string text, Diagnostics& diagnostics) {
  return ReadLock(std::make_shared<const SourceFile>(SourceFile{"graph.lock", std::move(text)}), diagnostics);
}

void Eat(std::string_view bytes) {
  Diagnostics diagnostics;
  const std::optional<Lock> lock = Read(std::string(bytes), diagnostics);
  Require(lock.has_value() != diagnostics.has_errors(), "there is a lock or an error");
  for (const Diagnostic& d : diagnostics.all())
    Require(!d.message.empty() && d.where.known() && !d.help.empty(), "a message about a text has its place");
  if (!lock) return;
  for (const LockChange& change : Changes(*lock))
    Require(!change.about.empty() && !change.change.message.empty(), "what has changed is said");
  const std::string text = LockText(*lock);
  const std::optional<Lock> again = Read(text, diagnostics);
  Require(again && LockText(*again) == text, "what is written can be read, and is the same");
}

std::vector<std::string> Seeds() {
  const Result<Lock> lock = MakeLock(ThePlan(), AllOps().registry(), AllOps().catalog());
  Require(lock.ok() && Changes(*lock).empty(), "a graph is locked, and has not changed");
  std::vector<std::string> seeds = ContentsOf(FilesIn(OPSRUN_GRAPHS, ".lock"));
  seeds.push_back(LockText(*lock));
  return seeds;
}

std::vector<std::string> Words() {
  return SplitWords(
      "opsrun_lock: 1\n;plugins: {};ops: {};feeds: {};arrays: {};nodes: [];results: {};  - results: \"int32 [2]\"\n;"
      "    names: >-\n;xxh3_128: ;build_id: ;version: ;plugin: test;inputs: [\"x: T\"];outputs: [];attrs: [\"T: "
      "type\"];"
      "float32 ?;int32 [];[?, 3];9223372036854775807;N * T;list(int) >= 0 = [1];a b j; ;  ;\n\n;x;d");
}

}  // namespace locks
}  // namespace

const Target kLock = {"lock", locks::Eat, locks::Seeds, locks::Words};

}  // namespace opsrun::fuzz

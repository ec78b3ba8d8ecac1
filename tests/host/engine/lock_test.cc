// tests/host/engine/lock_test.cc: locks as text. tests/graphs has those of whole graphs.
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/lock.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

std::optional<Lock> Read(const std::string& text, Diagnostics& diagnostics) {
  return ReadLock(std::make_shared<const SourceFile>(SourceFile{"g.lock", text}), diagnostics);
}

spec::OpDef Op() {
  spec::OpDef op;
  op.name = "Same";
  op.inputs = {{.name = "x", .type_attr = "T"}};
  op.outputs = {{.name = "y", .type_attr = "T"}};
  op.attrs = {{.name = "T", .type = {OPSRUN_ATTR_TYPE, false}, .allowed_types = {DType::kFloat32, DType::kString}}};
  return op;
}

Lock AnyLock() {
  Lock lock;
  lock.plugins = {{{"a", {}}, "1.0", "ab12", "00112233445566778899aabbccddeeff"}, {{"b", {}}, "", "", ""}};
  lock.ops = {{"a.Same", "a", Op()}, {"N>S", "b", {.name = "N>S"}}};
  lock.feeds = {{"x", {DType::kFloat32, true, {2, -1}}}, {"true", {DType::kResource, false, {}}}};
  lock.arrays = {{"x", "12345678901234567890123456789012"}};
  std::string names = "n0";
  for (int i = 1; i < 100; ++i) names += " n" + std::to_string(i);
  lock.nodes = {{{{DType::kInt32, true, {}}, {DType::kString, false, {}}}, names},
                {{}, "_alone " + std::string(300, 'x') + " last"}};
  lock.results = {{"y", {DType::kFloat32, true, {0}}}};
  return lock;
}

TEST(Lock, IsTheSameAfterItWasWritten) {
  const std::string text = LockText(AnyLock());
  Diagnostics diagnostics;
  const std::optional<Lock> lock = Read(text, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << d.where.begin.line << ": " << d.message;
  ASSERT_TRUE(lock);
  EXPECT_EQ(LockText(*lock), text);
  EXPECT_EQ(lock->nodes[0].names, AnyLock().nodes[0].names);
  EXPECT_TRUE(spec::CompareVersions(Op(), lock->ops[0].def).empty());
}

TEST(Lock, IsRefusedWhereverItEnds) {
  const std::string text = LockText(AnyLock());
  const size_t complete = text.find("\nresults:");
  for (size_t size = 0; size <= complete; ++size) {
    Diagnostics diagnostics;
    EXPECT_FALSE(Read(text.substr(0, size), diagnostics)) << size;
    EXPECT_TRUE(diagnostics.has_errors());
    for (const Diagnostic& d : diagnostics.all()) EXPECT_TRUE(d.where.known()) << d.message;
  }
}

TEST(LockPath, ReplacesTheEnding) {
  EXPECT_EQ(LockPath("a/graph.yaml"), "a/graph.lock");
  EXPECT_EQ(LockPath("graph.opsplan"), "graph.lock");
  EXPECT_EQ(LockPath("a.b/graph"), "a.b/graph.lock");
  EXPECT_EQ(LockPath("graph.lock"), "");
  EXPECT_EQ(LockPath("-"), "");
}

}  // namespace
}  // namespace opsrun::host

// tests/host/plan/explain/no_op_test.cc: what is said of an op that there is not.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/no_op.h"

#include <gtest/gtest.h>

#include "host/base/diagnostic.h"

namespace opsrun::host {
namespace {

Catalog WithRefused(size_t usable, size_t refused) {
  Catalog catalog;
  catalog.entries.resize(usable + refused);
  for (size_t i = 0; i < refused; ++i) {
    catalog.entries[i].refusal = Refusal{"built for another machine", "build it"};
    catalog.entries[i].note.ops.emplace_back("Other");
  }
  return catalog;
}

TEST(NoOp, MentionsPluginsThatMightHaveHadIt) {
  const auto notes = [](size_t usable, size_t refused) {
    return NoOp("Absent", nullptr, WithRefused(usable, refused), true).notes.size();
  };
  EXPECT_EQ(notes(0, 0), 1u) << "there is no plugin at all";
  EXPECT_EQ(notes(1, 0), 0u);
  EXPECT_EQ(notes(1, 1), 1u);
  EXPECT_EQ(notes(0, 2), 1u);
  EXPECT_TRUE(NoOp("Absent", nullptr, WithRefused(1, 1), false).notes.empty());
}

}  // namespace

}  // namespace opsrun::host

// tests/host/base/number_set_test.cc: numbers are found by what they stand for, also if hashes are equal.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/number_set.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace opsrun::host {
namespace {

TEST(NumberSet, FindsNumbersByWhatTheyStandFor) {
  for (const uint32_t hashes : {1U, 3U, 1000U, ~0U}) {  // how many differ
    std::vector<std::string> texts;
    NumberSet set;
    const auto find = [&](uint32_t i) {
      return set.Find(i % hashes, [&](uint32_t number) { return texts[number] == std::to_string(i); });
    };
    for (uint32_t i = 0; i < 500; ++i) {
      EXPECT_EQ(find(i), NumberSet::kNone);
      texts.push_back(std::to_string(i));
      set.Add(i, i % hashes);
    }
    for (uint32_t i = 0; i < 600; ++i) EXPECT_EQ(find(i), i < 500 ? i : NumberSet::kNone);
  }
}

}  // namespace
}  // namespace opsrun::host

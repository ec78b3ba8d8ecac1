// tests/bad_plugins/damage_test.cc: a good plugin's bytes, damaged: always an answer.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "host/examine/read_notes.h"
#include "tests/bad_plugins/test_plugins.h"

namespace opsrun::host {
namespace {

using Kind = FileLook::Kind;

TEST(DamagedPlugin, IsRefusedAtEveryLengthThatItIsCutTo) {
  const std::string bytes = PluginBytes("good");
  ASSERT_EQ(LookAtBytes(bytes, "good").kind, Kind::kPlugin);
  for (size_t n = 4; n < bytes.size(); n += n < 2000 ? 1 : 97) {
    FileLook look = LookAtBytes(bytes.substr(0, n), "good");
    if (look.kind == Kind::kPlugin) continue;  // what follows the segments is not needed
    EXPECT_EQ(look.kind, Kind::kRefused) << n;
    EXPECT_NE(look.refusal.reason.find("truncated"), std::string::npos) << look.refusal.reason;
  }
  EXPECT_EQ(LookAtBytes(bytes.substr(0, bytes.size() / 2), "good").note.ops, std::vector<std::string>{"Good"});
}

// The headers and notes lie at the beginning: most of the damage is done there.
TEST(DamagedPlugin, IsAnAnswerWhateverTheDamage) {
  const std::string good = PluginBytes("good");
  std::mt19937 random(7);
  size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = good;
    size_t reach = random() % 4 == 0 ? bytes.size() : 1500;
    for (size_t i = 0; i <= random() % 8; ++i) bytes[random() % reach] = static_cast<char>(random());
    refused += LookAtBytes(bytes, "good").kind == Kind::kRefused;
  }
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace opsrun::host

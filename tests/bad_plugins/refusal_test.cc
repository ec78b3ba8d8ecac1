// tests/bad_plugins/refusal_test.cc: files that are refused once they are opened leave nothing behind, and a good
// plugin's bytes, damaged, are always an answer. The reasons are in refused.out.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "host/examine/read_notes.h"
#include "tests/bad_plugins/test_plugins.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

void ExpectRefused(const std::string& path) {
  const LoadResult result = LoadFile(path, TestHost());
  EXPECT_TRUE(result.registry.plugins().empty()) << path << " leaves something behind";
  ASSERT_EQ(result.refused.size(), 1u) << path;
  EXPECT_FALSE(result.refused[0].refusal.reason.empty()) << path;
  EXPECT_FALSE(result.refused[0].refusal.remedy.empty()) << path;
}

// good.so with another value in its PLUGIN note.
FileLook LookAtGoodWith(size_t offset, uint32_t value) {
  opsrun_note_plugin unit = OPSRUN_NOTE_PLUGIN_CONTENT;
  std::string bytes = PluginBytes("good");
  size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&unit), offsetof(opsrun_note_plugin, flags)));
  EXPECT_NE(at, std::string::npos);
  bytes.replace(at + offset, sizeof(value), reinterpret_cast<const char*>(&value), sizeof(value));
  return LookAtBytes(bytes, "good");
}

TEST(Refused, OnceTheyAreOpened) {
  for (const char* name :
       {"returns_null", "fails", "fails_wildly", "throws", "throws_anything", "null_compute", "wild_pointer",
        "wild_count", "table_outside", "function_outside", "duplicate_op", "bad_spec", "two_names", "nameless_kernel",
        "needs_absent_library", "undefined_symbol", "no_entry", "entry_is_data", "borrowed_entry"}) {
    EXPECT_EQ(LookAtFile(PluginPath(name)).kind, FileLook::Kind::kPlugin) << "its notes are fine";
    ExpectRefused(PluginPath(name));
  }
}

TEST(Refused, WhatTheirNotesRefuseIsNotOpened) {
  for (const char* name : {"no_plugin_note", "future_major"}) {
    EXPECT_EQ(LookAtFile(PluginPath(name)).kind, FileLook::Kind::kRefused);
    ExpectRefused(PluginPath(name));
  }
}

TEST(Refused, ALevelAboveOursOrAnotherLayoutStillTellsItsOps) {
  for (const size_t field : {offsetof(opsrun_note_plugin, min_level), offsetof(opsrun_note_plugin, fp_call)}) {
    const FileLook look = LookAtGoodWith(field, 7);
    EXPECT_EQ(look.kind, FileLook::Kind::kRefused);
    EXPECT_EQ(look.note.ops, std::vector<std::string>{"Good"});
  }
}

TEST(Refused, WhateverIsNoPluginIfItIsAskedForByName) {
  TempDir dir;
  for (const std::string& path : {dir.Write("text.so", "echo hello\n"), std::string(dir.path())}) {
    EXPECT_EQ(LookAtFile(path).kind, FileLook::Kind::kNotLibrary);
    ExpectRefused(path);
  }
  const std::string library = PluginPath("absent/opsrun_test_absent");
  EXPECT_EQ(LookAtFile(library).kind, FileLook::Kind::kNotOurs);
  ExpectRefused(library);
}

TEST(NotRefused, AKernelForAnOpThatNobodyHas) {
  EXPECT_EQ(LoadFile(PluginPath("orphan_kernel"), TestHost()).refused.size(), 0u);
}

TEST(DamagedPlugin, IsRefusedAtEveryLengthThatItIsCutTo) {
  const std::string bytes = PluginBytes("good");
  ASSERT_EQ(LookAtBytes(bytes, "good").kind, FileLook::Kind::kPlugin);
  for (size_t n = 4; n < bytes.size(); n += n < 2000 ? 1 : 97) {
    FileLook look = LookAtBytes(bytes.substr(0, n), "good");
    if (look.kind == FileLook::Kind::kPlugin) continue;  // what follows the segments is not needed
    EXPECT_EQ(look.kind, FileLook::Kind::kRefused) << n;
    EXPECT_NE(look.refusal.reason.find("truncated"), std::string::npos) << look.refusal.reason;
  }
  EXPECT_EQ(LookAtBytes(bytes.substr(0, bytes.size() / 2), "good").note.ops, std::vector<std::string>{"Good"});
}

// The headers and notes are at the beginning, so most of the damage is done there.
TEST(DamagedPlugin, IsAnAnswerWhateverTheDamage) {
  const std::string good = PluginBytes("good");
  std::mt19937 random(7);
  size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = good;
    size_t reach = random() % 4 == 0 ? bytes.size() : 1500;
    for (size_t i = 0; i <= random() % 8; ++i) bytes[random() % reach] = static_cast<char>(random());
    refused += LookAtBytes(bytes, "good").kind == FileLook::Kind::kRefused;
  }
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace opsrun::host

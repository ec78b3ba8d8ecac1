// tests/bad_plugins/refusal_test.cc: files that are refused once they are opened leave nothing behind. The reasons are
// in refused.out.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>

#include "host/examine/read_notes.h"
#include "tests/bad_plugins/test_plugins.h"

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

TEST(NotRefused, AKernelForAnOpThatNobodyHas) {
  EXPECT_EQ(LoadFile(PluginPath("orphan_kernel"), TestHost()).refused.size(), 0u);
}

}  // namespace
}  // namespace opsrun::host

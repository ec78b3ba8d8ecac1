// tests/bad_plugins/refusal_test.cc: one test a file: the words of its refusal.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>

#include "host/plugin/read_notes.h"
#include "tests/bad_plugins/test_plugins.h"
#include "tests/host/plugin/temp_dir.h"

namespace opsrun::host {
namespace {

// Why the file is refused once it is opened; says so if it is not.
std::string LoadReason(const std::string& name) {
  LoadResult result = LoadFile(PluginPath(name), TestHost());
  EXPECT_TRUE(result.registry.plugins().empty()) << "a refused file leaves nothing behind";
  EXPECT_EQ(LookAtFile(PluginPath(name)).kind, FileLook::Kind::kPlugin) << "its notes are fine";
  if (result.refused.empty()) return "not refused";
  EXPECT_FALSE(result.refused[0].refusal.remedy.empty());
  return result.refused[0].refusal.reason;
}

// Why the file is refused from its notes.
std::string LookReason(const FileLook& look) {
  EXPECT_FALSE(look.refusal.remedy.empty());
  return look.kind == FileLook::Kind::kRefused ? look.refusal.reason : "not refused";
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

TEST(Refused, AFileWithoutAPluginNote) {
  EXPECT_EQ(LookReason(LookAtFile(PluginPath("no_plugin_note"))), "it has notes of opsrun, but no PLUGIN note");
}

TEST(Refused, AFutureMajor) {
  EXPECT_EQ(LookReason(LookAtFile(PluginPath("future_major"))),
            "made for major 2 of the plugin contract, this opsrun speaks major 1");
}

TEST(Refused, ALevelAboveOurs) {
  FileLook look = LookAtGoodWith(offsetof(opsrun_note_plugin, min_level), 7);
  EXPECT_EQ(LookReason(look).substr(0, 48), "needs level 7 of opsrun, this opsrun offers 1 (b");
  EXPECT_EQ(look.note.ops, std::vector<std::string>{"Good"});
}

TEST(Refused, ADifferingFingerprint) {
  FileLook look = LookAtGoodWith(offsetof(opsrun_note_plugin, fp_call), 1);
  EXPECT_EQ(LookReason(look).substr(0, 48), "opsrun_call is laid out differently in it (built");
}

TEST(Refused, AnEntryThatReturnsNothing) {
  EXPECT_EQ(LoadReason("returns_null"), "its entry returned no table and no reason");
}

TEST(Refused, AnEntryThatFails) {
  EXPECT_EQ(LoadReason("fails"), "it refuses to start: no licence file in /etc/acme (FAILED_PRECONDITION)");
}

TEST(Refused, AnEntryThatFailsWithAWildText) {
  EXPECT_EQ(LoadReason("fails_wildly"), "it refuses to start: (its text cannot be read) (INTERNAL)");
}

TEST(Refused, AnEntryThatThrows) {
  EXPECT_EQ(LoadReason("throws"), "its entry threw an exception: no more tables");
  EXPECT_EQ(LoadReason("throws_anything"), "its entry threw an exception of an unknown type");
}

TEST(Refused, AKernelThatCannotCompute) {
  EXPECT_EQ(LoadReason("null_compute"), "kernels[0] of op 'Bad': compute is NULL");
}

TEST(Refused, WildPointersAndCounts) {
  EXPECT_EQ(LoadReason("wild_pointer"), "the table: ops points to memory that cannot be read");
  EXPECT_EQ(LoadReason("wild_count"), "ops[0] 'Bad': n_inputs is 4294967295, opsrun takes 1024 at most");
}

TEST(Refused, ATableOutsideTheFile) {
  EXPECT_EQ(LoadReason("table_outside"), "the table: lies outside this file");
}

TEST(Refused, AFunctionOutsideTheFile) {
  EXPECT_EQ(LoadReason("function_outside"), "kernels[0] of op 'Bad': destroy is not a function of this file");
}

TEST(Refused, AnOpThatIsRegisteredTwice) {
  EXPECT_EQ(LoadReason("duplicate_op"), "it registers op 'Bad' twice");
}

TEST(Refused, ABadSpecStringAndTheGoodOpBesideIt) {
  std::string reason = LoadReason("bad_spec");
  EXPECT_NE(reason.find("tpye"), std::string::npos) << reason;
  EXPECT_NE(reason.find("Bad"), std::string::npos) << reason;
}

TEST(Refused, TwoNames) {
  EXPECT_EQ(LoadReason("two_names"), "its notes call it 'one', its table calls it 'another'");
}

TEST(Refused, AKernelForNoOp) {
  EXPECT_EQ(LoadReason("nameless_kernel"), "kernels[0]: op is empty");
}

TEST(Refused, AMissingLibrary) {
  EXPECT_EQ(LoadReason("needs_absent_library"), "it needs the library opsrun_test_absent.so, which is not found");
}

TEST(Refused, AnUndefinedSymbol) {
  EXPECT_EQ(LoadReason("undefined_symbol"),
            "it uses the symbol opsrun_test_nobody_defines_this, which no library that it is linked with defines");
}

TEST(Refused, AFileWithoutAnEntry) {
  EXPECT_EQ(LoadReason("no_entry"), "it does not export opsrun_plugin_v1");
  EXPECT_EQ(LoadReason("entry_is_data"), "its opsrun_plugin_v1 is not a function");
}

TEST(Refused, AnEntryThatBelongsToALibraryItNeeds) {
  EXPECT_EQ(LoadReason("borrowed_entry"), "it does not export opsrun_plugin_v1");
}

TEST(Refused, WhateverIsNoPluginIfItIsAskedForByName) {
  TempDir dir;
  auto reason = [&](const std::string& path) { return LoadFile(path, TestHost()).refused.at(0).refusal.reason; };
  EXPECT_EQ(reason(dir.Write("text.so", "echo hello\n")), "it is not a plugin: it is not a shared library");
  EXPECT_EQ(reason(dir.path()), "it is not a plugin: it is not a regular file");
  EXPECT_EQ(reason(PluginPath("absent/opsrun_test_absent")), "it is not a plugin: it holds no note of opsrun");
}

TEST(NotRefused, AKernelForAnOpThatNobodyHas) {
  EXPECT_EQ(LoadFile(PluginPath("orphan_kernel"), TestHost()).refused.size(), 0u);
}

}  // namespace
}  // namespace opsrun::host

// tests/bad_plugins/load_test.cc: which files are opened for which ops, and the contents of the registry.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "host/examine/plugin_note.h"
#include "tests/bad_plugins/test_plugins.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

using Kind = OpTrouble::Kind;
using Strings = std::vector<std::string>;

// Two folders with copies of the built plugins.
class LoadTest : public testing::Test {
 protected:
  std::string Put(const std::string& name, const std::string& as) { return dir_.Write(as, PluginBytes(name)); }

  LoadResult Load(const Strings& ops) {
    catalog_ = ReadCatalog({{dir_.File("early"), "--plugins", false}, {dir_.File("late"), "default", false}});
    OpenedFiles files(TestHost());
    return LoadPlugins(catalog_, ops, files);
  }

  // The number of kernels of an op; -1: there is no such op.
  static int Kernels(const LoadResult& result, const char* name) {
    const RegisteredOp* op = result.registry.FindOp(name);
    return op == nullptr ? -1 : static_cast<int>(result.registry.KernelsFor(*op).size());
  }
  static Strings Opened(const LoadResult& result) {
    Strings paths;
    for (const auto& plugin : result.registry.plugins()) paths.push_back(plugin->path);
    return paths;
  }

  TempDir dir_;
  Catalog catalog_;
};

TEST_F(LoadTest, OpensTheFileThatHasTheOpAndNoOther) {
  std::string good = Put("good", "early/good.so");
  Put("missing_op", "early/unwanted.so");
  LoadResult result = Load({"Good", "Good"});
  EXPECT_EQ(Opened(result), Strings{good});
  EXPECT_TRUE(result.trouble.empty());
  const RegisteredOp* op = result.registry.FindOp("Good");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op, result.registry.FindOp("good.Good"));
  EXPECT_EQ(op->def.inputs.at(0).name, "x");
  EXPECT_EQ(op->gradient, "outputs: {x: grad.y}");
  EXPECT_EQ(op->gradient_line, 7u);
  ASSERT_EQ(result.registry.KernelsFor(*op).size(), 1u);
  EXPECT_EQ(result.registry.KernelsFor(*op)[0]->plugin->name, "good");
}

// The file after a change, and the messages about it.
class ChangedFileTest : public LoadTest {
 protected:
  ChangedFileTest() : path_(Put("good", "early/good.so")) { Reload(); }

  std::string Reload() {
    catalog_ = ReadCatalog({{dir_.File("early"), "--plugins", false}});
    const LoadResult result = LoadPlugins(catalog_, {"Good"}, files_);
    std::string said;
    for (const std::string& message : result.messages) said += message;
    return said;
  }
  void ExpectChange(const std::string& how) {
    const std::optional<Refusal> change = files_.Change(path_);
    ASSERT_TRUE(change.has_value());
    EXPECT_EQ(change->reason.find("it was " + how + " after it was loaded ("), 0u) << change->reason;
  }
  void Append(const std::string& bytes) { std::ofstream(path_, std::ios::app | std::ios::binary) << bytes; }

  OpenedFiles files_{TestHost()};
  const std::string path_;
};

TEST_F(ChangedFileTest, WithTheSameContentIsTheSame) {
  std::filesystem::last_write_time(path_, std::filesystem::last_write_time(path_) + std::chrono::hours(1));
  EXPECT_FALSE(files_.Change(path_));
  std::filesystem::remove(path_);
  Put("good", "early/good.so");
  EXPECT_FALSE(files_.Change(path_));
  EXPECT_EQ(Reload(), "");
}

TEST_F(ChangedFileTest, IsReportedIfAnotherOneHasItsName) {
  std::filesystem::rename(path_, path_ + ".old");
  Put("good", "early/good.so");
  Append("rebuilt");
  ExpectChange("replaced");
  const std::optional<Refusal> change = files_.Change(path_);
  EXPECT_EQ(change->remedy, "restart the process to use what is there now");
  EXPECT_EQ(Reload(), path_ + ": " + change->reason + "; " + change->remedy);
}

TEST_F(ChangedFileTest, IsReportedIfItIsRewrittenInPlace) {
  Append("rebuilt");
  ExpectChange("rewritten in place");
  EXPECT_NE(files_.Change(path_)->remedy.find("rename"), std::string::npos);
}

TEST_F(ChangedFileTest, IsReportedIfItIsGone) {
  std::filesystem::remove(path_);
  ExpectChange("removed");
}

TEST_F(LoadTest, TriesAFileAgainThatWasRefusedAndHasChanged) {
  OpenedFiles files(TestHost());
  const std::string path = Put("needs_absent_library", "early/good.so");
  const PluginNote note = LookAtFile(path).note;
  EXPECT_TRUE(files.Open(path, note).refusal);
  EXPECT_TRUE(files.Open(path, note).refusal);
  Put("good", "early/good.so");
  EXPECT_FALSE(files.Open(path, LookAtFile(path).note).refusal);
  EXPECT_FALSE(files.Change(path));
}

TEST_F(LoadTest, OpensKernelsThatLiveElsewhere) {
  Put("good", "late/good.so");
  Put("kernels_alone", "early/kernels.so");
  EXPECT_EQ(Kernels(Load({"Good"}), "Good"), 2);
}

TEST_F(LoadTest, HiddenOpHasItsOwnKernelsAlone) {
  Put("named", "early/named.so");
  Put("good", "late/good.so");
  Put("kernels_alone", "late/kernels.so");
  LoadResult result = Load({"Good", "good.Good"});
  EXPECT_EQ(Kernels(result, "Good"), 2);
  EXPECT_EQ(result.registry.FindOp("Good"), result.registry.FindOp("acme.images.Good"));
  ASSERT_EQ(Kernels(result, "good.Good"), 1);
  EXPECT_EQ(result.registry.KernelsFor(*result.registry.FindOp("good.Good"))[0]->plugin->name, "good");
}

// Whatever graphs find by the mere name, and whatever other ops of that name there are.
TEST_F(LoadTest, AKernelForTheOpOfOnePluginServesThatOpAlone) {
  Put("good", "late/good.so");
  const std::string one = Put("kernel_for_one", "early/one.so");
  EXPECT_EQ(Kernels(Load({"Good"}), "Good"), 2);
  Put("named", "early/named.so");  // hides it
  LoadResult result = Load({"Good", "good.Good"});
  EXPECT_EQ(result.registry.FindOp("Good"), result.registry.FindOp("acme.images.Good"));
  EXPECT_EQ(Kernels(result, "Good"), 1);
  ASSERT_EQ(Kernels(result, "good.Good"), 2);
  const auto& kernels = result.registry.KernelsFor(*result.registry.FindOp("good.Good"));
  EXPECT_EQ(kernels[1]->def.label, "one");
  EXPECT_EQ(kernels[1]->plugin->path, one);
}

TEST_F(LoadTest, KernelsOfAVisibleOpAreNotOpenedForAHiddenOne) {
  Put("named", "early/named.so");
  std::string good = Put("good", "late/good.so");
  Put("kernels_alone", "late/kernels.so");
  EXPECT_EQ(Opened(Load({"good.Good"})), Strings{good});
}

TEST_F(LoadTest, ConflictIsNoneIfTheGraphSaysWhich) {
  Put("good", "early/good.so");
  std::string named = Put("named", "early/named.so");
  LoadResult result = Load({"acme.images.Good", "Other"});
  EXPECT_EQ(Opened(result), Strings{named});
  EXPECT_TRUE(result.trouble.empty());
  EXPECT_GE(Kernels(result, "acme.images.Good"), 0);
  EXPECT_EQ(Kernels(result, "Good"), -1) << "no op has the bare name";
}

// Also if one of the files, the first or the second, is opened for something else.
TEST_F(LoadTest, ConflictStaysOneWhateverIsOpened) {
  for (const bool first : {true, false}) {
    for (const char* opened : {"early/a.so", "early/b.so"}) std::filesystem::remove(dir_.File(opened));
    Put("named", first ? "early/a.so" : "early/b.so");
    Put("good", first ? "early/b.so" : "early/a.so");
    LoadResult result = Load({"Good", "Other"});
    EXPECT_EQ(result.registry.plugins().size(), 1u);
    EXPECT_GE(Kernels(result, "Other"), 0);
    EXPECT_EQ(Kernels(result, "Good"), -1);
    ASSERT_EQ(result.trouble.size(), 1u);
    EXPECT_EQ(result.trouble[0].kind, Kind::kConflict);
    EXPECT_EQ(result.trouble[0].entries.size(), 2u);
  }
}

// Renames the entry, which the notes do not mention: the file exports no entry.
std::string WithoutEntry(std::string plugin) {
  const std::string had = OPSRUN_ENTRY_NAME, has = "opsrun_plugin_vX";
  for (size_t at = plugin.find(had); at != std::string::npos; at = plugin.find(had))
    plugin.replace(at, had.size(), has);
  return plugin;
}

TEST_F(LoadTest, AFileThatCannotBeOpenedIsInConflictWithNothing) {
  const std::string bad = dir_.Write("early/bad.so", WithoutEntry(PluginBytes("named")));
  const std::string good = Put("good", "early/good.so"), same = Put("named", "early/same.so");
  EXPECT_GE(Kernels(Load({"good.Good"}), "good.Good"), 0);
  const LoadResult result = Load({"acme.images.Other"});
  EXPECT_GE(Kernels(result, "acme.images.Other"), 0);
  ASSERT_EQ(result.refused.size(), 1u);
  EXPECT_EQ(catalog_.entries[result.refused[0].entry].path, bad);
  EXPECT_EQ(Load({"Good"}).trouble.at(0).entries.size(), 2u) << "of those that can be opened";
}

TEST_F(LoadTest, AFileThatCannotBeOpenedHidesNothing) {
  dir_.Write("early/good.so", WithoutEntry(PluginBytes("good")));
  const std::string late = Put("good", "late/good.so");
  const LoadResult result = Load({"Good"});
  EXPECT_EQ(Opened(result), Strings{late});
  EXPECT_TRUE(result.trouble.empty());
  EXPECT_EQ(result.refused.size(), 1u);
}

TEST_F(LoadTest, TwoPluginsOfOneNameAreAConflictForWhoNamesThem) {
  std::string a = Put("named", "early/a.so"), b = Put("named", "early/b.so");
  const LoadResult result = Load({"acme.images.Other"});
  ASSERT_EQ(result.trouble.size(), 1u);
  EXPECT_EQ(result.trouble[0].why, a + " and " + b + " both are named 'acme.images'");
  EXPECT_EQ(result.trouble[0].help, "remove or rename all but one of the files");
}

TEST_F(LoadTest, UnknownOpIsUnknown) {
  Put("good", "early/good.so");
  LoadResult result = Load({"Bad", "good.Bad", "nobody.Good", ".", ""});
  ASSERT_EQ(result.trouble.size(), 5u);
  for (const OpTrouble& trouble : result.trouble) EXPECT_EQ(trouble.kind, Kind::kUnknown) << trouble.op;
  EXPECT_TRUE(result.registry.plugins().empty());
  EXPECT_EQ(Load({"Bad", "Bad", "Good", "Bad"}).trouble.size(), 1u) << "an op is missed once";
}

TEST_F(LoadTest, NamesTheFileThatTheNotesRefuse) {
  dir_.Write("early/cut.so", PluginBytes("good").substr(0, 4096));  // the notes are at the beginning
  LoadResult result = Load({"Good", "cut.Good", "other.Good"});
  ASSERT_EQ(result.trouble.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(result.trouble[i].kind, i < 2 ? Kind::kRefused : Kind::kUnknown);
  EXPECT_NE(result.trouble[0].why.find("cut.so has it, but is refused: the file is truncated"), std::string::npos);
  EXPECT_EQ(result.trouble[0].help, "copy it again");
}

TEST_F(LoadTest, OpensUnnotedFilesLastAndOnlyIfSomethingIsMissing) {
  Put("good", "early/good.so");
  Put("unnoted", "early/a_unnoted.so");
  EXPECT_EQ(Load({"Good"}).registry.plugins().size(), 1u);
  LoadResult result = Load({"Late"});
  EXPECT_EQ(result.registry.plugins().size(), 1u);
  EXPECT_GE(Kernels(result, "Late"), 0);
  EXPECT_GE(Kernels(Load({"a_unnoted.Late"}), "a_unnoted.Late"), 0);
}

// If such a file turns out to have the op, other files' kernels for the op are loaded.
TEST_F(LoadTest, OpensKernelsForAnOpOfAnUnnotedFile) {
  Put("unnoted", "early/unnoted.so");
  Put("kernel_of_unnoted", "late/kernel.so");
  LoadResult result = Load({"Late"});
  ASSERT_EQ(Kernels(result, "Late"), 1) << "its own has no note";
  EXPECT_EQ(result.registry.KernelsFor(*result.registry.FindOp("Late"))[0]->def.label, "other");
}

// named.so has the op but no kernel for it.
TEST_F(LoadTest, OpensUnnotedFilesForAKernelThatIsMissing) {
  Put("named", "early/named.so");
  Put("unnoted_kernel", "early/z.so");
  EXPECT_EQ(Kernels(Load({"Other"}), "Other"), 1);
}

// left_out.err has the messages. The notes may list constraints and types in any order.
TEST_F(LoadTest, LeavesOutWhatItCannotUseAndKeepsTheRest) {
  Put("must_understand", "early/m.so");
  Put("forgotten_notes", "early/f.so");
  LoadResult result = Load({"Plain", "Demanding", "Noted", "Stowaway"});
  EXPECT_EQ(Kernels(result, "Plain"), 1);
  ASSERT_EQ(Kernels(result, "Noted"), 1);
  EXPECT_EQ(result.registry.KernelsFor(*result.registry.FindOp("Noted"))[0]->def.constraints.size(), 2u);
  for (const char* op : {"Demanding", "Stowaway"}) EXPECT_EQ(Kernels(result, op), -1) << op;
  Put("kernel_of_others", "early/k.so");
  EXPECT_EQ(Kernels(Load({"Noted"}), "Noted"), 2) << "its own and the one that fits";
}

TEST_F(LoadTest, ShutsPluginsDownInReverseOrder) {
  Put("good", "early/good.so");
  Put("kernels_alone", "early/kernels.so");
  unsetenv("OPSRUN_TEST_SHUTDOWN");
  Registry registry = Load({"Good"}).registry;
  ASSERT_EQ(getenv("OPSRUN_TEST_SHUTDOWN"), nullptr) << "moving a registry shuts nothing down";
  registry = Registry();
  EXPECT_STREQ(getenv("OPSRUN_TEST_SHUTDOWN"), "good") << "the first that was opened is the last to go";
}

TEST_F(LoadTest, LoadFileTakesEverything) {
  LoadResult result = LoadFile(PluginPath("named"), TestHost());
  ASSERT_TRUE(result.refused.empty()) << result.refused[0].refusal.reason;
  EXPECT_EQ(result.registry.Ops().size(), 2u);
  EXPECT_EQ(result.registry.plugins().at(0)->version, "1.4.0");
  EXPECT_NE(result.registry.FindOp("acme.images.Other"), nullptr);
}

// The reasons are in refused.out.
TEST(LoadFile, LeavesNothingBehindOfWhatItRefuses) {
  for (const char* name :
       {"returns_null",     "fails",        "fails_wildly",  "throws",          "throws_anything",
        "null_compute",     "wild_pointer", "wild_count",    "table_outside",   "function_outside",
        "duplicate_op",     "bad_spec",     "two_names",     "nameless_kernel", "needs_absent_library",
        "undefined_symbol", "no_entry",     "entry_is_data", "borrowed_entry",  "no_plugin_note",
        "future_major"}) {
    const LoadResult result = LoadFile(PluginPath(name), TestHost());
    EXPECT_TRUE(result.registry.plugins().empty()) << name;
    EXPECT_EQ(result.refused.size(), 1u) << name;
  }
}

TEST(FailEntry, OutsideAnEntryOnlyReturnsTheCode) {
  EXPECT_TRUE(LoadFile(PluginPath("good"), TestHost()).refused.empty());
  EXPECT_EQ(FailEntry(OPSRUN_ABORTED, {"x", 1}), OPSRUN_ABORTED);
}

}  // namespace
}  // namespace opsrun::host

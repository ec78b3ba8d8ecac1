// tests/host/examine/catalog_test.cc: which files are found, and which hide others.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/catalog.h"

#include "tests/host/examine/fake_elf.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

using Strings = std::vector<std::string>;
using Entries = std::vector<size_t>;

// Two places, "early" and "late", filled by each test.
class CatalogTest : public testing::Test {
 protected:
  std::string Add(const std::string& file, const Strings& ops, const std::string& name = "") {
    const std::string note = name.empty() ? "" : NoteBytes(OPSRUN_NOTE_NAME, name + ";1.0");
    return dir_.Write(file, PluginWith(ops, note).Bytes());
  }
  Catalog Read() {
    return ReadCatalog({{dir_.File("early"), "--plugins", false}, {dir_.File("late"), "default", false}});
  }

  TempDir dir_;
};

TEST_F(CatalogTest, ListsPluginsInOrderOfPlaceAndPath) {
  std::string late = Add("late/a.so", {"A"}), second = Add("early/z.so", {"Z"}), first = Add("early/b.so", {"B"});
  Catalog catalog = Read();
  ASSERT_EQ(catalog.entries.size(), 3u);
  EXPECT_EQ(catalog.entries[0].path, first);
  EXPECT_EQ(catalog.entries[1].path, second);
  EXPECT_EQ(catalog.entries[2].path, late);
  EXPECT_EQ(catalog.OpNames(), (Strings{"A", "B", "Z"}));
  EXPECT_TRUE(catalog.messages.empty());
  EXPECT_TRUE(catalog.conflicts.empty());
}

TEST_F(CatalogTest, PassesOverOtherFilesQuietlyAndListsWhatCannotBeALibrary) {
  Add("early/a.so.1", {"A"});
  Add("early/.hidden.so", {"A"});
  FakeElf library;
  library.notes = NoteBytes(3, "0123", "GNU");
  dir_.Write("early/library.so", library.Bytes());
  Catalog catalog = Read();
  EXPECT_TRUE(catalog.entries.empty());
  EXPECT_TRUE(catalog.messages.empty());
  dir_.Write("early/text.so", "#!/bin/sh\n");
  dir_.Write("early/empty.so", "");
  std::filesystem::create_directory(dir_.File("early/directory.so"));
  catalog = Read();
  ASSERT_EQ(catalog.entries.size(), 3u);
  for (const CatalogEntry& entry : catalog.entries) EXPECT_TRUE(entry.is_unknown()) << entry.path;
  EXPECT_TRUE(catalog.messages.empty());
}

TEST_F(CatalogTest, CountsAFileThatIsReachedTwiceOnce) {
  std::string file = Add("early/a.so", {"A"});
  std::filesystem::create_directory(dir_.File("late"));
  std::filesystem::create_symlink(file, dir_.File("late/link.so"));
  std::filesystem::create_hard_link(file, dir_.File("early/hard.so"));
  Catalog catalog = Read();
  ASSERT_EQ(catalog.entries.size(), 1u);
  EXPECT_EQ(catalog.entries[0].path, file);
  EXPECT_TRUE(catalog.messages.empty());
}

TEST_F(CatalogTest, AnEarlierOpOrPluginHidesALaterOne) {
  const std::string early = Add("early/a.so", {"Shared"}), early_images = Add("early/x.so", {"A"}, "images"),
                    late = Add("late/b.so", {"Shared", "Own"}), late_images = Add("late/y.so", {"B"}, "images");
  const Catalog catalog = Read();
  EXPECT_EQ(catalog.ClaimantsOf("Shared"), Entries{0});
  EXPECT_EQ(catalog.ClaimantsOf("Own"), Entries{2});
  EXPECT_EQ(catalog.entries[3].hidden_by, early_images);
  EXPECT_TRUE(catalog.ClaimantsOf("B").empty());
  EXPECT_EQ(catalog.EntriesNamed("images"), Entries{1});
  EXPECT_EQ(catalog.messages, Strings{"plugin 'images': " + early_images + " hides " + late_images});
  ASSERT_EQ(catalog.hidden_ops.size(), 1u);
  EXPECT_EQ(catalog.hidden_ops.begin()->second, "op 'Shared' of " + early + " hides the one of " + late);
  EXPECT_TRUE(catalog.conflicts.empty());
}

TEST_F(CatalogTest, TwoOfAKindInOnePlaceAreAConflict) {
  Add("early/a.so", {"Same"}, "images");
  Add("early/b.so", {"Same"}, "images");
  Add("late/c.so", {"Same"});
  Catalog catalog = Read();
  ASSERT_EQ(catalog.conflicts.size(), 2u);
  EXPECT_EQ(catalog.conflicts[0].what, "plugin 'images'");
  EXPECT_EQ(catalog.conflicts[1].what, "op 'Same'");
  EXPECT_EQ(catalog.conflicts[1].entries, (Entries{0, 1}));
  EXPECT_EQ(catalog.ClaimantsOf("Same"), (Entries{0, 1}));
  EXPECT_EQ(catalog.hidden_ops.size(), 1u) << "the later place is hidden all the same";
}

TEST_F(CatalogTest, ARefusedFileIsListedAndHidesNothing) {
  FakeElf damaged = PluginWith({"A"});
  damaged.bytes_beyond_the_end = 4096;
  dir_.Write("early/a.so", damaged.Bytes());
  Add("late/a.so", {"A"});
  Catalog catalog = Read();
  ASSERT_EQ(catalog.entries.size(), 2u);
  EXPECT_TRUE(catalog.entries[0].refusal);
  EXPECT_EQ(catalog.ClaimantsOf("A"), Entries{1});
  EXPECT_EQ(catalog.RefusedClaimantsOf("A"), Entries{0});
}

TEST_F(CatalogTest, ReportsOnlyNamedDirectoriesThatAreMissing) {
  std::string file = dir_.Write("file", "");
  Catalog catalog = ReadCatalog({{dir_.File("typo"), "--plugins", true},
                                 {file, "--plugins", true},
                                 {dir_.File("gone"), "OPSRUN_PLUGIN_PATH", false},
                                 {dir_.File("none"), "default", false}});
  ASSERT_EQ(catalog.missing_places.size(), 2u);
  EXPECT_EQ(catalog.missing_places[0].message(),
            "the plugin directory '" + dir_.File("typo") + "' cannot be searched: there is no such directory");
  EXPECT_EQ(catalog.missing_places[1].message(),
            "the plugin directory '" + file + "' cannot be searched: not a directory");
  ASSERT_EQ(catalog.messages.size(), 1u);
  EXPECT_NE(catalog.messages[0].find("OPSRUN_PLUGIN_PATH"), std::string::npos);
}

Strings Directories(const std::vector<SearchedDirectory>& places) {
  Strings directories;
  for (const SearchedDirectory& place : places) directories.push_back(place.directory);
  return directories;
}

TEST(SearchedDirectories, AreSearchedInTheDocumentedOrder) {
  setenv("OPSRUN_PLUGIN_PATH", ":/env/one::relative:", 1);
  setenv("HOME", "/home/ada", 1);
  auto self = std::filesystem::read_symlink("/proc/self/exe");
  std::string bundled = self.parent_path().parent_path() / "lib/opsrun";
  EXPECT_EQ(Directories(SearchedDirectories({"./mine", "/yours"}, true)),
            (Strings{"./mine", "/yours", "/env/one", "relative", "/home/ada/.local/lib/opsrun", "/usr/local/lib/opsrun",
                     "/usr/lib/opsrun", bundled}));
  setenv("OPSRUN_PLUGIN_PATH", "/env/one", 1);
  auto places = SearchedDirectories({"mine"}, false);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_TRUE(places[0].required);
  EXPECT_EQ(places[0].origin, "--plugins");
  unsetenv("OPSRUN_PLUGIN_PATH");
  for (const char* home : {"", "relative"}) {
    setenv("HOME", home, 1);
    for (const std::string& directory : Directories(SearchedDirectories({}, true)))
      EXPECT_EQ(directory[0], '/') << directory;
  }
}

}  // namespace
}  // namespace opsrun::host

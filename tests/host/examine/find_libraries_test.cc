// tests/host/examine/find_libraries_test.cc: where libraries are found, and the linker's cache, whole and damaged.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/find_libraries.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/host/examine/fake_elf.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

std::string CacheBytes(const std::vector<std::pair<std::string, std::string>>& sonames_and_paths) {
  std::string entries, texts;
  const size_t texts_at = 48 + 24 * sonames_and_paths.size();
  const auto text = [&](const std::string& of) {
    const uint32_t at = static_cast<uint32_t>(texts_at + texts.size());
    texts += of + '\0';
    return BytesOf(at);
  };
  for (const auto& [soname, path] : sonames_and_paths) {
    entries += BytesOf(int32_t{0x303}) + text(soname);
    entries += text(path) + BytesOf(uint32_t{0}) + BytesOf(uint64_t{0});
  }
  return "glibc-ld.so.cache1.1" + BytesOf(static_cast<uint32_t>(sonames_and_paths.size())) +
         BytesOf(static_cast<uint32_t>(texts.size())) + std::string(20, '\0') + entries + texts;
}

std::string Program() {
  return std::filesystem::canonical("/proc/self/exe").string();
}

TEST(ReadLinkerCache, KeepsTheOrderOfPathsOfASoname) {
  const std::string bytes =
      CacheBytes({{"liba.so", "/x/liba.so"}, {"libb.so", "/x/libb.so"}, {"liba.so", "/y/liba.so"}});
  const auto cache = ReadLinkerCache(FileBytes(bytes));
  ASSERT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.at("liba.so"), (std::vector<std::string>{"/x/liba.so", "/y/liba.so"}));
  const std::string behind_an_older_one = std::string(100, 'x') + bytes;
  EXPECT_EQ(ReadLinkerCache(FileBytes(behind_an_older_one)), cache);
  EXPECT_TRUE(ReadLinkerCache(FileBytes(CacheBytes({{"liba.so", ""}, {"", "/x/libb.so"}}))).empty());
}

TEST(ReadLinkerCache, TakesWhatIsWholeOfADamagedOne) {
  const std::string bytes = CacheBytes({{"liba.so", "/x/liba.so"}, {"libb.so", "/x/libb.so"}});
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_LE(ReadLinkerCache(FileBytes(bytes.substr(0, n))).size(), 2u);
  std::string wild = bytes;
  std::memset(wild.data() + 20, 0xFF, 8);  // more entries than there are bytes
  EXPECT_EQ(ReadLinkerCache(FileBytes(wild)).size(), 2u);
  EXPECT_TRUE(ReadLinkerCache(FileBytes("no cache")).empty());
}

// One file plays all libraries: what is found is told by its folder.
class LibrarySearchTest : public testing::Test {
 protected:
  LibrarySearchTest() {
    for (const char* folder : {"env", "run", "old", "cached"}) {
      std::filesystem::create_directories(dir_.File(folder));
      std::filesystem::create_symlink(Program(), dir_.File(folder) + "/liba.so");
    }
    dir_.Write("text/liba.so", "no library");
    cache_ = dir_.Write("cache",
                        CacheBytes({{"liba.so", dir_.File("text/liba.so")}, {"liba.so", dir_.File("cached/liba.so")}}));
    user_.runpath = "$ORIGIN/run";
  }

  // The folder in which liba.so is found.
  std::string Found(const std::vector<std::string>& library_path) const {
    const auto path = LibrarySearch(library_path, cache_).Find("liba.so", user_, dir_.File("user.so"));
    return path ? std::filesystem::path(*path).parent_path().filename().string() : "nowhere";
  }

  TempDir dir_;
  std::string cache_;
  LibraryFacts user_;
};

TEST_F(LibrarySearchTest, FollowsTheLinkersOrder) {
  user_.rpath = dir_.File("old");
  EXPECT_EQ(Found({dir_.File("env")}), "env") << "DT_RUNPATH turns DT_RPATH off";
  EXPECT_EQ(Found({dir_.File("absent"), dir_.File("text")}), "run") << "what is no library is passed over";
  user_.runpath.clear();
  EXPECT_EQ(Found({dir_.File("env")}), "old");
  user_.rpath.clear();
  EXPECT_EQ(Found({}), "cached");
  cache_ = dir_.File("no cache");
  EXPECT_EQ(Found({}), "nowhere");
}

TEST_F(LibrarySearchTest, TellsAFileThatCannotBeReadFromOneThatIsNotThere) {
  const LibrarySearch search({dir_.File("absent")}, cache_);
  EXPECT_EQ(search.Find(dir_.File("run/liba.so"), user_, ""), dir_.File("run/liba.so"));
  EXPECT_EQ(search.Find("/absent/liba.so", user_, ""), std::nullopt);
  std::filesystem::create_symlink("libb.so", dir_.File("run/libb.so"));  // leads to itself
  EXPECT_EQ(search.Find("libb.so", user_, dir_.File("user.so")), std::nullopt);
  const auto unreadable = search.FindUnreadable("libb.so", user_, dir_.File("user.so"));
  ASSERT_TRUE(unreadable.has_value());
  EXPECT_EQ(unreadable->path, dir_.File("run/libb.so"));
  EXPECT_EQ(unreadable->error, ELOOP);
  EXPECT_FALSE(search.FindUnreadable("libc_of_nobody.so", user_, dir_.File("user.so")).has_value());
}

TEST(LibrarySearch, KnowsWhatTheProcessHasLoaded) {
  const LibrarySearch search = LibrarySearch::OfThisProcess();
  ASSERT_FALSE(search.loaded().empty());
  const auto libc = search.Find("libc.so.6", {}, "");
  ASSERT_TRUE(libc.has_value());
  EXPECT_EQ(libc->back(), '6');
}

}  // namespace
}  // namespace opsrun::host

// tests/host/examine/judge_library_test.cc: where libraries are found, and the linker's cache, whole and damaged; whose
// symbol it is decides what to do.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/judge_library.h"

#include <cerrno>

#include "host/base/text.h"
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

constexpr size_t kLongest = 303;  // with "..."

// f(B, A<B, B>, A<A<B, B>, A<B, B>>, ...): each type is twice as long as the one before it.
std::string Doubling(int types) {
  std::string name = "_Z1f1B1AIS_S_E";
  for (int i = 1; i < types; ++i) {
    const std::string last = "S" + std::string(1, static_cast<char>(i < 10 ? '0' + i : 'A' + i - 10)) + "_";
    name += "S0_I" + last + last + "E";
  }
  return name;
}

TEST(SymbolText, IsWhatASourceSays) {
  EXPECT_EQ(SymbolText("_ZN4acme4blurEPKfi"), "acme::blur(float const*, int)");
  EXPECT_EQ(SymbolText("_ZTIN10tensorflow8OpKernelE"), "typeinfo for tensorflow::OpKernel");
  // "i" would be the type int.
  for (const char* symbol :
       {"", "blur", "i", "_Z", "_ZN", "_ZN4acme", "_ZN99acmeE", "_ZN4acme4blurE!", "_Z99999999999999999999f"})
    EXPECT_EQ(SymbolText(symbol), symbol);
}

TEST(SymbolText, EndsInDotsIfItIsTooLong) {
  const std::string endless(1 << 20, 'x');
  EXPECT_EQ(SymbolText(endless), endless.substr(0, 300) + "...");
  const std::string long_name = "_ZN4acme400" + std::string(400, 'x') + "Ev";
  EXPECT_EQ(SymbolText(long_name), "acme::" + std::string(294, 'x') + "...");
  std::string umlauts = "x";  // not cut within a character
  for (int i = 0; i < 200; ++i) umlauts += "\xC3\xA4";
  EXPECT_TRUE(IsUtf8(SymbolText(umlauts)));
  EXPECT_EQ(SymbolText(umlauts), umlauts.substr(0, 299) + "...");
  EXPECT_EQ(SymbolText(std::string(1000, '\x80')), "...");
}

// Without a limit, 26 of them take 300 ms and 30 MB, 35 the memory of the machine.
TEST(SymbolText, IsNotWrittenOutIfItGrowsWithoutBound) {
  EXPECT_TRUE(SymbolText(Doubling(8)).starts_with("f(B, A<B, B>, A<A<B, B>, A<B, B>")) << SymbolText(Doubling(8));
  EXPECT_EQ(SymbolText(Doubling(8)).size(), kLongest);
  EXPECT_EQ(SymbolText(Doubling(35)), Doubling(35).substr(0, kLongest - 3) + "...");
  const std::string packs = "_Z1fIJ" + std::string(200, 'i') + "EEv1AIDpS_IDpS_IDpS_IDpT_EEEE";
  EXPECT_EQ(SymbolText(packs), packs);
}

TEST(IsOfNamespace, ComparesWholeNames) {
  for (const char* symbol :
       {"_ZN10tensorflow8OpKernelC2EPNS_20OpKernelConstructionE", "_ZNK10tensorflow6Tensor5shapeEv",
        "_ZTVN10tensorflow8OpKernelE", "_ZGVZN10tensorflow4noneEvE1x"})
    EXPECT_TRUE(IsOfNamespace(symbol, "tensorflow")) << symbol;
  EXPECT_TRUE(IsOfNamespace("_ZN6google8protobuf7MessageD2Ev", "google::protobuf"));
  EXPECT_FALSE(IsOfNamespace("_ZN6google10LogMessage6streamEv", "google::protobuf"));
  for (const char* symbol : {"_ZN12tensorflowxx4noneEv", "_ZN4acme10tensorflow4noneEv", "_ZN10tensorflowE",
                             "_Z4blurPN10tensorflow15OpKernelContextE"})  // the type of a parameter
    EXPECT_FALSE(IsOfNamespace(symbol, "tensorflow")) << symbol;
  for (const char* symbol : {"", "tensorflow", "_Z", "_ZN", "_ZZZZ", "_ZN10tensor",
                             "_ZN99999999999999999999tensorflow1xE", "_ZTV", "_ZNrVKRO", "N10tensorflow1xE"})
    EXPECT_FALSE(IsOfNamespace(symbol, "tensorflow")) << symbol;
}

}  // namespace

}  // namespace opsrun::host

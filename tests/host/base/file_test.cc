// tests/host/base/file_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

// A directory of the test's own, with a few words to say things about it.
class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string name = (fs::temp_directory_path() / "opsrun_file_test_XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~FileTest() override { fs::remove_all(directory_); }

  std::string Path(const std::string& name) const { return (directory_ / name).string(); }
  void Put(const std::string& name, const std::string& text) const { std::ofstream(Path(name)) << text; }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path directory_;
};

using ReadFileTest = FileTest;

TEST_F(ReadFileTest, ReadsTheWholeFile) {
  Put("a", std::string("a\0b\n", 4));
  EXPECT_EQ(*ReadFile(Path("a"), 4), std::string("a\0b\n", 4));
  Put("empty", "");
  EXPECT_EQ(*ReadFile(Path("empty"), 0), "");
}

TEST_F(ReadFileTest, NamesThePathThatIsMissing) {
  Status status = ReadFile(Path("nothing"), 10).status();
  EXPECT_EQ(status.code(), OPSRUN_NOT_FOUND);
  EXPECT_NE(status.message().find(Path("nothing")), std::string::npos) << status.message();
}

TEST_F(ReadFileTest, RefusesAFileOverTheLimit) {
  Put("a", "12345");
  EXPECT_EQ(ReadFile(Path("a"), 4).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
}

TEST_F(ReadFileTest, RefusesDirectoriesAndDevices) {
  EXPECT_EQ(ReadFile(directory_, 10).status().code(), OPSRUN_FAILED_PRECONDITION);
  EXPECT_EQ(ReadFile("/dev/zero", 10).status().code(), OPSRUN_FAILED_PRECONDITION);
}

TEST_F(ReadFileTest, DoesNotWaitForTheOtherEndOfAPipe) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadFile(Path("pipe"), 10).status().code(), OPSRUN_FAILED_PRECONDITION);
}

using ReadFileOrPipeTest = FileTest;

TEST_F(ReadFileOrPipeTest, ReadsAFile) {
  Put("a", "12345");
  EXPECT_EQ(*ReadFileOrPipe(Path("a"), 5), "12345");
  EXPECT_EQ(ReadFileOrPipe(Path("a"), 4).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
}

TEST_F(ReadFileOrPipeTest, WaitsForAWriterThatComesLate) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Put("pipe", std::string(100'000, 'x'));
  });
  EXPECT_EQ(ReadFileOrPipe(Path("pipe"), 1 << 20)->size(), 100'000u);
  writer.join();
}

TEST_F(ReadFileOrPipeTest, ReadsWhatAPipeWithoutANameHolds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  ASSERT_EQ(write(ends[1], "abc", 3), 3);
  close(ends[1]);
  EXPECT_EQ(*ReadFileOrPipe(path, 3), "abc");
  EXPECT_EQ(*ReadFileOrPipe(path, 3), "");  // whose writers are gone
  close(ends[0]);
}

TEST_F(ReadFileOrPipeTest, RefusesWhatIsLargerAndWhatHasNoEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "abcd", 4), 4);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(ReadFileOrPipe(path, 3).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
  close(ends[0]);
  close(ends[1]);
  for (const char* device : {"/dev/zero", "/dev/urandom", "/dev/null"}) {
    EXPECT_EQ(ReadFileOrPipe(device, 10).status().code(), OPSRUN_FAILED_PRECONDITION) << device;
  }
  EXPECT_EQ(ReadFileOrPipe(directory_, 10).status().code(), OPSRUN_FAILED_PRECONDITION);
}

TEST_F(ReadFileTest, ReadsFilesThatGiveNoSize) {
  Result<std::string> read = ReadFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_NE(read->find("Name:"), std::string::npos);
  EXPECT_EQ(ReadFile("/proc/self/status", 10).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
}

TEST_F(ReadFileTest, RefusesAPathThatTheSystemWouldCut) {
  Put("a", "x");
  EXPECT_EQ(ReadFile(Path("a") + std::string("\0b", 2), 10).status().code(), OPSRUN_INVALID_ARGUMENT);
}

TEST(OwnFile, IsTheProgramThatRuns) {
  EXPECT_EQ(OwnFile(), std::filesystem::read_symlink("/proc/self/exe"));
}

TEST(FileOfMapping, IsThePathBehindTheColumns) {
  const std::string line = "7f00-7f80 r-xp 00001000 08:02 1234                 /opt/a b/lib.so";
  EXPECT_EQ(FileOfMapping(line, 0x7f00), "/opt/a b/lib.so");
  EXPECT_EQ(FileOfMapping(line, 0x7f7f), "/opt/a b/lib.so");
  EXPECT_EQ(FileOfMapping(line, 0x7f80), "");
  EXPECT_EQ(FileOfMapping(line, 0x7eff), "");
}

TEST(AboveOwnFolder, IsTheFolderThatManyLevelsAbove) {
  const std::filesystem::path folder = OwnFile().parent_path();
  EXPECT_EQ(AboveOwnFolder(0), folder);
  EXPECT_EQ(AboveOwnFolder(1), folder.parent_path());
  EXPECT_EQ(AboveOwnFolder(1000), "/");
}

TEST(FileOfMapping, IsEmptyForMemoryOfNoFile) {
  for (const char* line : {"10-20 rw-p 00000000 00:00 0 ", "10-20 rw-p 00000000 00:00 0 [heap]", "10", "", "x-20"})
    EXPECT_EQ(FileOfMapping(line, 0x10), "") << line;
}

}  // namespace

}  // namespace opsrun::host

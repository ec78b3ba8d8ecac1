// SPDX-License-Identifier: Apache-2.0
#include "host/base/file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/host/base/in_folder.h"

namespace opsrun::host {
namespace {

using ReadFileTest = InFolder;

TEST_F(ReadFileTest, ReadsTheWholeFileAlsoIfItGivesNoSize) {
  Put("a", std::string("a\0b\n", 4));
  EXPECT_EQ(*ReadFile(Path("a"), 4), std::string("a\0b\n", 4));
  Put("empty", "");
  EXPECT_EQ(*ReadFile(Path("empty"), 0), "");
  Result<std::string> read = ReadFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_NE(read->find("Name:"), std::string::npos);
  EXPECT_EQ(ReadFile("/proc/self/status", 10).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
}

TEST_F(ReadFileTest, RefusesWhatIsMissingTooLargeOrNoRegularFile) {
  const Status status = ReadFile(Path("nothing"), 10).status();
  EXPECT_EQ(status.code(), OPSRUN_NOT_FOUND);
  EXPECT_NE(status.message().find(Path("nothing")), std::string::npos) << status.message();
  Put("a", "12345");
  EXPECT_EQ(ReadFile(Path("a"), 4).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
  EXPECT_EQ(ReadFile(Path("a") + std::string("\0b", 2), 10).status().code(), OPSRUN_INVALID_ARGUMENT)
      << "the system would cut the path";
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder_.path(), std::string("/dev/zero"), Path("pipe")})  // without waiting
    EXPECT_EQ(ReadFile(path, 10).status().code(), OPSRUN_FAILED_PRECONDITION) << path;
}

using ReadFileOrPipeTest = InFolder;

TEST_F(ReadFileOrPipeTest, WaitsForAWriterThatComesLate) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Put("pipe", std::string(100'000, 'x'));
  });
  EXPECT_EQ(ReadFileOrPipe(Path("pipe"), 1 << 20)->size(), 100'000u);
  writer.join();
}

TEST_F(ReadFileOrPipeTest, ReadsAFileOrWhatAPipeWithoutANameHolds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  ASSERT_EQ(write(ends[1], "abc", 3), 3);
  close(ends[1]);
  EXPECT_EQ(*ReadFileOrPipe(path, 3), "abc");
  EXPECT_EQ(*ReadFileOrPipe(path, 3), "");  // whose writers are gone
  close(ends[0]);
  Put("a", "12345");
  EXPECT_EQ(*ReadFileOrPipe(Path("a"), 5), "12345");
  EXPECT_EQ(ReadFileOrPipe(Path("a"), 4).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
}

TEST_F(ReadFileOrPipeTest, RefusesWhatIsLargerAndWhatHasNoEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "abcd", 4), 4);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(ReadFileOrPipe(path, 3).status().code(), OPSRUN_RESOURCE_EXHAUSTED);
  close(ends[0]);
  close(ends[1]);
  for (const char* endless : {"/dev/zero", "/dev/urandom", "/dev/null", folder_.path().c_str()})
    EXPECT_EQ(ReadFileOrPipe(endless, 10).status().code(), OPSRUN_FAILED_PRECONDITION) << endless;
}

TEST(FileOfMapping, IsThePathBehindTheColumnsIfThereIsOne) {
  const std::string line = "7f00-7f80 r-xp 00001000 08:02 1234                 /opt/a b/lib.so";
  for (const uintptr_t inside : {0x7f00, 0x7f7f}) EXPECT_EQ(FileOfMapping(line, inside), "/opt/a b/lib.so");
  for (const uintptr_t outside : {0x7f80, 0x7eff}) EXPECT_EQ(FileOfMapping(line, outside), "");
  for (const char* line : {"10-20 rw-p 00000000 00:00 0 ", "10-20 rw-p 00000000 00:00 0 [heap]", "10", "", "x-20"})
    EXPECT_EQ(FileOfMapping(line, 0x10), "") << line;
}

TEST(OwnFile, IsTheProgramThatRunsInAFolderOfFolders) {
  EXPECT_EQ(OwnFile(), std::filesystem::read_symlink("/proc/self/exe"));
  const std::filesystem::path folder = OwnFile().parent_path();
  EXPECT_EQ(AboveOwnFolder(0), folder);
  EXPECT_EQ(AboveOwnFolder(1), folder.parent_path());
  EXPECT_EQ(AboveOwnFolder(1000), "/");
}

}  // namespace
}  // namespace opsrun::host

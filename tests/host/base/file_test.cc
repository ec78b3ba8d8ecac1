// SPDX-License-Identifier: Apache-2.0
#include "host/base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tests/host/examine/temp_dir.h"

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

namespace fs = std::filesystem;

Status WriteAll(const std::string& path, const std::string& text) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file.ok()) return file.status();
  if (Status status = file->Write(text.data(), text.size()); !status.ok()) return status;
  return file->Commit();
}

using AtomicFileTest = InFolder;

TEST_F(AtomicFileTest, AppearsOnlyWithCommit) {
  {
    Result<AtomicFile> file = AtomicFile::Create(Path("out"));
    ASSERT_TRUE(file.ok() && file->Write("old", 3).ok());
    AtomicFile moved = *std::move(file);
    ASSERT_TRUE(moved.Write("er", 2).ok() && moved.End().ok());
    EXPECT_EQ(FilesThere(), 0u);
    ASSERT_TRUE(moved.Commit().ok());
    EXPECT_EQ(Get("out"), "older");
    EXPECT_EQ(FilesThere(), 1u);
  }
  {
    Result<AtomicFile> file = AtomicFile::Create(Path("out"));
    ASSERT_TRUE(file.ok() && file->Write("new", 3).ok());
    EXPECT_EQ(Get("out"), "older");
  }
  EXPECT_EQ(Get("out"), "older");
  EXPECT_EQ(FilesThere(), 1u);
}

TEST_F(AtomicFileTest, CollectsSmallWritesAtAnyPlace) {
  for (const size_t large : {size_t{10}, size_t{100'000}}) {
    std::string expected = "0123456789" + std::string(large, 'x') + "end";
    Result<AtomicFile> file = AtomicFile::Create(Path("out"));
    ASSERT_TRUE(file.ok());
    for (size_t i = 0; i < 10; ++i) ASSERT_TRUE(file->WriteAt(i, &expected[i], 1).ok());
    ASSERT_TRUE(file->WriteAt(10, &expected[10], large).ok());
    ASSERT_TRUE(file->WriteAt(10 + large, "end", 3).ok());
    ASSERT_TRUE(file->WriteAt(2, "back", 4).ok());  // as the writer of an archive does
    expected.replace(2, 4, "back");
    EXPECT_EQ(file->size(), expected.size());
    ASSERT_TRUE(file->Commit().ok());
    EXPECT_EQ(Get("out"), expected);
  }
}

TEST_F(AtomicFileTest, HasTheModeOfTheFileBeforeItOrTheOneThatTheUserWants) {
  Put("out", "old");
  fs::permissions(Path("out"), fs::perms(0640));
  ASSERT_TRUE(WriteAll(Path("out"), "new").ok());
  EXPECT_EQ(fs::status(Path("out")).permissions(), fs::perms(0640));
  EXPECT_EQ(Get("out"), "new");
  const mode_t wanted = umask(0);
  umask(wanted);
  ASSERT_TRUE(WriteAll(Path("fresh"), "new").ok());
  EXPECT_EQ(fs::status(Path("fresh")).permissions(), fs::perms(0666 & ~wanted));
}

TEST_F(AtomicFileTest, ReplacesWhatALinkLeadsToUnlessThatIsACircle) {
  fs::create_directory(Path("data"));
  fs::create_symlink("data/real", Path("link"));
  ASSERT_TRUE(WriteAll(Path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Get("data/real"), "new");
  fs::create_symlink("b", Path("a"));
  fs::create_symlink("a", Path("b"));
  EXPECT_FALSE(WriteAll(Path("a"), "x").ok());
}

TEST_F(AtomicFileTest, RefusesWhatIsNoRegularFileOrInNoDirectory) {
  const Status status = WriteAll(Path("no/out"), "x");
  EXPECT_EQ(status.code(), OPSRUN_NOT_FOUND);
  EXPECT_NE(status.message().find("there is no directory '" + Path("no") + "'"), std::string::npos) << status.message();
  EXPECT_EQ(WriteAll(folder_.path(), "x").code(), OPSRUN_FAILED_PRECONDITION);
  ASSERT_EQ(mknod(Path("socket").c_str(), S_IFSOCK | 0600, 0), 0);
  EXPECT_EQ(WriteAll(Path("socket"), "x").code(), OPSRUN_FAILED_PRECONDITION);
  EXPECT_FALSE(WriteAll("", "x").ok());
  Put("file", "x");
  EXPECT_EQ(WriteAll(Path("file/out"), "x").code(), OPSRUN_NOT_FOUND);
}

TEST_F(AtomicFileTest, ManyAreWrittenTogether) {
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit low = {300, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<AtomicFile> files;
  for (int i = 0; i < 1000; ++i) {
    Result<AtomicFile> file = AtomicFile::Create(Path(std::to_string(i)));
    ASSERT_TRUE(file.ok()) << file.status().message();
    ASSERT_TRUE(file->End().ok());
    files.push_back(*std::move(file));
  }
  setrlimit(RLIMIT_NOFILE, &limit);
  for (AtomicFile& file : files) EXPECT_TRUE(file.Commit().ok());
  EXPECT_EQ(FilesThere(), 1000u);
}

TEST_F(AtomicFileTest, WritesToAnOpenPipeWithCommit) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  char byte = 0;
  Result<AtomicFile> file = AtomicFile::Create("/dev/fd/" + std::to_string(ends[1]));
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_TRUE(file->WriteAt(2, "xt", 2).ok() && file->WriteAt(0, "te", 2).ok() && file->End().ok());
  EXPECT_LT(read(ends[0], &byte, 1), 0);
  ASSERT_TRUE(file->Commit().ok());
  char text[5] = {};
  EXPECT_EQ(read(ends[0], text, 4), 4);
  EXPECT_STREQ(text, "text");
  EXPECT_FALSE(AtomicFile::Create("/dev/fd/" + std::to_string(ends[0])).ok()) << "it can only be read";
  close(ends[0]);
  close(ends[1]);
}

TEST_F(AtomicFileTest, GoesOnWhereAnOpenFileIs) {
  const int open_file = open(Path("out").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(write(open_file, "before ", 7), 7);
  EXPECT_TRUE(WriteAll("/proc/self/fd/" + std::to_string(open_file), "after").ok());
  EXPECT_EQ(Get("out"), "before after");
  close(open_file);
}

TEST_F(AtomicFileTest, WritesToDevicesAndToANamedPipeThatSomebodyReads) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(WriteAll(Path("pipe"), "x").code(), OPSRUN_FAILED_PRECONDITION) << "nobody reads it";
  const int reader = open(Path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(WriteAll(Path("pipe"), "x").ok());
  char byte = 0;
  EXPECT_EQ(read(reader, &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  close(reader);
  EXPECT_TRUE(WriteAll("/dev/null", "x").ok());
  EXPECT_EQ(WriteAll("/dev/full", "x").code(), OPSRUN_RESOURCE_EXHAUSTED);
}

// Root may write everywhere, so the child becomes somebody else.
[[noreturn]] void WriteAsNobody(const std::string& path) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && setuid(kNobody) != 0) _exit(99);
  _exit(AtomicFile::Create(path).status().code());
}

TEST_F(AtomicFileTest, RefusesAFileOrADirectoryThatIsReadOnly) {
  Put("out", "old");
  fs::permissions(Path("out"), fs::perms(0444));
  fs::permissions(folder_.path(), fs::perms(0777));
  EXPECT_EXIT(WriteAsNobody(Path("out")), ::testing::ExitedWithCode(OPSRUN_PERMISSION_DENIED), "");
  EXPECT_EQ(Get("out"), "old");
  fs::permissions(folder_.path(), fs::perms(0555));
  EXPECT_EXIT(WriteAsNobody(Path("fresh")), ::testing::ExitedWithCode(OPSRUN_PERMISSION_DENIED), "");
  fs::permissions(folder_.path(), fs::perms(0755));
}

// A limit on the size of files stands for a full disk; it holds for the whole process, hence the child.
[[noreturn]] void WriteBeyondTheLimit(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {1000, 1000};
  setrlimit(RLIMIT_FSIZE, &limit);
  int code = OPSRUN_OK;
  {
    const std::string text(5000, 'x');
    Result<AtomicFile> file = AtomicFile::Create(path);
    if (file.ok() && file->Write(text.data(), text.size()).ok()) code = file->End().code();
  }
  _exit(code);
}

TEST_F(AtomicFileTest, LeavesTheOldFileWhenThereIsNoRoom) {
  Put("out", "old");
  EXPECT_EXIT(WriteBeyondTheLimit(Path("out")), ::testing::ExitedWithCode(OPSRUN_RESOURCE_EXHAUSTED), "");
  EXPECT_EQ(Get("out"), "old");
  EXPECT_EQ(FilesThere(), 1u);
}

TEST_F(AtomicFileTest, IdentityIsOneHoweverTheFileIsNamed) {
  fs::create_directory(Path("folder"));
  fs::create_directory_symlink(Path("folder"), Path("link"));
  fs::create_symlink("folder/new", Path("leads_to_new"));
  const std::string expected = FileIdentity(Path("folder/new"));
  EXPECT_EQ(FileIdentity(Path("folder/../folder/./new")), expected);
  EXPECT_EQ(FileIdentity(Path("link/new")), expected);
  EXPECT_EQ(FileIdentity(Path("leads_to_new")), expected) << "also before the file is there";
  Put("folder/new", "text");
  EXPECT_EQ(FileIdentity(Path("folder/new")), expected);
  EXPECT_EQ(FileIdentity(Path("leads_to_new")), expected);
  EXPECT_NE(FileIdentity(Path("new")), expected);
  EXPECT_EQ(FileIdentity("some_file"), (fs::current_path() / "some_file").string()) << "it is absolute";
}

}  // namespace

}  // namespace opsrun::host

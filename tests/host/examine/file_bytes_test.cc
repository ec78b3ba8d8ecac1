// tests/host/examine/file_bytes_test.cc: bytes of a file, up to its end and not beyond, also if it becomes shorter.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/file_bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

// Of more than the bytes that are read at once; the first and the last ones are letters.
std::string Content() {
  return "begin" + std::string(10'000, '\0') + "end";
}

// The same bytes in memory or in a file, of which only `left` are left when they are read.
class FileBytesTest : public testing::TestWithParam<bool> {
 protected:
  ~FileBytesTest() override {
    if (fd_ >= 0) close(fd_);
  }
  FileBytes Bytes(const std::string& content) {
    content_ = content;
    if (!GetParam()) return FileBytes(content_);
    fd_ = open(dir_.Write("file", content_).c_str(), O_RDONLY | O_CLOEXEC);
    return FileBytes(fd_, content_.size());
  }

 private:
  TempDir dir_;
  std::string content_;
  int fd_ = -1;
};

TEST_P(FileBytesTest, AreReadUpToTheEnd) {
  const std::string content = Content();
  const FileBytes bytes = Bytes(content);
  std::string read;
  for (const uint64_t at : {uint64_t{0}, uint64_t{1}, uint64_t{4090}, uint64_t{4096}, content.size() - 3}) {
    ASSERT_TRUE(bytes.Read(at, content.size() - at, &read)) << at;
    EXPECT_EQ(read, content.substr(at)) << at;
    ASSERT_TRUE(bytes.Read(at, 3, &read)) << at;
    EXPECT_EQ(read, content.substr(at, 3)) << at;
    EXPECT_FALSE(bytes.Read(at, content.size() - at + 1, &read)) << at;
  }
  EXPECT_TRUE(bytes.Read(content.size(), 0, &read));
  EXPECT_FALSE(bytes.Read(content.size() + 1, 0, &read));
  EXPECT_FALSE(bytes.Read(1, UINT64_MAX, &read));
}

TEST_P(FileBytesTest, TextsEndWithANul) {
  const FileBytes bytes = Bytes(Content());
  EXPECT_EQ(bytes.ReadText(0, 6), "begin");
  EXPECT_EQ(bytes.ReadText(0, 5), "") << "its NUL is too far away";
  EXPECT_EQ(bytes.ReadText(2, 100), "gin");
  EXPECT_EQ(bytes.ReadText(10'005, 100), "") << "the file ends first";
  EXPECT_EQ(bytes.ReadText(10'008, 100), "");
}

// As a disk that fails does it, and unlike a file that ends.
TEST(FileBytes, RememberThatTheSystemDidNotReadThem) {
  TempDir dir;
  const int fd = open(dir.Write("file", Content()).c_str(), O_WRONLY | O_CLOEXEC);
  const FileBytes bytes(fd, 100);
  std::string read;
  EXPECT_FALSE(bytes.Read(0, 100, &read));
  EXPECT_EQ(bytes.error(), EBADF);
  close(fd);
  EXPECT_EQ(FileBytes("memory").error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, FileBytesTest, testing::Bool());

TEST(FileBytes, OfAFileThatBecameShorterAreNotThere) {
  TempDir dir;
  const int fd = open(dir.Write("file", Content()).c_str(), O_RDWR | O_CLOEXEC);
  const FileBytes bytes(fd, Content().size());
  ASSERT_EQ(ftruncate(fd, 6000), 0);
  const FileBytes too_late(fd, Content().size());
  std::string read;
  EXPECT_TRUE(bytes.Read(0, 6000, &read));
  EXPECT_FALSE(bytes.Read(0, 6001, &read));
  ASSERT_EQ(ftruncate(fd, 2), 0);
  EXPECT_FALSE(bytes.Read(5000, 10, &read));
  EXPECT_TRUE(too_late.Read(0, 5, &read)) << "the first bytes were read at once";
  const FileBytes short_now(fd, Content().size());
  EXPECT_TRUE(short_now.Read(0, 2, &read));
  EXPECT_FALSE(short_now.Read(0, 3, &read));
  close(fd);
}

}  // namespace
}  // namespace opsrun::host

// tests/host/base/own_file_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/own_file.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

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

// compat/tests/tensorflow/files_test.cc: files and directories of this machine, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {
namespace {

struct FileSystemTest : testing::Test {
  FileSystemTest() {
    char name[] = "/tmp/opsrun_fs_XXXXXX";
    root = mkdtemp(name);
    TF_CHECK_OK(WriteStringToFile(env, root + "/a", "twelve bytes"));
  }
  ~FileSystemTest() override {
    int64_t files = 0, dirs = 0;
    env->DeleteRecursively(root, &files, &dirs).IgnoreError();
  }

  Env* const env = Env::Default();
  std::string root;
};

TEST_F(FileSystemTest, ReadsAtAnyPlace) {
  TF_CHECK_OK(WriteStringToFile(env, root + "/a", "0123456789"));
  std::unique_ptr<RandomAccessFile> file;
  TF_CHECK_OK(env->NewRandomAccessFile(root + "/a", &file));
  char scratch[8];
  StringPiece read;
  TF_CHECK_OK(file->Read(3, 4, &read, scratch));
  EXPECT_EQ(read, "3456");
  EXPECT_EQ(file->Read(8, 4, &read, scratch).code(), error::OUT_OF_RANGE);
  EXPECT_EQ(read, "89");
}

TEST_F(FileSystemTest, SaysWhatIsWrongWithAFile) {
  std::unique_ptr<RandomAccessFile> file;
  EXPECT_EQ(env->NewRandomAccessFile(root + "/none", &file).code(), error::NOT_FOUND);
  EXPECT_EQ(env->FileExists(root + "/none").code(), error::NOT_FOUND);
  EXPECT_TRUE(env->IsDirectory(root).ok());
}

TEST_F(FileSystemTest, FindsFiles) {
  for (const char* name : {"b.txt", "a.txt", "c.md"}) TF_CHECK_OK(WriteStringToFile(env, root + "/" + name, ""));
  std::vector<std::string> found;
  FileSystem* const files = env;
  TF_CHECK_OK(files->GetMatchingPaths(root + "/*.txt", &found));
  EXPECT_EQ(found, (std::vector<std::string>{root + "/a.txt", root + "/b.txt"}));
  TF_CHECK_OK(files->GetMatchingPaths(root + "/*.none", &found));
  EXPECT_TRUE(found.empty());
}

TEST_F(FileSystemTest, FoldersAreMade) {
  TF_CHECK_OK(env->CreateDir(root + "/c"));
  EXPECT_EQ(env->CreateDir(root + "/c").code(), error::ALREADY_EXISTS);
  TF_CHECK_OK(env->RecursivelyCreateDir(root + "/c/b"));
  TF_CHECK_OK(env->RecursivelyCreateDir(root + "/c/b"));
  std::vector<std::string> names;
  TF_CHECK_OK(env->GetChildren(root + "/c", &names));
  EXPECT_EQ(names, std::vector<std::string>{"b"});
  EXPECT_EQ(env->GetChildren(root + "/none", &names).code(), error::NOT_FOUND);
}

TEST_F(FileSystemTest, FilesAreWrittenRenamedAndMeasured) {
  TF_CHECK_OK(env->RecursivelyCreateDir(root + "/c/b"));
  std::unique_ptr<WritableFile> file;
  TF_CHECK_OK(env->NewWritableFile(root + "/c/b/file", &file));
  TF_CHECK_OK(file->Append("text"));
  TF_CHECK_OK(file->Flush());
  TF_CHECK_OK(file->Sync());
  FileStatistics statistics;
  TF_CHECK_OK(env->Stat(root + "/c/b/file", &statistics));
  EXPECT_EQ(statistics.length, 4);
  EXPECT_FALSE(statistics.is_directory);
  EXPECT_GT(statistics.mtime_nsec, 1000000000000000000);
  TF_CHECK_OK(file->Close());
  TF_CHECK_OK(env->RenameFile(root + "/c/b/file", root + "/c/b/renamed"));
  std::vector<Status> found;
  EXPECT_FALSE(env->FilesExist({root + "/c/b/renamed", root + "/c/b/file"}, &found));
  EXPECT_TRUE(found[0].ok());
  EXPECT_FALSE(found[1].ok());
  std::unique_ptr<RandomAccessFile> read;
  TF_CHECK_OK(env->NewRandomAccessFile(root + "/c/b/renamed", &read));
  StringPiece name;
  TF_CHECK_OK(read->Name(&name));
  EXPECT_EQ(name, root + "/c/b/renamed");
  EXPECT_FALSE(env->DeleteDir(root + "/c/b").ok());
  TF_CHECK_OK(env->DeleteFile(root + "/c/b/renamed"));
  TF_CHECK_OK(env->DeleteDir(root + "/c/b"));
}

TEST_F(FileSystemTest, CopiesFiles) {
  TF_CHECK_OK(env->CopyFile(root + "/a", root + "/b"));
  std::string text;
  TF_CHECK_OK(ReadFileToString(env, root + "/b", &text));
  EXPECT_EQ(text, "twelve bytes");
  TF_CHECK_OK(WriteStringToFile(env, root + "/empty", ""));
  TF_CHECK_OK(env->CopyFile(root + "/empty", root + "/b"));
  TF_CHECK_OK(ReadFileToString(env, root + "/b", &text));
  EXPECT_EQ(text, "");
  EXPECT_TRUE(errors::IsNotFound(env->CopyFile(root + "/none", root + "/b")));
  EXPECT_TRUE(errors::IsInvalidArgument(env->CopyFile(root + "/a", root + "/a")));
  TF_CHECK_OK(ReadFileToString(env, root + "/a", &text));
  EXPECT_EQ(text, "twelve bytes");
  TF_CHECK_OK(WriteStringToFile(env, root + "/long", std::string(200000, 'x')));
  TF_CHECK_OK(env->CopyFile(root + "/long", root + "/b"));
  TF_CHECK_OK(ReadFileToString(env, root + "/b", &text));
  EXPECT_EQ(text, std::string(200000, 'x'));
}

TEST_F(FileSystemTest, MapsFiles) {
  std::unique_ptr<ReadOnlyMemoryRegion> region;
  TF_CHECK_OK(env->NewReadOnlyMemoryRegionFromFile(root + "/a", &region));
  EXPECT_EQ(StringPiece(static_cast<const char*>(region->data()), region->length()), "twelve bytes");
  EXPECT_TRUE(errors::IsNotFound(env->NewReadOnlyMemoryRegionFromFile(root + "/none", &region)));
}

TEST_F(FileSystemTest, TellsThePlaceInAFile) {
  FileSystem* files = nullptr;
  TF_CHECK_OK(env->GetFileSystemForFile(root + "/a", &files));
  std::unique_ptr<WritableFile> file;
  TF_CHECK_OK(files->NewAppendableFile(root + "/a", &file));
  TF_CHECK_OK(file->Append("++"));
  int64_t position = 0;
  TF_CHECK_OK(file->Tell(&position));
  EXPECT_EQ(position, 14);
  StringPiece name;
  TF_CHECK_OK(file->Name(&name));
  EXPECT_EQ(name, root + "/a");
  TF_CHECK_OK(file->Close());
  uint64 size = 0;
  TF_CHECK_OK(env->GetFileSize(root + "/a", &size));
  EXPECT_EQ(size, 14u);
}

TEST_F(FileSystemTest, DeletesAllThatIsInAFolder) {
  TF_CHECK_OK(env->RecursivelyCreateDir(root + "/c/d"));
  TF_CHECK_OK(WriteStringToFile(env, root + "/c/d/e", "x"));
  ASSERT_EQ(symlink((root + "/a").c_str(), (root + "/c/link").c_str()), 0);
  int64_t files = 1, dirs = 1;
  TF_CHECK_OK(env->DeleteRecursively(root + "/c", &files, &dirs));
  EXPECT_EQ(files + dirs, 0);
  EXPECT_FALSE(env->FileExists(root + "/c").ok());
  EXPECT_TRUE(env->FileExists(root + "/a").ok());
  EXPECT_TRUE(errors::IsNotFound(env->DeleteRecursively(root + "/c", &files, &dirs)));
  EXPECT_EQ(dirs, 1);
}

TEST_F(FileSystemTest, MatchesPatterns) {
  EXPECT_TRUE(env->MatchPath("/a/b.txt", "/a/*.t?t"));
  EXPECT_FALSE(env->MatchPath("/a/b.txt", "*.md"));
}

TEST_F(FileSystemTest, MakesNames) {
  std::string name, prefix = root + "/new_";
  EXPECT_TRUE(env->LocalTempFilename(&name));
  EXPECT_FALSE(env->FileExists(name).ok());
  EXPECT_TRUE(env->CreateUniqueFileName(&prefix, ".txt"));
  EXPECT_TRUE(env->MatchPath(prefix, root + "/new_*.txt"));
}

TEST_F(FileSystemTest, KeepsMessages) {
  TensorShapeProto shape, read;
  shape.add_dim()->set_size(7);
  TF_CHECK_OK(WriteBinaryProto(env, root + "/shape", shape));
  TF_CHECK_OK(ReadBinaryProto(env, root + "/shape", &read));
  EXPECT_EQ(read.dim(0).size(), 7);
  EXPECT_TRUE(errors::IsDataLoss(ReadBinaryProto(env, root + "/a", &read)));
}

}  // namespace
}  // namespace tensorflow

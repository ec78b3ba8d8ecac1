// compat/tests/tensorflow/file_system_test.cc: files that are copied, mapped, matched and deleted, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/platform/file_system.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "tensorflow/core/framework/tensor_shape.pb.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/file_statistics.h"

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
  FileStatistics statistics;
  TF_CHECK_OK(files->Stat(root + "/a", &statistics));
  EXPECT_EQ(statistics.length, 14);
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

TEST_F(FileSystemTest, NamesTheProcessAndItsThreads) {
  EXPECT_EQ(env->GetProcessId(), getpid());
  int32 other = 0;
  const int32 own = env->GetCurrentThreadId();
  delete env->StartThread(ThreadOptions(), "other", [&] { other = env->GetCurrentThreadId(); });
  EXPECT_NE(own, other);
  std::string name;
  EXPECT_TRUE(env->GetCurrentThreadName(&name));
  EXPECT_EQ(env->GetExecutablePath().front(), '/');
}

TEST_F(FileSystemTest, KeepsMessages) {
  TensorShapeProto shape, read;
  shape.add_dim()->set_size(7);
  TF_CHECK_OK(WriteBinaryProto(env, root + "/shape", shape));
  TF_CHECK_OK(ReadBinaryProto(env, root + "/shape", &read));
  EXPECT_EQ(read.dim(0).size(), 7);
  EXPECT_TRUE(errors::IsDataLoss(ReadBinaryProto(env, root + "/a", &read)));
}

TEST(CompatEnvironment, Changes) {
  EXPECT_EQ(tensorflow::setenv("OPSRUN_COMPAT_SET", "yes", 1), 0);
  EXPECT_STREQ(getenv("OPSRUN_COMPAT_SET"), "yes");
  EXPECT_EQ(tensorflow::unsetenv("OPSRUN_COMPAT_SET"), 0);
  EXPECT_EQ(getenv("OPSRUN_COMPAT_SET"), nullptr);
}

}  // namespace
}  // namespace tensorflow

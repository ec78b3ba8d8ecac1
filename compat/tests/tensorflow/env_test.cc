// compat/tests/tensorflow/env_test.cc: files, threads and clocks, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/platform/env.h"

#include <gtest/gtest.h>

#include "tensorflow/core/lib/core/blocking_counter.h"
#include "tensorflow/core/lib/core/notification.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {
namespace {

// A folder of its own, which it removes.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/opsrun_env_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() {
    std::vector<std::string> names;
    Env::Default()->GetChildren(path_, &names).IgnoreError();
    for (const std::string& name : names) Env::Default()->DeleteFile(File(name)).IgnoreError();
    Env::Default()->DeleteDir(path_).IgnoreError();
  }
  std::string File(const std::string& name) const { return io::JoinPath(path_, name); }

 private:
  std::string path_;
};

TEST(CompatEnv, WritesAndReadsFiles) {
  Folder folder;
  Env* env = Env::Default();
  TF_CHECK_OK(WriteStringToFile(env, folder.File("a.txt"), "first line"));
  std::string text;
  TF_CHECK_OK(ReadFileToString(env, folder.File("a.txt"), &text));
  EXPECT_EQ(text, "first line");
  std::unique_ptr<WritableFile> more;
  TF_CHECK_OK(env->NewAppendableFile(folder.File("a.txt"), &more));
  TF_CHECK_OK(more->Append(", second"));
  TF_CHECK_OK(more->Close());
  uint64 size = 0;
  TF_CHECK_OK(env->GetFileSize(folder.File("a.txt"), &size));
  EXPECT_EQ(size, 18u);
}

TEST(CompatEnv, ReadsAtAnyPlace) {
  Folder folder;
  Env* env = Env::Default();
  TF_CHECK_OK(WriteStringToFile(env, folder.File("a"), "0123456789"));
  std::unique_ptr<RandomAccessFile> file;
  TF_CHECK_OK(env->NewRandomAccessFile(folder.File("a"), &file));
  char scratch[8];
  StringPiece read;
  TF_CHECK_OK(file->Read(3, 4, &read, scratch));
  EXPECT_EQ(read, "3456");
  EXPECT_EQ(file->Read(8, 4, &read, scratch).code(), error::OUT_OF_RANGE);
  EXPECT_EQ(read, "89");
}

TEST(CompatEnv, SaysWhatIsWrongWithAFile) {
  Folder folder;
  std::unique_ptr<RandomAccessFile> file;
  EXPECT_EQ(Env::Default()->NewRandomAccessFile(folder.File("none"), &file).code(), error::NOT_FOUND);
  EXPECT_EQ(Env::Default()->FileExists(folder.File("none")).code(), error::NOT_FOUND);
  EXPECT_TRUE(Env::Default()->IsDirectory(folder.File("")).ok());
}

TEST(CompatEnv, FindsFiles) {
  Folder folder;
  for (const char* name : {"b.txt", "a.txt", "c.md"})
    TF_CHECK_OK(WriteStringToFile(Env::Default(), folder.File(name), ""));
  std::vector<std::string> found;
  FileSystem* const files = Env::Default();
  TF_CHECK_OK(files->GetMatchingPaths(folder.File("*.txt"), &found));
  EXPECT_EQ(found, (std::vector<std::string>{folder.File("a.txt"), folder.File("b.txt")}));
  TF_CHECK_OK(files->GetMatchingPaths(folder.File("*.none"), &found));
  EXPECT_TRUE(found.empty());
}

TEST(CompatThreads, RunTasks) {
  std::atomic<int> ran{0};
  {
    thread::ThreadPool pool(Env::Default(), "test", 3);
    EXPECT_EQ(pool.NumThreads(), 3);
    EXPECT_EQ(pool.CurrentThreadId(), -1);
    BlockingCounter counter(20);
    for (int i = 0; i < 20; ++i) {
      pool.Schedule([&] {
        EXPECT_GE(pool.CurrentThreadId(), 0);
        ++ran;
        counter.DecrementCount();
      });
    }
    counter.Wait();
    EXPECT_EQ(ran, 20);
    pool.Schedule([&] { ++ran; });
  }
  EXPECT_EQ(ran, 21);
}

TEST(CompatThreads, CoverLoops) {
  thread::ThreadPool pool(Env::Default(), "test", 4);
  for (const int64 total : {0, 1, 5, 1000}) {
    std::vector<std::atomic<int>> counts(static_cast<size_t>(total));
    Shard(4, &pool, total, 100, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
    });
    for (const auto& count : counts) EXPECT_EQ(count, 1);
  }
}

TEST(CompatThreads, LoopsInLoopsEnd) {
  thread::ThreadPool pool(Env::Default(), "test", 2);
  std::atomic<int> ran{0};
  pool.ParallelFor(8, 1000, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i)
      pool.ParallelFor(8, 1000, [&](int64 b, int64 e) { ran += static_cast<int>(e - b); });
  });
  EXPECT_EQ(ran, 64);
}

TEST(CompatThreads, WhatALoopThrowsComesBack) {
  thread::ThreadPool pool(Env::Default(), "test", 2);
  EXPECT_THROW(pool.ParallelFor(100, 1,
                                [](int64 begin, int64) {
                                  if (begin == 0) throw std::runtime_error("no");
                                }),
               std::runtime_error);
}

TEST(CompatThreads, Notify) {
  Notification happened;
  std::unique_ptr<Thread> thread(Env::Default()->StartThread({}, "notifier", [&] { happened.Notify(); }));
  happened.WaitForNotification();
  EXPECT_TRUE(happened.HasBeenNotified());
  EXPECT_TRUE(WaitForNotificationWithTimeout(&happened, 10));
  EXPECT_GT(Env::Default()->NowMicros(), 1000000000000000u);
  EXPECT_GE(port::NumSchedulableCPUs(), 1);
}

}  // namespace
}  // namespace tensorflow

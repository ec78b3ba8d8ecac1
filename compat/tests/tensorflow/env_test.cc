// compat/tests/tensorflow/env_test.cc: files, threads and clocks, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>

#include "every_header.h"

namespace tensorflow {
namespace {

// A temporary directory, which its destructor removes.
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

struct FilesTest : testing::Test {
  FilesTest() {
    char name[] = "/tmp/opsrun_files_XXXXXX";
    root = mkdtemp(name);
  }
  ~FilesTest() override {
    for (const char* file : {"/a/b/renamed", "/a/b/file"}) env->DeleteFile(root + file).IgnoreError();
    for (const char* folder : {"/a/b", "/a", ""}) env->DeleteDir(root + folder).IgnoreError();
  }

  FileSystem* const env = Env::Default();
  std::string root;
};

TEST_F(FilesTest, FoldersAreMade) {
  TF_CHECK_OK(env->CreateDir(root + "/a"));
  EXPECT_EQ(env->CreateDir(root + "/a").code(), error::ALREADY_EXISTS);
  TF_CHECK_OK(env->RecursivelyCreateDir(root + "/a/b"));
  TF_CHECK_OK(env->RecursivelyCreateDir(root + "/a/b"));
  std::vector<std::string> names;
  TF_CHECK_OK(env->GetChildren(root + "/a", &names));
  EXPECT_EQ(names, std::vector<std::string>{"b"});
  EXPECT_EQ(env->GetChildren(root + "/none", &names).code(), error::NOT_FOUND);
}

TEST_F(FilesTest, FilesAreWrittenRenamedAndMeasured) {
  TF_CHECK_OK(env->RecursivelyCreateDir(root + "/a/b"));
  std::unique_ptr<WritableFile> file;
  TF_CHECK_OK(env->NewWritableFile(root + "/a/b/file", &file));
  TF_CHECK_OK(file->Append("text"));
  TF_CHECK_OK(file->Flush());
  TF_CHECK_OK(file->Sync());
  FileStatistics statistics;
  TF_CHECK_OK(env->Stat(root + "/a/b/file", &statistics));
  EXPECT_EQ(statistics.length, 4);
  EXPECT_FALSE(statistics.is_directory);
  EXPECT_GT(statistics.mtime_nsec, 1000000000000000000);
  TF_CHECK_OK(file->Close());
  TF_CHECK_OK(env->RenameFile(root + "/a/b/file", root + "/a/b/renamed"));
  std::vector<Status> found;
  EXPECT_FALSE(env->FilesExist({root + "/a/b/renamed", root + "/a/b/file"}, &found));
  EXPECT_TRUE(found[0].ok());
  EXPECT_FALSE(found[1].ok());
  std::unique_ptr<RandomAccessFile> read;
  TF_CHECK_OK(env->NewRandomAccessFile(root + "/a/b/renamed", &read));
  StringPiece name;
  TF_CHECK_OK(read->Name(&name));
  EXPECT_EQ(name, root + "/a/b/renamed");
}

TEST(CompatClock, CountsInUnits) {
  EXPECT_EQ(EnvTime::kSecondsToNanos, EnvTime::kSecondsToMicros * EnvTime::kMicrosToNanos);
  EXPECT_EQ(EnvTime::kSecondsToMillis * EnvTime::kMillisToMicros, EnvTime::kSecondsToMicros);
  EXPECT_EQ(EnvTime::kMillisToNanos, 1000000u);
  const uint64 nanos = EnvTime::NowNanos();
  EXPECT_LE(nanos / EnvTime::kMicrosToNanos, EnvTime::NowMicros());
  EXPECT_LE(nanos / EnvTime::kSecondsToNanos, EnvTime::NowSeconds());
}

TEST(CompatClock, Sleeps) {
  Env* const env = Env::Default();
  const uint64 before = env->NowNanos();
  env->SleepForMicroseconds(2000);
  EXPECT_GE(env->NowNanos() - before, 1900000u);
  EXPECT_GE(env->NowSeconds(), before / EnvTime::kSecondsToNanos);
}

TEST(CompatThreads, StartFromEnv) {
  Notification now, later;
  Env::Default()->SchedClosure([&now] { now.Notify(); });
  Env::Default()->SchedClosureAfter(1000, [&later] { later.Notify(); });
  now.WaitForNotification();
  EXPECT_TRUE(WaitForNotificationWithTimeout(&later, 60000000));
  Notification never;
  EXPECT_FALSE(WaitForNotificationWithTimeout(&never, 1000));
}

TEST(CompatThreads, HaveOptions) {
  ThreadOptions options;
  options.stack_size = 1 << 20;
  options.guard_size = 4096;
  options.numa_node = 0;
  std::atomic<int> ran{0};
  {
    thread::ThreadPool(Env::Default(), options, "pool", 2).Schedule([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 1);
}

TEST(CompatBlockingCounter, WaitsForSomeTime) {
  BlockingCounter counter(1);
  EXPECT_FALSE(counter.WaitFor(std::chrono::milliseconds(1)));
  counter.DecrementCount();
  EXPECT_TRUE(counter.WaitFor(std::chrono::milliseconds(1)));
}

TEST(CompatPort, GivesMemory) {
  void* const aligned = port::AlignedMalloc(100, 256);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 256, 0u);
  port::AlignedFree(aligned);
  char* memory = static_cast<char*>(port::Malloc(1));
  *memory = 'x';
  memory = static_cast<char*>(port::Realloc(memory, 1000));
  port::prefetch<port::PREFETCH_HINT_T0>(memory);
  constexpr port::PrefetchHint kOnce = port::PREFETCH_HINT_NTA;
  port::prefetch<kOnce>(memory);
  EXPECT_EQ(*memory, 'x');
  port::Free(memory);
  static_assert(Allocator::kAllocatorAlignment == 64, "");
}

TEST(CompatPort, KnowsTheMachine) {
  EXPECT_TRUE(port::kLittleEndian);
  EXPECT_GE(port::NumTotalCPUs(), port::NumSchedulableCPUs());
  EXPECT_GE(port::MaxParallelism(), 1);
  EXPECT_GE(port::NumHyperthreadsPerCore(), 1);
  EXPECT_FALSE(port::Hostname().empty());
  EXPECT_EQ(CurrentStackTrace(), "");
}

TEST(CompatTraceMe, DoesNothing) {
  int calls = 0;
  profiler::TraceMe named("name");
  profiler::TraceMe lazy([&calls] { return ++calls, std::string("name"); }, 2);
  lazy.AppendMetadata([&calls] { return ++calls, std::string("size=3"); });
  lazy.Stop();
  EXPECT_EQ(calls, 0);
}

}  // namespace

}  // namespace tensorflow

// compat/tests/tensorflow/env_test.cc: files, folders, threads, clocks and memory, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {
namespace {

TEST(CompatThreads, RunTasks) {
  std::atomic<int> ran{0};
  {
    ThreadOptions options;
    options.stack_size = 1 << 20;
    options.guard_size = 4096;
    options.numa_node = 0;
    thread::ThreadPool pool(Env::Default(), options, "test", 3);
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

typedef thread::ThreadPool::SchedulingParams Params;
typedef thread::ThreadPool::SchedulingStrategy Strategy;

struct ThreadsTest : testing::Test {
  thread::ThreadPool pool{Env::Default(), "test", 3};
};

TEST_F(ThreadsTest, TakeBlocksOfOneSize) {
  mutex mu;
  std::set<std::pair<int64_t, int64_t>> blocks;
  pool.ParallelFor(10, Params(Strategy::kFixedBlockSize, absl::nullopt, 4), [&](int64_t begin, int64_t end) {
    mutex_lock lock(mu);
    blocks.insert({begin, end});
  });
  EXPECT_EQ(blocks, (std::set<std::pair<int64_t, int64_t>>{{0, 4}, {4, 8}, {8, 10}}));
  EXPECT_EQ(pool.NumShardsUsedByFixedBlockSizeScheduling(10, 4), 3);
  EXPECT_EQ(pool.NumShardsUsedByTransformRangeConcurrently(10, 10), 1);
}

TEST_F(ThreadsTest, CutLoopsByTheirCost) {
  std::atomic<int64_t> sum{0};
  const absl::optional<int64_t> cost = 1000;
  pool.ParallelForWithWorkerId(100, Params(Strategy::kAdaptive, cost, absl::nullopt),
                               [&](int64_t begin, int64_t end, int id) {
                                 EXPECT_TRUE(id >= 0 && id <= 3);
                                 sum += end - begin;
                               });
  EXPECT_EQ(sum, 100);
}

TEST_F(ThreadsTest, AreEigensToo) {
  Eigen::ThreadPoolDevice device(pool.AsEigenThreadPool(), pool.NumThreads());
  EXPECT_EQ(device.numThreads(), 3);
  Eigen::Tensor<float, 1> ones(100000);
  ones.setConstant(1);
  Eigen::Tensor<float, 0> sum;
  sum.device(device) = ones.sum();
  EXPECT_EQ(sum(), 100000);
}

TEST_F(ThreadsTest, CoverLoops) {
  for (const int64 total : {0, 1, 5, 1000}) {
    std::vector<std::atomic<int>> counts(static_cast<size_t>(total));
    Shard(3, &pool, total, 100, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
    });
    for (const auto& count : counts) EXPECT_EQ(count, 1);
  }
}

TEST_F(ThreadsTest, LoopsInLoopsEnd) {
  std::atomic<int> ran{0};
  pool.ParallelFor(8, 1000, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i)
      pool.ParallelFor(8, 1000, [&](int64 b, int64 e) { ran += static_cast<int>(e - b); });
  });
  EXPECT_EQ(ran, 64);
}

TEST_F(ThreadsTest, WhatALoopThrowsComesBack) {
  EXPECT_THROW(pool.ParallelFor(100, 1,
                                [](int64 begin, int64) {
                                  if (begin == 0) throw std::runtime_error("no");
                                }),
               std::runtime_error);
}

TEST_F(ThreadsTest, TransformsBlocks) {
  std::atomic<int64> sum{0}, blocks{0}, longest{0};
  pool.TransformRangeConcurrently(10, 95, [&](int64 begin, int64 end) {
    EXPECT_EQ(begin % 10, 0);
    if (end - begin > longest) longest = end - begin;
    for (int64 i = begin; i < end; ++i) sum += i;
    ++blocks;
  });
  EXPECT_EQ(sum, 94 * 95 / 2);
  EXPECT_EQ(blocks, 10);
  EXPECT_EQ(longest, 10);
  pool.TransformRangeConcurrently(10, 0, [&](int64, int64) { ++blocks; });
  pool.TransformRangeConcurrently(0, 10, [&](int64, int64) { ++blocks; });
  EXPECT_EQ(blocks, 10);
}

TEST(CompatThreads, StartAndNotify) {
  Notification happened, now, later, never;
  std::unique_ptr<Thread> thread(Env::Default()->StartThread({}, "notifier", [&] { happened.Notify(); }));
  happened.WaitForNotification();
  EXPECT_TRUE(happened.HasBeenNotified());
  EXPECT_TRUE(WaitForNotificationWithTimeout(&happened, 10));
  Env::Default()->SchedClosure([&now] { now.Notify(); });
  Env::Default()->SchedClosureAfter(1000, [&later] { later.Notify(); });
  now.WaitForNotification();
  EXPECT_TRUE(WaitForNotificationWithTimeout(&later, kint64max));
  EXPECT_FALSE(WaitForNotificationWithTimeout(&never, 1000));
  EXPECT_GT(Env::Default()->NowMicros(), 1000000000000000u);
  EXPECT_GE(port::NumSchedulableCPUs(), 1);
}

TEST(CompatClock, CountsInUnitsAndSleeps) {
  EXPECT_EQ(EnvTime::kSecondsToNanos, EnvTime::kSecondsToMicros * EnvTime::kMicrosToNanos);
  EXPECT_EQ(EnvTime::kSecondsToMillis * EnvTime::kMillisToMicros, EnvTime::kSecondsToMicros);
  EXPECT_EQ(EnvTime::kMillisToNanos, 1000000u);
  const uint64 nanos = EnvTime::NowNanos();
  EXPECT_LE(nanos / EnvTime::kMicrosToNanos, EnvTime::NowMicros());
  EXPECT_LE(nanos / EnvTime::kSecondsToNanos, EnvTime::NowSeconds());
  Env* const env = Env::Default();
  const uint64 before = env->NowNanos();
  env->SleepForMicroseconds(2000);
  EXPECT_GE(env->NowNanos() - before, 1900000u);
  EXPECT_GE(env->NowSeconds(), before / EnvTime::kSecondsToNanos);
}

TEST(CompatEnv, NamesTheProcessAndItsThreads) {
  Env* const env = Env::Default();
  EXPECT_EQ(env->GetProcessId(), getpid());
  int32 other = 0;
  const int32 own = env->GetCurrentThreadId();
  delete env->StartThread(ThreadOptions(), "other", [&] { other = env->GetCurrentThreadId(); });
  EXPECT_NE(own, other);
  std::string name;
  EXPECT_TRUE(env->GetCurrentThreadName(&name));
  EXPECT_EQ(env->GetExecutablePath().front(), '/');
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
}

TEST(CompatPort, KnowsTheMachine) {
  EXPECT_TRUE(port::kLittleEndian);
  EXPECT_GE(port::NumTotalCPUs(), port::NumSchedulableCPUs());
  EXPECT_GE(port::MaxParallelism(), 1);
  EXPECT_GE(port::NumHyperthreadsPerCore(), 1);
  EXPECT_FALSE(port::Hostname().empty());
  EXPECT_EQ(CurrentStackTrace(), "");
}

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
  std::unique_ptr<RandomAccessFile> file;
  TF_CHECK_OK(env->NewRandomAccessFile(root + "/a", &file));
  char scratch[8];
  StringPiece read;
  TF_CHECK_OK(file->Read(3, 4, &read, scratch));
  EXPECT_EQ(read, "lve ");
  EXPECT_EQ(file->Read(10, 4, &read, scratch).code(), error::OUT_OF_RANGE);
  EXPECT_EQ(read, "es");
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

TEST_F(FileSystemTest, MakesAndMatchesNames) {
  EXPECT_TRUE(env->MatchPath("/a/b.txt", "/a/*.t?t"));
  EXPECT_FALSE(env->MatchPath("/a/b.txt", "*.md"));
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

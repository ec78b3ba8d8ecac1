// compat/tests/tensorflow/files_test.cc: folders, clocks, memory and threads, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/lib/core/blocking_counter.h"
#include "tensorflow/core/lib/core/notification.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/byte_order.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/env_time.h"
#include "tensorflow/core/platform/host_info.h"
#include "tensorflow/core/platform/mem.h"
#include "tensorflow/core/platform/prefetch.h"
#include "tensorflow/core/platform/stacktrace.h"
#include "tensorflow/core/profiler/lib/traceme.h"

namespace tensorflow {
namespace {

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

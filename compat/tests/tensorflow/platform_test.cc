// compat/tests/tensorflow/platform_test.cc: errors of the system, macros, locks, references, containers and logging.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {

TF_EXPORT TF_ATTRIBUTE_WEAK int CompatWeak() {
  return 3;
}

namespace {

TEST(CompatErrors, HaveTheCodeOfAnErrno) {
  EXPECT_TRUE(errors::IsNotFound(errors::IOError("a.txt", ENOENT)));
  EXPECT_TRUE(errors::IsPermissionDenied(errors::IOError("a.txt", EACCES)));
  EXPECT_TRUE(errors::IsResourceExhausted(errors::IOError("a.txt", ENOSPC)));
  EXPECT_TRUE(errors::IsUnknown(errors::IOError("a.txt", 12345)));
  EXPECT_TRUE(errors::IOError("a.txt", 0).ok());
  EXPECT_EQ(std::string(errors::IOError("a.txt", ENOENT).message()).find("a.txt"), 0u);
}

TEST(CompatErrors, TakeOtherMessages) {
  const Status failed = errors::DataLoss("half a record");
  const Status updated = errors::CreateWithUpdatedMessage(failed, "record 3: half a record");
  EXPECT_TRUE(errors::IsDataLoss(updated));
  EXPECT_STREQ(tsl::NullTerminatedMessage(updated), "record 3: half a record");
  EXPECT_TRUE(errors::CreateWithUpdatedMessage(Status(), "fine").ok());
  EXPECT_NE(errors::FormatNodeNameForError("scope/a").find("scope/a"), std::string::npos);
}

TEST(CompatErrors, ConvertToAbseilAndBack) {
  const absl::Status converted = ToAbslStatus(errors::Aborted("no"));
  EXPECT_EQ(converted.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(errors::IsAborted(FromAbslStatus(converted)));
  EXPECT_STREQ(tsl::NullTerminatedMessage(converted), "no");
  TF_DO_CHECK_OK(FromAbslStatus(absl::OkStatus()), FATAL);
}

struct TF_PACKED Packed {
  char a;
  int b;
};
static_assert(sizeof(Packed) == 5, "there is nothing between the members");

TF_PRINTF_ATTRIBUTE(1, 2) int Count(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  return n;
}
TF_SCANF_ATTRIBUTE(2, 3) int Scan(const char* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsscanf(text, format, arguments);
  va_end(arguments);
  return n;
}

TEST(CompatMacros, AreAttributes) {
  const int three = CompatWeak();
  TF_UNUSED_VARIABLE(three);
  EXPECT_EQ(Count("%d-%s", 12, "a"), 4);
  int number = 0;
  EXPECT_EQ(Scan("n 7", "n %d", &number), 1);
  switch (number) {
    case 7:
      ++number;
      TF_FALLTHROUGH_INTENDED;
    default:
      ++number;
  }
  EXPECT_EQ(number, 9);
  EXPECT_TRUE(TF_HAS_CPP_ATTRIBUTE(noreturn) && LANG_CXX11);
#if TF_HAS_BUILTIN(__builtin_expect)
  EXPECT_TRUE(__builtin_expect(true, true));
#endif
}

// Uses the annotations that other tests do not, on a class with two locks.
class Annotated {
 public:
  mutex& first() TF_LOCK_RETURNED(first_) { return first_; }
  void Assert() TF_ASSERT_EXCLUSIVE_LOCK(first_) {}
  void AssertShared() TF_ASSERT_SHARED_LOCK(first_) {}
  bool TryShared() TF_SHARED_TRYLOCK_FUNCTION(true, first_) { return first_.try_lock_shared(); }
  void Acquire() TF_ACQUIRE(first_) TF_NO_THREAD_SAFETY_ANALYSIS { first_.lock(); }
  void AcquireShared() TF_ACQUIRE_SHARED(first_) TF_NO_THREAD_SAFETY_ANALYSIS { first_.lock_shared(); }
  void Release() TF_RELEASE(first_) TF_NO_THREAD_SAFETY_ANALYSIS { first_.unlock(); }
  int* value_ TF_PT_GUARDED_VAR = nullptr;

 private:
  mutex first_;
  mutex second_ TF_ACQUIRED_AFTER(first_);
};

TEST(CompatLocks, AreAnnotated) {
  Annotated annotated;
  annotated.Acquire();
  EXPECT_FALSE(annotated.TryShared());
  annotated.Assert();
  annotated.Release();
  annotated.AcquireShared();
  annotated.AssertShared();
  annotated.first().unlock_shared();
}

TEST(CompatLocks, AreSharedByReaders) {
  mutex mu;
  tf_shared_lock reader(mu);
  tf_shared_lock moved(std::move(reader));
  EXPECT_TRUE(moved);
  EXPECT_FALSE(mu.try_lock());
  tf_shared_lock further(mu, std::try_to_lock);
  EXPECT_TRUE(further);
}

TEST(CompatLocks, WaitForSomeTime) {
  mutex mu;
  condition_variable never;
  mutex_lock lock(mu);
  ConditionResult result = kCond_MaybeNotified;
  for (int i = 0; i < 100 && result == kCond_MaybeNotified; ++i) result = WaitForMilliseconds(&lock, &never, 1);
  EXPECT_EQ(result, kCond_Timeout);
}

class Counted : public core::RefCounted {
 public:
  bool Try() const { return TryRef(); }
};

TEST(CompatReferences, AreCounted) {
  core::RefCountPtr<Counted> object(new Counted);
  {
    const core::RefCountPtr<Counted> further = tsl::core::GetNewRef(object.get());
    EXPECT_EQ(object->RefCount(), 2);
    EXPECT_TRUE(object->Try());
    object->Unref();
  }
  EXPECT_TRUE(object->RefCountIsOne());
  EXPECT_EQ(tsl::core::GetNewRef(static_cast<Counted*>(nullptr)), nullptr);
}

TEST(CompatEnvironment, Changes) {
  EXPECT_EQ(tensorflow::setenv("OPSRUN_COMPAT_SET", "yes", 1), 0);
  EXPECT_STREQ(getenv("OPSRUN_COMPAT_SET"), "yes");
  EXPECT_EQ(tensorflow::unsetenv("OPSRUN_COMPAT_SET"), 0);
  EXPECT_EQ(getenv("OPSRUN_COMPAT_SET"), nullptr);
}

TEST(CompatCleanup, IsCalledOnce) {
  int calls = 0;
  const auto add = [&calls] { ++calls; };
  {
    gtl::Cleanup<std::function<void()>> late(add);
    auto released = gtl::MakeCleanup(add);
    EXPECT_FALSE(released.is_released());
    const auto function = released.release();
    EXPECT_TRUE(released.is_released());
    EXPECT_EQ(calls, 0);
    function();
    auto moved = gtl::MakeCleanup(add);
    const auto target = std::move(moved);
  }
  EXPECT_EQ(calls, 3);
}

TEST(CompatContainers, AreThoseOfTheStandard) {
  gtl::FlatSet<std::string> set = {"a", "b", "a"};
  EXPECT_EQ(set.size(), 2u);
  gtl::InlinedVector<int, 4> values = {1, 2};
  values.push_back(3);
  EXPECT_EQ(values.size(), 3u);
  gtl::optional<int> some = gtl::make_optional(3), none = gtl::nullopt;
  EXPECT_EQ(some.value_or(0) + none.value_or(4), 7);
}

int alive = 0;
struct CountedWord {
  CountedWord() { ++alive; }
  ~CountedWord() { --alive; }
};

TEST(CompatContainers, OwnPointers) {
  std::vector<CountedWord*> values = {new CountedWord, new CountedWord};
  gtl::STLDeleteElements(&values);
  EXPECT_TRUE(values.empty());
  gtl::FlatMap<int, CountedWord*> map = {{1, new CountedWord}};
  gtl::STLDeleteValues(&map);
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(alive, 0);
}

TEST(CompatContainers, AreChangedInPlace) {
  std::vector<int> values = {3, 1, 3, 2};
  gtl::STLSortAndRemoveDuplicates(&values);
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));
  std::string text = "abc";
  gtl::string_as_array(&text)[1] = 'x';
  EXPECT_EQ(text, "axc");
}

TEST(CompatLogging, ChecksWhatHolds) {
  QCHECK(true) << "not written";
  QCHECK_NE(1, 2);
  QCHECK_LT(1, 2);
  QCHECK_LE(1, 1);
  QCHECK_GT(2, 1);
  QCHECK_GE(1, 1);
  QCHECK_OK(Status());
  DCHECK_OK(Status());
  TF_QCHECK_OK(Status());
  PCHECK(true);
  CHECK_STRNE("a", "b");
  CHECK_STREQ(nullptr, nullptr);
  CHECK_OK(Status());
  CHECK_NEAR(1.0, 1.1, 0.2);
  const std::string text = "a";
  if (text.empty()) CHECK_NEAR(1.0, 2.0, 0.2) << "a whole statement, which does not run";
}

TEST(CompatLogging, FailsTheCall) {
  void (*const checks[])() = {[] { QCHECK(false); },
                              [] { QCHECK_NE(1, 1); },
                              [] { QCHECK_LT(1, 1); },
                              [] { QCHECK_LE(2, 1); },
                              [] { QCHECK_GT(1, 1); },
                              [] { QCHECK_GE(0, 1); },
                              [] { QCHECK_OK(errors::Internal("no")); },
                              [] { TF_QCHECK_OK(errors::Internal("no")); },
                              [] { PCHECK(false); },
                              [] { CHECK_STRNE("a", "a"); },
                              [] { CHECK_STREQ("a", nullptr); },
                              [] { QCHECK_EQ(1, 2) << "no"; },
                              [] { CHECK_NEAR(2.0, 1.0, 0.2); }};
  for (const auto& check : checks) EXPECT_THROW(check(), internal::Failure) << &check - checks;
}

TEST(Severities, AreNumbers) {
  EXPECT_TRUE(INFO < WARNING && WARNING < ERROR && ERROR < FATAL && FATAL < NUM_SEVERITIES);
  EXPECT_EQ(VLOG_IS_ON(INFO), true);
}

TEST(CompatLogging, WritesSomeLines) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i) {
    LOG_EVERY_POW_2(INFO) << "power";        // 0, 1, 2, 4, 8
    LOG_EVERY_N_SEC(INFO, 100) << "second";  // once
    LOG_EVERY_N(INFO, 5) << "fifth";         // 0, 5
    LOG_FIRST_N(WARNING, 1) << "first" << std::endl;
    DLOG(INFO) << "debug";
    DVLOG(9) << "verbose";
  }
  const std::string text = testing::internal::GetCapturedStderr();
  const auto count = [&text](StringPiece word) {
    int n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("power"), 5);
  EXPECT_EQ(count("second"), 1);
  EXPECT_EQ(count("fifth"), 2);
  EXPECT_EQ(count("first"), 1);
  EXPECT_EQ(count("verbose"), 0);
#ifdef NDEBUG
  EXPECT_EQ(count("debug"), 0);
#else
  EXPECT_EQ(count("debug"), 10);
#endif
}

}  // namespace

}  // namespace tensorflow

// compat/tests/tensorflow/small_test.cc: TopN, edit distances, memory, modes of the processor, and build properties.
// SPDX-License-Identifier: Apache-2.0
#include <fenv.h>
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {

ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS("CompatNoop");

namespace {

TEST(CompatTopN, KeepsTheBest) {
  gtl::TopN<int> top(3);
  top.reserve(3);
  int dropped = 0;
  for (const int n : {4, 1, 5}) top.push(n);
  EXPECT_EQ(top.peek_bottom(), 1);
  top.push(2, &dropped);
  EXPECT_EQ(dropped, 1);
  top.push(0, &dropped);
  EXPECT_EQ(dropped, 0);
  std::vector<int> values;
  top.ExtractNondestructive(&values);
  EXPECT_EQ(values, (std::vector<int>{5, 4, 2}));
  EXPECT_EQ(top.size(), top.limit());
  EXPECT_EQ(*std::unique_ptr<std::vector<int>>(top.Extract()), values);
}

TEST(CompatTopN, TakesAnyOrder) {
  gtl::TopN<std::string, std::less<std::string>> top(2);
  EXPECT_TRUE(top.empty());
  for (const char* text : {"c", "a", "b"}) top.push(std::string(text));
  gtl::TopN<std::string, std::less<std::string>>::UnsortedIterator first = top.unsorted_begin();
  EXPECT_EQ(top.unsorted_end() - first, 2);
  EXPECT_EQ(std::unique_ptr<std::vector<std::string>>(top.ExtractUnsorted())->size(), 2u);
  top.Reset();
  EXPECT_EQ(top.size(), 0u);
}

TEST(CompatEditDistance, CountsEdits) {
  const auto distance = [](const std::string& a, const std::string& b) {
    return gtl::LevenshteinDistance(a, b, std::equal_to<char>());
  };
  EXPECT_EQ(distance("", "abc"), 3);
  EXPECT_EQ(distance("kitten", "sitting"), 3);
  EXPECT_EQ(distance("abcdef", "azced"), 3);
  EXPECT_EQ(distance("same", "same"), 0);
}

TEST(CompatRanges, AreForLoops) {
  const std::multimap<int, int> map{{1, 2}, {1, 3}, {2, 4}};
  int sum = 0;
  for (const auto& pair : gtl::make_range(map.lower_bound(1), map.upper_bound(1))) sum += pair.second;
  EXPECT_EQ(sum, 5);
  const gtl::iterator_range<std::multimap<int, int>::const_iterator> all = gtl::make_range(map.begin(), map.end());
  EXPECT_EQ(std::distance(all.begin(), all.end()), 3);
}

TEST(CompatStatusTests, CompareWithOk) {
  TF_EXPECT_OK(Status());
  TF_ASSERT_OK(Status());
}

TEST(CompatBFloat16, IsRounded) {
  const float numbers[] = {1.0f, 1.00390625f, 1.01171875f, -3.3895e38f};
  bfloat16 small[4];
  float back[4];
  FloatToBFloat16(numbers, small, 4);
  BFloat16ToFloat(small, back, 4);
  EXPECT_EQ(back[1], 1.0f);
  EXPECT_EQ(back[2], 1.0078125f);
  RoundFloatToBFloat16(numbers, small, 4);
  EXPECT_EQ(static_cast<float>(small[2]), 1.015625f);
}

TEST(CompatRandom, AddsWithoutOverflow) {
  EXPECT_EQ(random::SignedAdd(std::numeric_limits<int32>::min(), 0xffffffffu), std::numeric_limits<int32>::max());
  EXPECT_EQ(random::SignedAdd(int64_t{-5}, uint64_t{7}), 2);
}

TEST(CompatAllocator, HandsOutMemory) {
  Allocator* const allocator = cpu_allocator();
  EXPECT_TRUE(allocator == Allocator::Cpu() && allocator == cpu_allocator(port::kNUMANoAffinity));
  EXPECT_EQ(allocator->Name(), "cpu");
  for (const size_t bytes : {0, 1, 4096}) {
    void* const memory = allocator->AllocateRaw(256, bytes, AllocationAttributes());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
    allocator->DeallocateRaw(memory);
  }
  static_assert(Allocator::kAllocatorAlignment == 64, "");
  tstring* const texts = TypedAllocator::Allocate<tstring>(allocator, 3, AllocationAttributes());
  texts[2] = "a text that is longer than a small one";
  TypedAllocator::Deallocate(allocator, texts, 3);
  EXPECT_EQ(TypedAllocator::Allocate<int64_t>(allocator, std::numeric_limits<size_t>::max(), AllocationAttributes()),
            nullptr);
}

TEST(CompatTensors, HaveAnAddress) {
  Tensor tensor(DT_FLOAT, TensorShape({2}));
  EXPECT_EQ(DMAHelper::base(&tensor), tensor.flat<float>().data());
  EXPECT_TRUE(DMAHelper::CanUseDMA(&tensor));
  const Tensor texts(DT_STRING, TensorShape({2}));
  EXPECT_FALSE(DMAHelper::CanUseDMA(&texts));
}

TEST(CompatTensors, HaveNamesForElements) {
  EXPECT_EQ(SliceDebugString(TensorShape({2, 3, 4}), 17), "[1,1,1]");
  EXPECT_EQ(SliceDebugString(TensorShape({5}), 3), "[3]");
  EXPECT_EQ(SliceDebugString(TensorShape(), 0), "");
}

struct Animal {
  virtual ~Animal() = default;
};
struct Cat : Animal {};

TEST(CompatCasts, GoDown) {
  Cat cat;
  Animal* const animal = &cat;
  EXPECT_EQ(down_cast<Cat*>(animal), &cat);
  EXPECT_EQ(&down_cast<Cat&>(*animal), &cat);
}

TEST(CompatProcessor, HasModes) {
  volatile float tiny = 1e-30f;
  {
    port::ScopedFlushDenormal flush;
#if defined(__SSE__)
    EXPECT_EQ(tiny * 1e-10f, 0.0f);
#endif
    port::ScopedDontFlushDenormal not_here;
    EXPECT_NE(tiny * 1e-10f, 0.0f);
  }
  const int before = fegetround();
  {
    port::ScopedSetRound up(FE_UPWARD);
    EXPECT_EQ(fegetround(), FE_UPWARD);
  }
  EXPECT_EQ(fegetround(), before);
}

TEST(CompatProcessor, HasInstructions) {
  using namespace port;
  int count = 0;
  for (const CPUFeature feature : {SSE, SSE2, SSE3, SSSE3, SSE4_1, SSE4_2, POPCNT, BMI1, BMI2, AVX, AVX2, FMA, AVX512F,
                                   AVX512VL, AVX512BW, AVX512DQ}) {
    count += port::TestCPUFeature(feature);
  }
#if defined(__x86_64__)
  EXPECT_TRUE(port::TestCPUFeature(port::SSE2));
  EXPECT_GE(count, 2);
#endif
}

TEST(CompatBuild, HasNothingOfOthers) {
  EXPECT_FALSE(IsBuiltWithROCm() || IsGoogleCudaEnabled());
  EXPECT_EQ(IsMklEnabled(), IsMKLEnabled());
  EXPECT_EQ(OpDeterminismRequired(), getenv("TF_DETERMINISTIC_OPS") != nullptr);
}

TEST(CompatDevices, HaveNamesWithParts) {
  DeviceNameUtils::ParsedName name;
  ASSERT_TRUE(DeviceNameUtils::ParseFullName("/job:worker/replica:1/task:2/device:GPU:3", &name));
  EXPECT_TRUE(name.has_job && name.has_replica && name.has_task && name.has_type && name.has_id);
  EXPECT_EQ(DeviceNameUtils::ParsedNameToString(name),
            DeviceNameUtils::FullName(name.job, name.replica, name.task, name.type, name.id));
  ASSERT_TRUE(DeviceNameUtils::ParseFullName("/gpu:*", &name));
  EXPECT_TRUE(name.type == "GPU");
  EXPECT_FALSE(name.has_id);
  EXPECT_FALSE(DeviceNameUtils::ParseFullName("/device:GPU:x", &name));
  ASSERT_TRUE(DeviceNameUtils::ParseLocalName("CPU:1", &name));
  EXPECT_EQ(DeviceNameUtils::LocalName(name.type, name.id), "/device:CPU:1");
  EXPECT_FALSE(DeviceNameUtils::ParseLocalName("CPU", &name));
}

TEST(CompatProfiler, IgnoresNames) {
  profiler::ScopedAnnotation annotation("op");
  const int step = 3;
  int calls = 0;
  profiler::TraceMe named("name");
  profiler::TraceMe activity(
      [&] {
        ++calls;
        return profiler::TraceMeEncode("step", {{"id", step}, {"kind", "train"}});
      },
      profiler::TraceMeLevel::kInfo);
  activity.AppendMetadata([&] { return ++calls, profiler::TraceMeEncode({{"more", 1.5}}); });
  activity.Stop();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(profiler::TraceMeOp("name", "Type"), "name:Type");
  EXPECT_LT(profiler::GetTFTraceMeLevel(true), profiler::TraceMeLevel::kVerbose);
  EXPECT_LE(profiler::TraceMeLevel::kCritical, profiler::GetTFTraceMeLevel(false));
}

TEST(OpsUtil, KnowsWhatIsAligned) {
  const int64 floats = EIGEN_MAX_ALIGN_BYTES / static_cast<int64>(sizeof(float));
  EXPECT_TRUE(IsInnerDimsSizeAligned<float>(TensorShape({3, floats})));
  EXPECT_EQ(IsInnerDimsSizeAligned<float>(TensorShape({3, floats + 1})), floats == 0);
  EXPECT_FALSE(IsInnerDimsSizeAligned<float>(TensorShape({})));
  EXPECT_FALSE(IsInnerDimsSizeAligned<float>(TensorShape({0, floats})));
  EXPECT_TRUE(IsDim0SliceAligned<float>(TensorShape({3, floats + 1}), 0, 3));
  EXPECT_EQ(IsDim0SliceAligned<float>(TensorShape({3, floats + 1}), 1, 3), floats == 0);
  EXPECT_FALSE(IsDim0SliceAligned<float>(TensorShape({}), 0, 0));
}

TEST(OpsUtil, SanitizesNamesOfThreads) {
  EXPECT_EQ(SanitizeThreadSuffix("a-B_3/x y"), "a-B_3_x_y");
}

TEST(TypeTraits, TellKindsOfElements) {
  EXPECT_TRUE(is_complex<complex64>::value && is_complex<complex128>::value && !is_complex<float>::value);
  EXPECT_TRUE(is_quantized<qint8>::value && is_quantized<quint16>::value && !is_quantized<int8>::value);
  EXPECT_TRUE(is_simple_type<bfloat16>::value && !is_simple_type<tstring>::value);
}

TEST(TypeIndex, IsMadeByAFunction) {
  EXPECT_TRUE(MakeTypeIndex<float>() == TypeIndex::Make<float>() && MakeTypeIndex<float>() != MakeTypeIndex<int>());
}

TEST(PartialTensorShape, IsMadeOfSizes) {
  PartialTensorShape shape;
  const std::vector<int64> sizes = {2, -1}, bad = {-2};
  TF_CHECK_OK(PartialTensorShape::MakePartialShape(sizes.data(), 2, &shape));
  EXPECT_EQ(shape.DebugString(), "[2,?]");
  EXPECT_FALSE(PartialTensorShape::MakePartialShape(bad.data(), 1, &shape).ok());
  EXPECT_FALSE(PartialTensorShape::MakePartialShape(sizes.data(), 1000, &shape).ok());
  EXPECT_EQ(shape.DebugString(), "[2,?]");
}

struct Older : ResourceBase {
  std::string DebugString() override { return "older"; }
};
struct Newer : ResourceBase {
  std::string DebugString() const override { return "newer"; }
};

TEST(ResourceBase, DescribesItselfInBothWays) {
  Older older;
  Newer newer;
  EXPECT_EQ(static_cast<ResourceBase&>(older).DebugString(), "older");
  EXPECT_EQ(static_cast<ResourceBase&>(newer).DebugString(), "newer");
  EXPECT_EQ(static_cast<const ResourceBase&>(newer).DebugString(), "newer");
}

class Guarded {
 public:
  void Set(int value) LOCKS_EXCLUDED(mutex_) {
    const mutex_lock lock(mutex_);
    value_ = value;
  }
  int value() SHARED_LOCKS_REQUIRED(mutex_) { return value_; }
  int Unchecked() NO_THREAD_SAFETY_ANALYSIS { return value_ + *pointer_; }

 private:
  mutex mutex_;
  int value_ GUARDED_BY(mutex_) = 0;
  int* pointer_ PT_GUARDED_BY(mutex_) = &value_;
};

TEST(ThreadAnnotations, HaveTheirOlderNames) {
  Guarded guarded;
  guarded.Set(2);
  EXPECT_EQ(guarded.Unchecked(), 4);
}

}  // namespace

}  // namespace tensorflow

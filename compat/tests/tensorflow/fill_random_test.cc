// compat/tests/tensorflow/fill_random_test.cc: functor::FillPhiloxRandom writes the same numbers with any number of
// threads. random_test.cc and ported/random_draws.out compare the numbers with TensorFlow's.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"
#include "tests/sdk/run_body.h"

namespace tensorflow {
namespace {

using functor::CPUDevice;
using functor::FillPhiloxRandom;
using opsrun_test::BodyTest;
using random::PhiloxRandom;

typedef random::SingleSampleAdapter<PhiloxRandom> OneByOne;
typedef random::UniformDistribution<PhiloxRandom, float> Uniform;
typedef random::NormalDistribution<PhiloxRandom, double> Normal;
typedef random::TruncatedNormalDistribution<OneByOne, float> Truncated;

constexpr float kUntouched = -99;

// The output of a kernel that fills `size` elements; one more element must stay unchanged.
template <typename Distribution>
std::vector<typename Distribution::ResultElementType> Fill(int64 size, int threads) {
  typedef typename Distribution::ResultElementType T;
  std::vector<T> numbers(static_cast<size_t>(size) + 1, T(kUntouched));
  BodyTest t;
  t.host.PretendThreads(threads);
  EXPECT_EQ(t.Compute([&](OpKernelContext* context) {
    FillPhiloxRandom<CPUDevice, Distribution>()(context, context->eigen_device<CPUDevice>(), nullptr, nullptr,
                                                PhiloxRandom(7, 11), numbers.data(), size, Distribution());
  }),
            "");
  EXPECT_EQ(numbers.back(), T(kUntouched)) << "one too many";
  numbers.pop_back();
  return numbers;
}

template <typename Distribution>
void ExpectTheSameOnAllThreads() {
  const auto alone = Fill<Distribution>(1003, 1);
  EXPECT_EQ(std::count(alone.begin(), alone.end(), kUntouched), 0);
  for (const int threads : {2, 3, 7, 1000}) EXPECT_EQ(Fill<Distribution>(1003, threads), alone) << threads;
  const auto fewer = Fill<Distribution>(998, 2);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), alone.begin())) << "the last group is cut";
}

TEST(CompatFillPhiloxRandom, DoesNotDependOnTheNumberOfThreads) {
  ExpectTheSameOnAllThreads<Uniform>();
  ExpectTheSameOnAllThreads<Normal>();
  ExpectTheSameOnAllThreads<Truncated>();
}

TEST(CompatFillPhiloxRandom, TakesOneResultForEachGroup) {
  const std::vector<float> numbers = Fill<Uniform>(40, 3);
  PhiloxRandom generator(7, 11);
  Uniform distribution;
  for (size_t group = 0; group < 10; ++group) {
    const auto expected = distribution(&generator);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(numbers[4 * group + static_cast<size_t>(i)], expected[i]) << group;
  }
}

// 256 32-bit samples are reserved for each number: 256 results for a group of four.
TEST(CompatFillPhiloxRandom, LeavesRoomForNumbersThatAreDrawnAgain) {
  const std::vector<float> numbers = Fill<Truncated>(40, 3);
  for (size_t group = 0; group < 10; ++group) {
    PhiloxRandom generator(7, 11);
    generator.Skip(256 * group);
    OneByOne samples(&generator);
    Truncated distribution;
    const auto expected = distribution(&samples);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(numbers[4 * group + static_cast<size_t>(i)], expected[i]) << group;
  }
}

TEST(CompatFillPhiloxRandom, TakesAKeyAndACounter) {
  const uint64 key = 0x0000000500000007, counter[] = {0x0000000200000001, 0x0000000400000003};
  PhiloxRandom::ResultType words;
  for (int i = 0; i < 4; ++i) words[i] = static_cast<uint32>(i + 1);
  PhiloxRandom::Key keys;
  keys[0] = 7;
  keys[1] = 5;
  PhiloxRandom same(words, keys);
  const auto expected = Uniform()(&same);
  std::vector<float> given(4), ignored(4), before(4);
  BodyTest t;
  EXPECT_EQ(t.Compute([&](OpKernelContext* context) {
    const FillPhiloxRandom<CPUDevice, Uniform> fill;
    const CPUDevice& device = context->eigen_device<CPUDevice>();
    fill(context, device, &key, counter, PhiloxRandom(), given.data(), 4, Uniform());
    fill(context, device, &key, nullptr, PhiloxRandom(7, 11), ignored.data(), 4, Uniform());
    fill(context, device, PhiloxRandom(7, 11), before.data(), 4, Uniform());  // the signature in TensorFlow 2.3
  }),
            "");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(given[static_cast<size_t>(i)], expected[i]);
  EXPECT_EQ(ignored, Fill<Uniform>(4, 1));
  EXPECT_EQ(before, Fill<Uniform>(4, 1));
}

TEST(CompatFillPhiloxRandom, FillsNothingIfThereIsNothing) {
  EXPECT_TRUE(Fill<Uniform>(0, 4).empty());
  EXPECT_TRUE(Fill<Truncated>(0, 4).empty());
}

}  // namespace
}  // namespace tensorflow

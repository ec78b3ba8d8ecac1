// compat/tests/tensorflow/sampler_test.cc: what draws one number at a time, or from a weighted set, by TensorFlow's names. The
// expected numbers are those of TensorFlow's own classes. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "tensorflow/core/lib/random/distribution_sampler.h"
#include "tensorflow/core/lib/random/exact_uniform_int.h"
#include "tensorflow/core/lib/random/random.h"
#include "tensorflow/core/lib/random/simple_philox.h"
#include "tensorflow/core/lib/random/weighted_picker.h"
#include "tensorflow/core/util/guarded_philox_random.h"

namespace tensorflow {
namespace random {
namespace {

struct Simple {
  PhiloxRandom generator{7, 11};
  SimplePhilox numbers{&generator};
};

TEST(CompatSimplePhilox, DrawsOneByOne) {
  Simple s;
  EXPECT_EQ(s.numbers.RandDouble(), 0.18549088593476926);
  EXPECT_EQ(s.numbers.RandFloat(), 0.569126487F);
  EXPECT_EQ(s.numbers.Rand64(), 18391469527403251709u);
  EXPECT_EQ(s.numbers.Rand32(), 1050900142u);
}

TEST(CompatSimplePhilox, DrawsBelowALimit) {
  Simple s;
  s.generator.Skip(1);
  s.numbers.Rand64();
  std::vector<uint64> drawn;
  for (const uint32 n : {1u, 8u, 10u, 3000000000u, 3000000000u, 3000000000u, 0u, 7u})
    drawn.push_back(s.numbers.Uniform(n));
  EXPECT_EQ(drawn, (std::vector<uint64>{0, 2, 0, 2737631662, 279695332, 2852123261, 0, 1}));
  drawn.clear();
  for (const uint64 n : {uint64{1}, uint64{8}, uint64{10}, uint64{13000000000000000000u}, uint64{7}})
    drawn.push_back(s.numbers.Uniform64(n));
  EXPECT_EQ(drawn, (std::vector<uint64>{0, 6, 8, 5225962807088206404, 0}));
}

TEST(CompatSimplePhilox, DrawsYesAndNo) {
  Simple s;
  int yes = 0;
  for (int i = 0; i < 3000; ++i) yes += s.numbers.OneIn(3);
  EXPECT_NEAR(yes, 1000, 100);
}

TEST(CompatSimplePhilox, PrefersSmallNumbers) {
  Simple s;
  int small = 0;
  for (int i = 0; i < 1100; ++i) {
    const uint32 n = s.numbers.Skewed(10);
    EXPECT_LT(n, 1024u);
    small += n == 0;  // 1, 1/2, ... 1/1024 of the eleven numbers of bits: 18 %
  }
  EXPECT_NEAR(small, 200, 50);
}

TEST(CompatExactUniformInt, DrawsAgainWhatWouldBeUnfair) {
  // Of 256 numbers, the first 6 are one too many for 10 equal shares.
  int calls = 0;
  const auto bits = [&calls] { return static_cast<uint8>(calls++); };
  EXPECT_EQ(ExactUniformInt<uint8>(10, bits), 6);
  EXPECT_EQ(calls, 7);
}

TEST(CompatDistributionSampler, DrawsByWeight) {
  Simple s;
  const DistributionSampler sampler({1, 2, 3, 0.5f, 0, 7});
  EXPECT_EQ(sampler.num(), 6);
  std::vector<int> drawn;
  for (int i = 0; i < 20; ++i) drawn.push_back(sampler.Sample(&s.numbers));
  EXPECT_EQ(drawn, (std::vector<int>{2, 5, 5, 2, 5, 2, 5, 1, 1, 5, 0, 0, 2, 1, 2, 5, 1, 1, 2, 5}));
}

TEST(CompatDistributionSampler, BuildsTensorflowsTable) {
  Simple s;
  std::vector<float> weights;
  for (int i = 0; i < 50; ++i) weights.push_back(static_cast<float>(i * 37 % 11) + 0.25F * static_cast<float>(i % 3));
  const DistributionSampler sampler(weights);
  uint32 hash = 0;
  for (int i = 0; i < 100000; ++i) hash = hash * 31 + static_cast<uint32>(sampler.Sample(&s.numbers));
  EXPECT_EQ(hash, 587647639u);
}

TEST(CompatDistributionSampler, NeedsAWeight) {
  EXPECT_THROW(DistributionSampler({}), tensorflow::internal::Failure);
  EXPECT_THROW(DistributionSampler({0, 0}), tensorflow::internal::Failure);
}

std::vector<int> PickAll(const WeightedPicker& picker) {
  std::vector<int> picked;
  for (int32 i = 0; i < picker.total_weight(); ++i) picked.push_back(picker.PickAt(i));
  return picked;
}

TEST(CompatWeightedPicker, FindsTheElementAtAWeight) {
  WeightedPicker picker(3);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 1, 2}));
  const int32 weights[] = {3, 0, 5, 1};
  picker.SetWeightsFromArray(4, weights);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 0, 0, 2, 2, 2, 2, 2, 3}));
  EXPECT_EQ(picker.PickAt(-1), -1);
  EXPECT_EQ(picker.PickAt(9), -1);
}

TEST(CompatWeightedPicker, ChangesAndGrows) {
  WeightedPicker picker(4);
  picker.set_weight(1, 4);
  picker.Append(2);
  picker.Resize(7);
  EXPECT_EQ(picker.num_elements(), 7);
  EXPECT_EQ(picker.get_weight(1), 4);
  EXPECT_EQ(picker.get_weight(6), 0);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 1, 1, 1, 1, 2, 3, 4, 4}));
  picker.Resize(2);
  EXPECT_EQ(picker.total_weight(), 5);
  picker.SetAllWeights(2);
  EXPECT_EQ(PickAll(picker), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_THROW(picker.set_weight(2, 1), tensorflow::internal::Failure);
}

TEST(CompatWeightedPicker, PicksByWeight) {
  Simple s;
  WeightedPicker picker(5);
  std::vector<int> picked;
  for (int i = 0; i < 8; ++i) picked.push_back(picker.Pick(&s.numbers));
  EXPECT_EQ(picked, (std::vector<int>{3, 4, 2, 2, 2, 2, 3, 3}));
  picker.SetAllWeights(0);
  EXPECT_EQ(picker.Pick(&s.numbers), -1);
}

TEST(CompatRandom, MakesSeeds) {
  EXPECT_NE(New64(), New64());
  EXPECT_EQ(New64DefaultSeed(), 14514284786278117030u);
  EXPECT_EQ(New64DefaultSeed(), 4620546740167642908u);
}

TEST(CompatGuardedPhiloxRandom, ReservesNumbersThatDoNotOverlap) {
  GuardedPhiloxRandom guarded;
  guarded.Init(7, 11);
  EXPECT_EQ(guarded.ReserveSamples128(3).counter()[0], 0u);
  EXPECT_EQ(guarded.ReserveSamples32(5).counter()[0], 3u);
  EXPECT_EQ(guarded.ReserveRandomOutputs(10, 256).counter()[0], 5u);
  PhiloxRandom rest = guarded.ReserveSamples32(4);
  EXPECT_EQ(rest.counter()[0], 2565u);
  EXPECT_EQ(rest.counter()[2], 11u);
  EXPECT_EQ(rest.key()[0], 7u);
}

TEST(CompatGuardedPhiloxRandom, IsForManyThreads) {
  GuardedPhiloxRandom guarded;
  guarded.Init({}, PhiloxRandom::Key());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&guarded] {
      for (int i = 0; i < 100; ++i) guarded.ReserveSamples128(2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(guarded.ReserveSamples128(1).counter()[0], 800u);
}

TEST(CompatGuardedPhiloxRandom, IsSeededOnce) {
  GuardedPhiloxRandom guarded, other;
  EXPECT_THROW(guarded.ReserveSamples32(1), tensorflow::internal::Failure);
  guarded.Init(0, 0);
  other.Init(0, 0);
  EXPECT_NE(guarded.ReserveSamples32(1)()[0], other.ReserveSamples32(1)()[0]);
  EXPECT_THROW(guarded.Init(1, 2), tensorflow::internal::Failure);
}

}  // namespace
}  // namespace random
}  // namespace tensorflow

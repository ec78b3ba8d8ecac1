// compat/tests/tensorflow/random_test.cc: random numbers under TensorFlow's names, which equal TensorFlow's.
//
// The expected numbers are those of TensorFlow 2.21's headers and ops. Uniform ones are exact. Normal ones depend on
// the C library's logarithm, sine and cosine: the tests allow four units in the last place, and one for 16-bit types.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"
#include "tests/sdk/run_body.h"

namespace tensorflow {
namespace random {
namespace {

typedef std::vector<uint32> Words;
typedef SingleSampleAdapter<PhiloxRandom> OneByOne;

Words WordsOf(const PhiloxRandom::ResultType& result) {
  return Words(&result[0], &result[0] + result.size());
}

// The numbers of two calls.
template <typename Distribution>
std::vector<double> Draw(Distribution distribution) {
  PhiloxRandom generator(7, 11);
  std::vector<double> numbers;
  for (int k = 0; k < 2; ++k) {
    const auto result = distribution(&generator);
    for (int i = 0; i < Distribution::kResultElementCount; ++i) numbers.push_back(static_cast<double>(result[i]));
  }
  return numbers;
}
template <typename T>
std::vector<double> DrawTruncated() {
  TruncatedNormalDistribution<OneByOne, T> distribution;
  PhiloxRandom generator(7, 11);
  OneByOne one_by_one(&generator);
  const auto result = distribution(&one_by_one);
  return {static_cast<double>(result[0]), static_cast<double>(result[1])};
}

TEST(CompatPhilox, DependsOnKeyAndPositionAlone) {
  PhiloxRandom generator(7, 11);
  EXPECT_EQ(WordsOf(generator()), (Words{0xb882f7c5, 0x4a8cbc02, 0xe448d923, 0xce4ac7fd}));
  generator.Skip(5);
  EXPECT_EQ(WordsOf(generator()), (Words{0x95f95244, 0xfcefa09b, 0x7c2809b8, 0x5a988519}));
  EXPECT_EQ(WordsOf(generator.counter()), (Words{7, 0, 11, 0}));
  EXPECT_EQ(generator.key()[0], 7u);
  EXPECT_EQ(generator.key()[1], 0u);
}

TEST(CompatPhilox, TakesASeedOfOneWord) {
  PhiloxRandom generator(0x123456789abcdef0);
  EXPECT_EQ(WordsOf(generator()), (Words{0x092c9b44, 0x78384bc0, 0xc9fb80be, 0x2b3be4dd}));
  EXPECT_EQ(WordsOf(generator()), (Words{0x389d999a, 0x609cf517, 0x0570bb00, 0x99b16edc}));
  EXPECT_EQ(WordsOf(PhiloxRandom()()), WordsOf(PhiloxRandom(0)()));
}

TEST(CompatPhilox, CountsIn128Bits) {
  PhiloxRandom::ResultType counter;
  for (int i = 0; i < 3; ++i) counter[i] = 0xffffffff;
  counter[3] = 3;
  PhiloxRandom::Key key;
  PhiloxRandom next(counter, key), far(counter, key);
  next();
  EXPECT_EQ(WordsOf(next.counter()), (Words{0, 0, 0, 4}));
  far.Skip(0x300000001);
  EXPECT_EQ(WordsOf(far.counter()), (Words{0, 3, 0, 4}));
}

TEST(CompatPhilox, GivesTheWordsOfTheStatelessOps) {
  PhiloxRandom::ResultType counter;
  for (int i = 0; i < 2; ++i) counter[i] = 0xffffffff;
  counter[2] = 5;
  PhiloxRandom::Key key;
  key[0] = 0x9abcdef0;
  key[1] = 0x12345678;
  PhiloxRandom generator(counter, key);
  EXPECT_EQ(WordsOf(generator()), (Words{1840299618, 3117217639, 824971909, 3875418989}));
  EXPECT_EQ(WordsOf(generator()), (Words{963779989, 1416782142, 1559437198, 3183579932}));
}

TEST(CompatDistributions, SayWhatTheyDraw) {
  typedef SingleSampleAdapter<PhiloxRandom> Adapter;
  static_assert(std::is_same_v<PhiloxRandom::ResultElementType, uint32>, "");
  static_assert(std::is_same_v<Adapter::ResultElementType, uint32> && std::is_same_v<Adapter::ResultType, uint32>, "");
  static_assert(std::is_same_v<NormalDistribution<PhiloxRandom, double>::ResultElementType, double>, "");
  static_assert(std::is_same_v<NormalDistribution<PhiloxRandom, double>::ResultType, Array<double, 2>>, "");
  static_assert(std::is_same_v<TruncatedNormalDistribution<Adapter, float>::ResultElementType, float>, "");
  static_assert(std::is_same_v<UniformDistribution<PhiloxRandom, int64>::ResultElementType, int64>, "");
}

TEST(CompatArray, KnowsItsSize) {
  Array<int, 3> array;
  array[1] = 5;
  EXPECT_EQ(array.size(), 3u);
  EXPECT_EQ(array[0] + array[1] + array[2], 5);
  EXPECT_EQ((Array<int, 3>::kElementCount), 3);
}

TEST(CompatSingleSampleAdapter, GivesWordsOneByOne) {
  PhiloxRandom generator(7, 11);
  OneByOne words(&generator);
  EXPECT_EQ(words(), 0xb882f7c5u);
  words.Skip(2);
  EXPECT_EQ(words(), 0xce4ac7fdu);
  words.Skip(9);
  EXPECT_EQ(words(), 0xa9fff27du);
  words.Skip(4);
  EXPECT_EQ(words(), 0xe74767beu);
  words.Skip(0);
  EXPECT_EQ(words(), 0x4ff69608u);
  EXPECT_EQ(OneByOne::kResultElementCount * OneByOne::kNativeElementCount, 4);
}

TEST(CompatUniform, IsExact) {
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, float>()),
            (std::vector<double>{0.023186326026916504, 0.099487543106079102, 0.56912648677825928, 0.58422815799713135,
                                 0.46582305431365967, 0.27705931663513184, 0.92926883697509766, 0.37444329261779785}));
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, double>()),
            (std::vector<double>{0.18549088593476926, 0.5530126627240854, 0.7265846678559842, 0.43415081757017093}));
}

TEST(CompatUniform, IsExactIn16Bits) {
  const std::vector<double> half = {0.9423828125, 0.001953125, 0.2841796875, 0.9970703125,
                                    0.0224609375, 0.669921875, 0.5703125,    0.439453125};
  const std::vector<double> brain = {0.5390625, 0.015625, 0.2734375, 0.9765625, 0.1796875, 0.359375, 0.5625, 0.515625};
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, Eigen::half>()), half);
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, OPSRUN_HALF>()), half);
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, bfloat16>()), brain);
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, OPSRUN_BFLOAT16>()), brain);
}

TEST(CompatUniform, DrawsIntegersOfARange) {
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, int32>(-3, 1000)),
            (std::vector<double>{857, 163, 855, 389, 817, 871, 513, 295}));
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, int64>(-3, 1000)), (std::vector<double>{768, 669, 433, 607}));
  EXPECT_EQ(Draw(UniformDistribution<PhiloxRandom, int64_t>(-3, 1000)), (std::vector<double>{768, 669, 433, 607}));
  PhiloxRandom generator(1);
  const auto wide = UniformDistribution<PhiloxRandom, int32>(kint32min, kint32max)(&generator);
  for (int i = 0; i < 4; ++i) EXPECT_LT(wide[i], kint32max);
}

TEST(CompatUniform, DrawsAllIntegers) {
  EXPECT_EQ(Draw(UniformFullIntDistribution<PhiloxRandom, int32>()),
            (std::vector<double>{-1199376443, 1250737154, -464987869, -833959939, -12869609, 1050900142, 276230728,
                                 548400578}));
  EXPECT_EQ(Draw(UniformFullIntDistribution<PhiloxRandom, uint32>())[0], 3095590853);
  PhiloxRandom generator(7, 11);
  const auto wide = UniformFullIntDistribution<PhiloxRandom, int64>()(&generator);
  EXPECT_EQ(wide[0], 5371875175417706437);
  EXPECT_EQ(wide[1], -3581830660349175517);
}

TEST(CompatUniform, TurnsBitsIntoNumbers) {
  EXPECT_EQ(Uint32ToFloat(0xffffffff), 1 - 0x1p-23f);
  EXPECT_EQ(Uint64ToDouble(0xffffffff, 0xffffffff), 1 - 0x1p-52);
  EXPECT_EQ(static_cast<float>(Uint16ToHalf(0xffff)), 1 - 0x1p-10f);
  EXPECT_EQ(static_cast<float>(Uint16ToGfloat16(0xffff)), 1 - 0x1p-7f);
}

TEST(CompatNormal, IsTensorflows) {
  const std::vector<double> expected = {1.6056036949157715,  2.22495436668396,    -0.5360344648361206,
                                        -0.9164999127388,    1.2182596921920776,  -0.20914606750011444,
                                        0.27179104089736938, -0.26989632844924927};
  const std::vector<double> normal = Draw(NormalDistribution<PhiloxRandom, float>());
  const std::vector<double> half = Draw(NormalDistribution<PhiloxRandom, Eigen::half>());
  const std::vector<double> brain = Draw(NormalDistribution<PhiloxRandom, bfloat16>());
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_FLOAT_EQ(static_cast<float>(normal[i]), static_cast<float>(expected[i]));
    EXPECT_NEAR(half[i], expected[i], 0x1p-10 * std::abs(expected[i]));
    EXPECT_NEAR(brain[i], expected[i], 0x1p-7 * std::abs(expected[i]));
  }
}

TEST(CompatNormal, OfDoublesIsTensorflows) {
  const std::vector<double> expected = {-0.60018007234295867, -1.7347284922719202, 0.32132962754436545,
                                        -0.73181130882955903};
  const std::vector<double> normal = Draw(NormalDistribution<PhiloxRandom, double>());
  ASSERT_EQ(normal.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(normal[i], expected[i]);
  EXPECT_DOUBLE_EQ(DrawTruncated<double>()[0], -0.60018007234295867);
}

TEST(CompatNormal, LeavesOutWhatIsFar) {
  EXPECT_FLOAT_EQ(static_cast<float>(DrawTruncated<float>()[0]), 1.6056036949157715F);
  EXPECT_FLOAT_EQ(static_cast<float>(DrawTruncated<float>()[1]), -0.5360344648361206F);
  EXPECT_NEAR(DrawTruncated<Eigen::half>()[1], -0.5361328125, 0x1p-11);
  EXPECT_NEAR(DrawTruncated<bfloat16>()[1], -0.53515625, 0x1p-8);
  typedef TruncatedNormalDistribution<OneByOne, float> Truncated;
  EXPECT_EQ(Truncated::kTruncateValue, 2.0F);
  EXPECT_TRUE(Truncated::kVariableSamplesPerOutput);
}

TEST(CompatNormal, HasAnEndEvenFor0) {
  float f[2];
  double d[2];
  BoxMullerFloat(0, 0, &f[0], &f[1]);
  BoxMullerDouble(0, 0, 0, 0, &d[0], &d[1]);
  EXPECT_EQ(f[0], 0);
  EXPECT_FLOAT_EQ(f[1], 5.6776924F);
  EXPECT_EQ(d[0], 0);
  EXPECT_DOUBLE_EQ(d[1], 5.6776924275551099);
}

// Sources define such functions in addition to those of the header.
PHILOX_DEVICE_INLINE float MiddleOf(uint32 bits) {
  return Uint32ToFloat(bits) + 0x1p-24f;
}
PHILOX_DEVICE_FUNC PHILOX_INLINE int Cost() {
  return PhiloxRandom::kElementCost + UniformDistribution<PhiloxRandom, float>::kElementCost +
         NormalDistribution<PhiloxRandom, float>::kElementCost + OneByOne::kElementCost;
}

TEST(CompatPhilox, HasMacrosForFunctionsOfSources) {
  EXPECT_EQ(MiddleOf(0), 0x1p-24f);
  EXPECT_GT(Cost(), 0);
}

// FillPhiloxRandom writes the same numbers with any number of threads; ported/random_draws.out has TensorFlow's.

using functor::CPUDevice;
using functor::FillPhiloxRandom;
using opsrun_test::BodyTest;

typedef UniformDistribution<PhiloxRandom, float> Uniform;
typedef NormalDistribution<PhiloxRandom, double> Normal;
typedef TruncatedNormalDistribution<OneByOne, float> Truncated;

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

// Each group of four numbers is a result; `skipped` results lie between the beginnings of two groups.
template <typename Distribution, typename Draw>
void ExpectGroups(uint64 skipped, const Draw& draw) {
  const std::vector<float> numbers = Fill<Distribution>(40, 3);
  for (size_t group = 0; group < 10; ++group) {
    PhiloxRandom words(7, 11);
    words.Skip(skipped * group);
    const auto expected = draw(&words);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(numbers[4 * group + static_cast<size_t>(i)], expected[i]) << group;
  }
}

TEST(CompatFillPhiloxRandom, TakesOneResultForEachGroup) {
  ExpectGroups<Uniform>(1, [](PhiloxRandom* words) { return Uniform()(words); });
  // 256 32-bit samples are reserved for each number that may be drawn again.
  ExpectGroups<Truncated>(256, [](PhiloxRandom* words) {
    OneByOne samples(words);
    return Truncated()(&samples);
  });
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
}  // namespace random
}  // namespace tensorflow

// tests/sdk/value_types_test.cc: tstring, TensorShape, maps and 16-bit floats compared with simple models of them.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include "opsrun/float16.h"
#include "opsrun/strings.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/tstring.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

 private:
  std::mt19937 random_;
};

// Applies the same random operations to three tstrings and three std::strings.
void PlayWithStrings(unsigned seed) {
  Dice dice(seed);
  const std::string of_host = "the bytes of a host";
  tstring real[3];
  std::string model[3];
  for (int turn = 0; turn < 300; ++turn) {
    const size_t a = dice.Below(3), b = dice.Below(3), n = dice.Below(40);
    const std::string some(dice.Below(4) * n, static_cast<char>('a' + n % 26));
    const auto both = [&](const auto& change) {
      change(real);
      change(model);
    };
    switch (dice.Below(15)) {
      case 0:
        both([&](auto& texts) { texts[a] = some; });
        break;
      case 1:
        both([&](auto& texts) { texts[a] = texts[b]; });
        break;
      case 2:
        both([&](auto& texts) { texts[a].append(texts[b]); });
        break;
      case 3:
        both([&](auto& texts) { texts[a].push_back('x'); });
        break;
      case 4:
        both([&](auto& texts) { texts[a].resize(n, 'r'); });
        break;
      case 5:
        real[a].reserve(n);
        EXPECT_GE(real[a].capacity(), n);
        break;
      case 6:
        both([&](auto& texts) { texts[a].clear(); });
        break;
      case 7:
        both([&](auto& texts) { std::swap(texts[a], texts[b]); });
        break;
      case 8: {  // borrowed, as the elements of an input are, until it is written to
        alignas(tstring) uint64_t slot[2] = {reinterpret_cast<uint64_t>(of_host.data()), of_host.size()};
        tstring& borrowed = reinterpret_cast<tstring&>(slot);
        model[a] = of_host;
        const auto change = [&](auto& text) {
          if (n % 4 == 1) text.append(some);
          if (n % 4 == 2) text[n % 19] = '!';
          if (n % 4 == 3) text.reserve(n);
        };
        change(borrowed);
        change(model[a]);
        real[a] = static_cast<const tstring&>(borrowed);
        borrowed.~tstring();
        ASSERT_EQ(of_host, "the bytes of a host");
        break;
      }
      case 9:
        if (!model[a].empty()) both([&, at = n % model[a].size()](auto& texts) { texts[a][at] = '!'; });
        break;
      case 10:
        both([&, half = model[a].size() / 2](auto& texts) { texts[a] = texts[a].substr(half, n); });
        break;
      case 11: {
        tstring moved = std::move(real[a]);
        real[a] = std::move(moved);
        break;
      }
      case 12:
        both([&](auto& texts) { texts[a] = texts[b] + texts[a]; });
        break;
      case 13:  // a part of itself
        both([&, half = model[a].size() / 2](auto& texts) { texts[a].append(texts[a].data() + half, half); });
        break;
      default:
        both([&](auto& texts) { texts[a].append(some.data(), some.size()); });
    }
    if (model[a].size() > 2000) both([&](auto& texts) { texts[a].resize(5); });
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(std::string(real[i]), model[i]) << "turn " << turn;
      ASSERT_EQ(real[i].c_str()[model[i].size()], '\0');
      ASSERT_GE(real[i].capacity(), model[i].size());
      ASSERT_EQ(real[i].empty(), model[i].empty());
      ASSERT_EQ(real[i] < real[a], model[i] < model[a]);
      ASSERT_EQ(real[i] == real[a], model[i] == model[a]);
    }
  }
}

TEST(ValueTypes, TStringIsLikeAString) {
  for (unsigned seed = 0; seed < 20; ++seed) PlayWithStrings(seed);
  ExpectNoLeak([] { PlayWithStrings(7); });
}

// The code that the call throws; 0 for none.
template <typename Fn>
int32_t CodeOf(Fn fn) {
  return internal::Guarded([&] {
           fn();
           return Status();
         })
      .code();
}

void PlayWithShapes(unsigned seed) {
  Dice dice(seed);
  TensorShape real[2];
  std::vector<int64> model[2];
  for (int turn = 0; turn < 300; ++turn) {
    const size_t a = dice.Below(2), rank = model[a].size();
    const int at = static_cast<int>(dice.Below(rank + 3)) - 1;  // from one before the first to one after the end
    const int64 size = static_cast<int64>(dice.Below(5)) - (dice.Below(20) == 0 ? 5 : 0);
    const bool is_dim = at >= 0 && at < static_cast<int>(rank);
    int32_t expected = OPSRUN_OK, code = OPSRUN_OK;
    switch (dice.Below(9)) {
      case 0:
      case 1:
        code = CodeOf([&] { real[a].AddDim(size); });
        expected = size < 0 || rank == 64;
        if (expected == 0) model[a].push_back(size);
        break;
      case 2:
      case 3:
        code = CodeOf([&] { real[a].InsertDim(at, size); });
        expected = size < 0 || rank == 64 || !(is_dim || at == static_cast<int>(rank));
        if (expected == 0) model[a].insert(model[a].begin() + at, size);
        break;
      case 4:
        code = CodeOf([&] { real[a].set_dim(at, size); });
        expected = size < 0 || !is_dim;
        if (expected == 0) model[a][static_cast<size_t>(at)] = size;
        break;
      case 5:
        code = CodeOf([&] { real[a].RemoveDim(at); });
        expected = !is_dim;
        if (expected == 0) model[a].erase(model[a].begin() + at);
        break;
      case 6:
        code = CodeOf([&] { real[a].RemoveLastDims(at); });
        expected = at < 0 || at > static_cast<int>(rank);
        if (expected == 0) model[a].resize(rank - static_cast<size_t>(at));
        break;
      case 7:
        real[a] = real[1 - a];
        model[a] = model[1 - a];
        break;
      default: {
        const size_t b = dice.Below(2);
        if (rank + model[b].size() > 64) {
          real[a].Clear();
          model[a].clear();
          break;
        }
        real[a].AppendShape(real[b]);
        const std::vector<int64> appended = model[b];
        model[a].insert(model[a].end(), appended.begin(), appended.end());
      }
    }
    ASSERT_EQ(code != OPSRUN_OK, expected != 0) << "turn " << turn;
    uint64_t elements = 1;
    for (const int64 each : model[a]) elements *= static_cast<uint64_t>(each);
    ASSERT_EQ(real[a].dim_sizes(), model[a]) << "turn " << turn;
    ASSERT_EQ(static_cast<uint64_t>(real[a].num_elements()), elements);
    ASSERT_EQ(real[0] == real[1], model[0] == model[1]);
    const bool is_there = at >= 0 && at < static_cast<int>(model[a].size());
    int64 found = 0;
    ASSERT_EQ(CodeOf([&] { found = real[a].dim_size(at); }) == OPSRUN_OK, is_there);
    if (is_there) {
      ASSERT_EQ(found, model[a][static_cast<size_t>(at)]);
    }
    const TensorShape copy = TensorShape(real[a]), again = TensorShape(model[a]);
    ASSERT_EQ(copy, again);
    const size_t shorter = std::min(model[0].size(), model[1].size());
    const bool starts = std::equal(model[1].begin(), model[1].end(), model[0].begin(),
                                   model[0].begin() + static_cast<ptrdiff_t>(shorter));
    ASSERT_EQ(TensorShapeUtils::StartsWith(real[0], real[1]), starts);
    const bool ends = std::equal(model[1].rbegin(), model[1].rend(), model[0].rbegin(),
                                 model[0].rbegin() + static_cast<ptrdiff_t>(shorter));
    ASSERT_EQ(TensorShapeUtils::EndsWith(real[0], real[1]), ends);
  }
}

TEST(ValueTypes, TensorShapeIsLikeAVector) {
  for (unsigned seed = 0; seed < 20; ++seed) PlayWithShapes(seed);
  ExpectNoLeak([] { PlayWithShapes(7); });
}

// All shapes of up to four dimensions with sizes from 0 to 3.
std::vector<std::vector<int64_t>> SmallShapes() {
  std::vector<std::vector<int64_t>> shapes = {{}};
  for (size_t begin = 0, rank = 1; rank <= 4; ++rank) {
    const size_t end = shapes.size();
    for (; begin < end; ++begin) {
      for (int64_t size = 0; size < 4; ++size) {
        shapes.push_back(shapes[begin]);
        shapes.back().push_back(size);
      }
    }
  }
  return shapes;
}

// Keeps the first or last N - 1 sizes, and folds the others into the remaining one.
template <size_t N>
void ExpectFolds(const opsrun_tensor& t, const std::vector<int64_t>& shape) {
  std::array<ptrdiff_t, N> leading, trailing;
  leading.fill(1);
  trailing.fill(1);
  const size_t rank = shape.size();
  for (size_t i = 0; i < rank; ++i) {
    leading[i + N < rank ? 0 : i + N - rank] *= shape[i];
    trailing[std::min(i, N - 1)] *= shape[i];
  }
  EXPECT_EQ(internal::FoldLeading<N>(t), leading) << N << TensorShape(shape).DebugString();
  EXPECT_EQ(internal::FoldTrailing<N>(t), trailing) << N << TensorShape(shape).DebugString();
}

TEST(ValueTypes, MapsHaveTheSizesOfTheirTensor) {
  for (const std::vector<int64_t>& shape : SmallShapes()) {
    opsrun_tensor t = {};
    t.rank = static_cast<int32_t>(shape.size());
    t.shape = const_cast<int64_t*>(shape.data());
    int64_t elements = 1;
    for (const int64_t size : shape) elements *= size;
    EXPECT_EQ(internal::ElementsOf(t), elements);
    ExpectFolds<1>(t, shape);
    ExpectFolds<2>(t, shape);
    ExpectFolds<3>(t, shape);
    ExpectFolds<5>(t, shape);
    EXPECT_EQ(CodeOf([&] { internal::ScalarSizes(t); }) == OPSRUN_OK, elements == 1);
    internal::MapSizes<2> sizes{};
    EXPECT_EQ(CodeOf([&] { sizes = internal::OwnSizes<2>(t); }) == OPSRUN_OK, shape.size() == 2);
    if (shape.size() == 2) {
      EXPECT_EQ(sizes, (internal::MapSizes<2>{shape[0], shape[1]}));
    }
    EXPECT_EQ(CodeOf([&] { EXPECT_EQ(internal::SizesOf<1>(t, {6})[0], 6); }) == OPSRUN_OK, elements == 6);
    EXPECT_EQ(CodeOf([&] { EXPECT_EQ(internal::SizesOf<2>(t, {2, 3})[1], 3); }) == OPSRUN_OK, elements == 6);
    EXPECT_NE(CodeOf([&] { internal::SizesOf<2>(t, {6}); }), OPSRUN_OK);
  }
}

// Every 16-bit number is preserved; between two neighbors the nearer one is chosen, or the even one of two equally
// near.
template <typename Format>
void ExpectNearest(uint16_t infinity) {
  for (uint32_t bits = 0; bits < infinity; ++bits) {
    const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    const float from = Format::Decode(low);
    ASSERT_EQ(Format::Encode(from), low);
    ASSERT_EQ(Format::Encode(-from), low | 0x8000);
    ASSERT_EQ(Format::Decode(low | 0x8000), -from);
    // The last step leads to infinity as if numbers went on there.
    const float step =
        high == infinity ? from - Format::Decode(static_cast<uint16_t>(bits - 1)) : Format::Decode(high) - from;
    const float middle = from + step / 2;
    if (!std::isfinite(middle)) continue;
    ASSERT_EQ(Format::Encode(middle), low % 2 == 0 ? low : high) << bits;
    ASSERT_EQ(Format::Encode(std::nextafter(middle, 0.0f)), low) << bits;
    ASSERT_EQ(Format::Encode(std::nextafter(middle, HUGE_VALF)), high) << bits;
  }
  EXPECT_EQ(Format::Encode(HUGE_VALF), infinity);
  EXPECT_EQ(Format::Decode(infinity), HUGE_VALF);
  for (uint32_t bits = infinity + 1u; bits < 0x8000; ++bits) {
    ASSERT_TRUE(std::isnan(Format::Decode(static_cast<uint16_t>(bits))));
    ASSERT_TRUE(std::isnan(Format::Decode(Format::Encode(Format::Decode(static_cast<uint16_t>(bits))))));
  }
}

TEST(ValueTypes, SixteenBitFloatsAreRoundedToTheNearest) {
  ExpectNearest<internal::HalfFormat>(0x7c00);
  ExpectNearest<internal::BFloat16Format>(0x7f80);
}

TEST(ValueTypes, NumbersAreWrittenFromTheirLeastToTheirMost) {
  using strings::StrCat;
  EXPECT_EQ(StrCat(INT_MIN, " ", INT_MAX, " ", UINT_MAX), "-2147483648 2147483647 4294967295");
  EXPECT_EQ(StrCat(LONG_MIN, " ", LONG_MAX, " ", ULONG_MAX),
            "-9223372036854775808 9223372036854775807 18446744073709551615");
  EXPECT_EQ(StrCat(LLONG_MIN, " ", LLONG_MAX, " ", ULLONG_MAX),
            "-9223372036854775808 9223372036854775807 18446744073709551615");
  EXPECT_EQ(StrCat(0, 0u, 0l, 0ul, false, true, '0', 'a', "", std::string(), std::string_view("b", 1)), "0000010ab");
  EXPECT_EQ(StrCat(0.5, " ", -1e300, " ", 0.25f), "0.5 -1e+300 0.25");
  EXPECT_EQ(internal::Format("%s", std::string(5000, 'x').c_str()), std::string(5000, 'x'));
  EXPECT_EQ(internal::Format("%s", ""), "");
}

}  // namespace
}  // namespace opsrun_test

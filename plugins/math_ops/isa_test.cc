// plugins/math_ops/isa_test.cc: the loops of every instruction set that this processor can run.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "isa_kernels.h"

namespace math_ops {
namespace {

// Values that CPUID and XGETBV return.
constexpr CpuFacts kCore2 = {0x0008E3BD, 0, 0x1, 0};
constexpr CpuFacts kNehalem = {0x009CE3BD, 0, 0x1, 0};
constexpr CpuFacts kHaswell = {0x7FFAFBFF, 0x000027AB, 0x21, 0x7};
constexpr CpuFacts kSkylakeServer = {0x7FFEFBFF, 0xD39FFFFB, 0x121, 0xE7};

TEST(CpuLevel, IsThatOfAllItsInstructions) {
  EXPECT_EQ(LevelOf({}), 1);
  EXPECT_EQ(LevelOf(kCore2), 1);
  EXPECT_EQ(LevelOf(kNehalem), 2);
  EXPECT_EQ(LevelOf(kHaswell), 3);
  EXPECT_EQ(LevelOf(kSkylakeServer), 4);
}

TEST(CpuLevel, NeedsASystemThatSavesTheRegisters) {
  CpuFacts facts = kSkylakeServer;
  facts.saved_state = 0x7;  // xmm and ymm
  EXPECT_EQ(LevelOf(facts), 3);
  facts.saved_state = 0x3;  // xmm
  EXPECT_EQ(LevelOf(facts), 2);
  facts.saved_state = 0;
  EXPECT_EQ(LevelOf(facts), 2);
}

TEST(CpuLevel, IsNotThatOfOneFeature) {
  CpuFacts facts = kSkylakeServer;
  facts.leaf1_ecx &= ~(1U << 12);  // FMA
  EXPECT_EQ(LevelOf(facts), 2);
}

template <typename T>
struct Case {
  int64_t rows, depth, columns;
  bool a_transposed, b_transposed, add;
  std::vector<T> a, b, out;
};

// Small integers, so that the result does not depend on the order of summation; large ones for integers that wrap.
template <typename T>
std::vector<T> Random(int64_t n, std::mt19937_64& random) {
  std::vector<T> values(static_cast<size_t>(n));
  for (T& value : values) {
    value = std::is_integral_v<T> ? static_cast<T>(random()) : static_cast<T>(static_cast<int64_t>(random() % 17) - 8);
  }
  return values;
}

// Padding after each row of a matrix in memory.
constexpr int64_t kGap = 3;

template <typename T>
Case<T> RandomCase(std::mt19937_64& random) {
  const auto size = [&] {
    return static_cast<int64_t>(random() % (random() % 16 == 0 ? 600 : random() % 4 == 0 ? 300 : 24));
  };
  Case<T> made = {size(), size(), size(), random() % 2 == 0, random() % 2 == 0, random() % 2 == 0, {}, {}, {}};
  made.a = Random<T>((made.rows + kGap) * (made.depth + kGap), random);
  made.b = Random<T>((made.depth + kGap) * (made.columns + kGap), random);
  made.out = Random<T>(made.rows * (made.columns + kGap), random);
  return made;
}

template <typename T>
Product<T> ProductOf(Case<T>& given) {
  const MatrixView<T> a = {given.a.data(), (given.a_transposed ? given.rows : given.depth) + kGap, given.a_transposed};
  const MatrixView<T> b = {given.b.data(), (given.b_transposed ? given.depth : given.columns) + kGap,
                           given.b_transposed};
  return {given.rows, given.depth, given.columns, a, b, given.out.data(), given.columns + kGap, given.add};
}

template <typename T>
void NaiveMultiply(const Product<T>& p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t j = 0; j < p.columns; ++j) {
      T sum = p.add ? p.out[i * p.out_stride + j] : T{0};
      for (int64_t k = 0; k < p.depth; ++k) sum += *p.a.At(i, k).data * *p.b.At(k, j).data;
      p.out[i * p.out_stride + j] = sum;
    }
  }
}

template <typename T>
class Multiplies : public testing::Test {};
typedef testing::Types<float, double, uint32_t, uint64_t> Types;
TYPED_TEST_SUITE(Multiplies, Types);

TYPED_TEST(Multiplies, InEverySetAsTheNaiveLoops) {
  const std::vector<const Kernels*> sets = SupportedKernels();
  ASSERT_FALSE(sets.empty());
  std::mt19937_64 random(7);
  for (int i = 0; i < 100; ++i) {
    const Case<TypeParam> given = RandomCase<TypeParam>(random);
    Case<TypeParam> expected = given;
    NaiveMultiply(ProductOf(expected));
    for (const Kernels* kernels : sets) {
      Case<TypeParam> actual = given;
      std::get<Multiply<TypeParam>>(kernels->multiply)(ProductOf(actual));
      ASSERT_EQ(actual.out, expected.out)
          << kernels->name << ", case " << i << ": " << given.rows << " x " << given.depth << " x " << given.columns;
    }
  }
}

TYPED_TEST(Multiplies, WithPanelsThatProductsShare) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 40; ++i) {
    Case<TypeParam> given = RandomCase<TypeParam>(random);
    given.depth = std::min(given.depth, kPanelsDepth);
    Case<TypeParam> expected = given;
    NaiveMultiply(ProductOf(expected));
    for (const Kernels* kernels : SupportedKernels()) {
      Case<TypeParam> actual = given;
      Product<TypeParam> product = ProductOf(actual);
      std::vector<TypeParam> panels(static_cast<size_t>(given.depth * (given.columns + kernels->panel_bytes)));
      std::get<CopyToPanels<TypeParam>>(kernels->copy_to_panels)(product.b, given.depth, given.columns, given.depth,
                                                                 panels.data());
      product.b.data = nullptr;
      product.panels = panels.data();
      std::get<Multiply<TypeParam>>(kernels->multiply)(product);
      ASSERT_EQ(actual.out, expected.out) << kernels->name << ", case " << i;
    }
  }
}

template <typename T>
class ComplexMultiplies : public testing::Test {};
typedef testing::Types<float, double> RealTypes;
TYPED_TEST_SUITE(ComplexMultiplies, RealTypes);

TYPED_TEST(ComplexMultiplies, AsTheRealFormOfTheRightFactor) {
  typedef TypeParam T;
  std::mt19937_64 random(10);
  for (int i = 0; i < 60; ++i) {
    Case<T> given = RandomCase<T>(random);
    given.depth = (given.depth + 1) / 2 * 2;
    given.columns = (given.columns + 1) / 2 * 2;
    const bool conjugated = random() % 2 == 0;
    const std::vector<T> factor = Random<T>((given.depth + kGap) * (given.columns + kGap), random);
    const MatrixView<T> elements = {factor.data(), (given.b_transposed ? given.depth : given.columns) + kGap,
                                    given.b_transposed, conjugated ? Elements::kConjugated : Elements::kComplex};
    std::vector<T> real(static_cast<size_t>(given.depth * given.columns));
    for (int64_t k = 0; k < given.depth; k += 2) {
      for (int64_t j = 0; j < given.columns; j += 2) {
        const T* const element = elements.At(k, j).data;
        const T x = element[0], y = conjugated ? -element[1] : element[1];
        T* const to = real.data() + k * given.columns + j;
        to[0] = to[given.columns + 1] = x;
        to[1] = y;
        to[given.columns] = -y;
      }
    }
    given.a = Random<T>((given.rows + kGap) * (given.depth + kGap), random);
    given.out = Random<T>(given.rows * (given.columns + kGap), random);
    Case<T> expected = given;
    Product<T> product = ProductOf(expected);
    product.b = {real.data(), given.columns, false};
    NaiveMultiply(product);
    for (const Kernels* kernels : SupportedKernels()) {
      Case<T> actual = given;
      product = ProductOf(actual);
      product.b = elements;
      std::get<Multiply<T>>(kernels->multiply)(product);
      ASSERT_EQ(actual.out, expected.out) << kernels->name << ", case " << i;
    }
  }
}

template <typename T>
class WindowSums : public testing::Test {};
typedef testing::Types<float, double, uint32_t> WindowTypes;
TYPED_TEST_SUITE(WindowSums, WindowTypes);

TYPED_TEST(WindowSums, InEverySetAreThoseOfTheNaiveLoops) {
  typedef TypeParam T;
  std::mt19937_64 random(9);
  const std::vector<WindowRun> runs = {{0, 4}, {11, 0}, {5, 9}};
  const int64_t length = 4, stride = 64, out_stride = 70, column = 2;
  const std::vector<T> values = Random<T>(200, random), weights = Random<T>(13 * stride, random);
  const std::vector<T> bias = Random<T>(out_stride, random), added = Random<T>(20 * out_stride, random);
  for (const Kernels* kernels : SupportedKernels()) {
    for (int64_t columns = 1; columns * static_cast<int64_t>(sizeof(T)) <= kernels->panel_bytes; ++columns) {
      const int64_t n = 1 + static_cast<int64_t>(random() % 20);
      std::vector<T> found(static_cast<size_t>(n * out_stride), T{7}), expected = found;
      std::vector<const T*> windows;
      std::vector<T*> outs;
      for (int64_t i = 0; i < n; ++i) {
        windows.push_back(values.data() + random() % 180);
        outs.push_back(found.data() + (n - 1 - i) * out_stride);
      }
      AfterSums<T> after;
      if (random() % 2 == 0) after.bias = bias.data();
      if (random() % 2 == 0) after.added = added.data();
      after.out = found.data();
      after.relu = random() % 2 == 0;
      for (int64_t i = 0; i < n * columns; ++i) {
        const int64_t window = i / columns, j = i % columns;
        T sum{0};
        for (const WindowRun& run : runs) {
          for (int64_t k = 0; k < length; ++k) {
            sum += windows[static_cast<size_t>(window)][run.at + k] *
                   weights[static_cast<size_t>((run.weights + k) * stride + j)];
          }
        }
        const auto at = static_cast<size_t>((n - 1 - window) * out_stride + column + j);
        if (after.bias != nullptr) sum += bias[static_cast<size_t>(column + j)];
        if (after.added != nullptr) sum += added[at];
        expected[at] = after.relu && sum < T{0} ? T{0} : sum;
      }
      std::get<AddWindowProducts<T>>(kernels->window_products)({windows.data(), outs.data(), n, runs.data(), 3, length,
                                                                weights.data(), stride, columns, column, 1, false,
                                                                after});
      ASSERT_EQ(found, expected) << kernels->name << ", " << n << " windows, " << columns << " columns";
    }
  }
}

struct Function {
  const char* name;
  UnaryFunction TranscendentalLoops::*loops;
  double (*exact)(double);
};

const Function kFunctions[] = {
    {"exp", &TranscendentalLoops::exp, std::exp},
    {"expm1", &TranscendentalLoops::expm1, std::expm1},
    {"log", &TranscendentalLoops::log, std::log},
    {"log1p", &TranscendentalLoops::log1p, std::log1p},
    {"sqrt", &TranscendentalLoops::sqrt, std::sqrt},
    {"rsqrt", &TranscendentalLoops::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {"sin", &TranscendentalLoops::sin, std::sin},
    {"cos", &TranscendentalLoops::cos, std::cos},
    {"tan", &TranscendentalLoops::tan, std::tan},
    {"tanh", &TranscendentalLoops::tanh, std::tanh},
    {"sigmoid", &TranscendentalLoops::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"softplus", &TranscendentalLoops::softplus,
     [](double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }},
    {"erf", &TranscendentalLoops::erf, std::erf},
};

// Numbers of all magnitudes, infinities and NaN. Their count is not a multiple of the vector length.
template <typename T>
std::vector<T> Arguments() {
  const T inf = std::numeric_limits<T>::infinity();
  std::vector<T> x = {0, T(-0.0), 1, -1, inf, -inf, std::numeric_limits<T>::quiet_NaN()};
  for (int i = -500; i <= 500; ++i) x.push_back(static_cast<T>(i) / 37);
  for (int i = -30; i <= 30; ++i) x.push_back(static_cast<T>(std::pow(10, i)));
  x.push_back(1000);
  return x;
}

// The error must be at most some units in the last place; a unit is the error of rounding to T.
template <typename T>
bool IsNear(T found, double exact, int units = 8) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded)) return std::isnan(found);
  if (std::isinf(rounded) || std::isinf(found)) return found == rounded;
  const double unit = std::fmax(std::fabs(exact) * std::numeric_limits<T>::epsilon(), std::numeric_limits<T>::min());
  return std::fabs(static_cast<double>(found) - exact) <= units * unit;
}

template <typename T>
class Transcendental : public testing::Test {};
typedef testing::Types<float, double> FloatTypes;
TYPED_TEST_SUITE(Transcendental, FloatTypes);

TYPED_TEST(Transcendental, IsExactToAFewUnitsInEverySet) {
  const std::vector<TypeParam> x = Arguments<TypeParam>();
  for (const Kernels* kernels : SupportedKernels()) {
    for (const Function& function : kFunctions) {
      std::vector<TypeParam> y(x.size());
      (kernels->transcendental->*function.loops)
          .template For<TypeParam>()(x.data(), y.data(), static_cast<int64_t>(x.size()));
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_TRUE(IsNear(y[i], function.exact(static_cast<double>(x[i]))))
            << kernels->name << ": " << function.name << "(" << x[i] << ") = " << y[i];
      }
    }
  }
}

// Checks function(x[i], y[i]) in every set, also the signs of zeros. The output is one of the inputs.
template <typename T>
void ExpectNear(BinaryFunction TranscendentalLoops::*function, const std::vector<T>& x, const std::vector<T>& y,
                double (*exact_function)(double, double), int units) {
  for (const Kernels* kernels : SupportedKernels()) {
    std::vector<T> z = x;
    (kernels->transcendental->*function)
        .template For<T>()(z.data(), y.data(), z.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = exact_function(static_cast<double>(x[i]), static_cast<double>(y[i]));
      EXPECT_TRUE(IsNear(z[i], exact, units) && (z[i] != z[i] || std::signbit(z[i]) == std::signbit(exact)))
          << kernels->name << ": of " << x[i] << " and " << y[i] << ": " << z[i] << ", expected " << exact;
    }
  }
}

TYPED_TEST(Transcendental, PowersAreExactToAUnitInEverySet) {
  typedef std::numeric_limits<TypeParam> Limits;
  std::vector<TypeParam> numbers = {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min()};
  numbers.insert(numbers.end(), {Limits::denorm_min(), 0, TypeParam(1) + Limits::epsilon()});
  for (const double number : {.1, .5, .7, 1., 1.5, 2., 3., 7., 10., 126., 127., 1e3, 1074., 1e5, 1e10, 1e30}) {
    numbers.push_back(static_cast<TypeParam>(number));
  }
  for (const double number : {0x1p23 - 1, 0x1p23 + 1, 0x1p52 - 1, 0x1p53 - 1}) {
    numbers.push_back(static_cast<TypeParam>(number));
  }
  std::vector<TypeParam> x, y;
  for (const TypeParam base : numbers) {
    for (const TypeParam exponent : numbers) {
      x.insert(x.end(), {base, base, -base, -base});
      y.insert(y.end(), {exponent, -exponent, exponent, -exponent});
    }
  }
  ExpectNear(&TranscendentalLoops::pow, x, y, std::pow, 1);
}

TYPED_TEST(Transcendental, AnglesAreExactToTwoUnitsInEverySet) {
  std::vector<TypeParam> numbers = {std::numeric_limits<TypeParam>::max(),
                                    std::numeric_limits<TypeParam>::denorm_min()};
  const std::vector<TypeParam> arguments = Arguments<TypeParam>();
  for (size_t i = 0; i < arguments.size(); i += i < 7 ? 1 : 5) numbers.push_back(arguments[i]);
  std::vector<TypeParam> y, x;
  for (const TypeParam a : numbers) {
    y.insert(y.end(), numbers.size(), a);
    x.insert(x.end(), numbers.begin(), numbers.end());
  }
  ExpectNear(&TranscendentalLoops::atan2, y, x, std::atan2, 2);
}

}  // namespace
}  // namespace math_ops

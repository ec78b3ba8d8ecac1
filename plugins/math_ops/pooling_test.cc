// plugins/math_ops/pooling_test.cc: AvgPool and its gradient, as the plugin's users get them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "linear_ops_test.h"

namespace linear_ops_test {
namespace {

template <typename Op>
Op& Means(Op& op, const Shape& ksize, const Shape& strides, const std::string& padding) {
  op.Attr("ksize", ksize).Attr("strides", strides).Attr("padding", padding);
  return op;
}

TEST(AvgPoolShape, CountsWindows) {
  ShapeInferenceTestOp op("AvgPool"), gradient("AvgPoolGrad");
  INFER_OK(Means(op, {1, 2, 3, 1}, {1, 2, 1, 1}, "VALID"), "[?,7,9,?]", "[d0_0,3,7,d0_3]");
  Means(gradient, {1, 2, 3, 1}, {1, 2, 1, 1}, "VALID");
  INFER_OK(gradient, "[4];[2,?,?,5]", "[d1_0,?,?,d1_3]");
  gradient.Value<int32_t>(0, {4}, {2, 7, 9, 5});
  INFER_OK(gradient, "[4];[?,3,7,?]", "[2,7,9,5]");
  INFER_ERROR("got", gradient, "[4];[?,3,6,?]");
}

struct AvgPoolOp : OpTest {};

TEST_F(AvgPoolOp, TakesMeansOfThePixelsInsideTheImage) {
  Node node = Op("AvgPool").Input<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  Means(node, {1, 2, 2, 1}, {1, 1, 1, 1}, "SAME");
  Run();
  ExpectOutput<float>(0, {1, 2, 3, 1}, {3, 4, 4.5, 4.5, 5.5, 6});
}

TEST_F(AvgPoolOp, RoundsFloat16Once) {
  // The sum alone is more than float16 can hold.
  Node node = Op("AvgPool").Input<Half>({1, 1, 2, 1}, {60000, 40000});
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  Run();
  ExpectOutput<Half>(0, {1, 1, 1, 1}, {50000});
}

TEST_F(AvgPoolOp, DividesItsGradientEvenly) {
  Node node = Op("AvgPoolGrad").Input<int32_t>({4}, {1, 1, 4, 1}).Input<double>({1, 1, 3, 1}, {2, 20, 200});
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  Run();
  ExpectOutput<double>(0, {1, 1, 4, 1}, {1, 11, 110, 100});
}

TEST_F(AvgPoolOp, HasAGradientInParts) {
  // More rows than one part has: each pixel gets a fourth of each of its windows.
  Node node =
      Op("AvgPoolGrad").Input<int32_t>({4}, {1, 50, 2, 1}).Input<float>({1, 49, 1, 1}, std::vector<float>(49, 4));
  Means(node, {1, 2, 2, 1}, {1, 1, 1, 1}, "VALID");
  Run();
  std::vector<float> expected(100, 2);
  expected[0] = expected[1] = expected[98] = expected[99] = 1;
  ExpectOutput<float>(0, {1, 50, 2, 1}, expected);
}

TEST_F(AvgPoolOp, GivesNothingForNothing) {
  Node node = Op("AvgPool").Input<BFloat16>({0, 2, 2, 1}, {});
  Means(node, {1, 2, 2, 1}, {1, 1, 1, 1}, "SAME");
  Run();
  ExpectOutput<BFloat16>(0, {0, 2, 2, 1}, {});
}

TEST_F(AvgPoolOp, NamesWhatDoesNotFit) {
  Node node = Op("AvgPoolGrad").Input<int32_t>({4}, {1, 1, 3, 1}).Input<float>({1, 1, 3, 1}, {1, 2, 3}).Late();
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  RunFails(kWrong +
           "input:grad: grad must have the shape of the output of AvgPool, [1,1,2,1], but its shape is [1,1,3");
}

struct Pool {
  Shape ksize, strides;
  std::string padding = "VALID";
  Shape paddings = {};

  template <typename Op>
  Op& SetOn(Op& op) const {
    op.Attr("ksize", ksize).Attr("strides", strides).Attr("padding", padding);
    op.Attr("explicit_paddings", paddings);
    return op;
  }
};

ShapeInferenceTestOp PoolShape(const std::string& name, const Pool& pool) {
  ShapeInferenceTestOp op(name);
  return pool.SetOn(op);
}

TEST(MaxPoolShape, CountsWindows) {
  const Pool valid = {{1, 2, 3, 1}, {1, 2, 1, 1}}, same = {{1, 2, 3, 1}, {1, 2, 1, 1}, "SAME"};
  INFER_OK(PoolShape("MaxPool", valid), "[?,7,9,?]", "[d0_0,3,7,d0_3]");
  INFER_OK(PoolShape("MaxPool", same), "[?,7,?,3]", "[d0_0,4,d0_2,d0_3]");
  INFER_OK(PoolShape("MaxPool", valid), "?", "[?,?,?,?]");
  INFER_OK(PoolShape("MaxPoolGrad", valid), "[?,7,9,?];[2,?,?,?];[?,3,7,4]", "[d1_0,d0_1,d0_2,d2_3]");
  INFER_OK(PoolShape("MaxPoolGradGrad", valid), "[?,7,9,?];[2,?,?,?];[?,?,?,4]", "[d1_0,3,7,d2_3]");
  const Pool channels = {{1, 1, 1, 3}, {1, 1, 1, 3}, "SAME"};
  INFER_OK(PoolShape("MaxPool", channels), "[?,7,9,6]", "[d0_0,d0_1,d0_2,2]");
  INFER_OK(PoolShape("MaxPoolGrad", channels), "[?,7,9,?];[2,?,?,?];[?,7,9,4]", "[d1_0,d0_1,d0_2,12]");
  INFER_ERROR("got", PoolShape("MaxPoolGrad", valid), "[?,7,9,?];[2,?,?,?];[?,3,6,4]");
}

TEST(MaxPoolShape, RefusesAttrsWithoutAMeaning) {
  const auto error = [](const Pool& pool, const std::string& text) {
    INFER_ERROR(text, PoolShape("MaxPool", pool), "[1,4,4,1]");
  };
  error({{1, 2, 2, 2}, {1, 1, 1, 1}},
        "attr:ksize: ksize must be [1, height, width, 1], or [1, 1, 1, channels] for windows of channels, but it is "
        "[1, 2, 2, 2]");
  error({{1, 2, 2, 1}, {1, 1, 1, 3}}, "attr:strides: strides must be [1, height, width, 1]");
  error({{1, 1, 1, 2}, {1, 1, 1, 1}}, "attr:strides: strides must be the same as ksize for windows of channels");
  error({{1, 1, 1, 2}, {1, 1, 1, 2}}, "a window of 2 channels must divide the channels of the images, but there are 1");
  error({{1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT", {0, 0, 1, 2, 0, 0, 0, 0}}, "must be smaller than ksize");
  error({{1, 9, 2, 1}, {1, 1, 1, 1}}, "a window of height 9 does not fit into an image of height 4");
}

struct MaxPoolOp : OpTest {
  template <typename T>
  Node MaxPool(const Pool& pool, const Shape& shape, const std::vector<T>& values) {
    Node node = Op("MaxPool").Input<T>(shape, values);
    return pool.SetOn(node);
  }
  template <typename T>
  void TakesTheLargest() {
    MaxPool<T>({{1, 2, 2, 1}, {1, 1, 1, 1}}, {1, 2, 3, 1}, {T(1), T(5), T(2), T(4), T(3), T(6)});
    Run();
    ExpectOutput<T>(0, {1, 1, 2, 1}, {T(5), T(6)});
  }
};

TEST_F(MaxPoolOp, TakesTheLargestOfEachWindow) {
  TakesTheLargest<Half>();
  TakesTheLargest<BFloat16>();
  TakesTheLargest<float>();
  TakesTheLargest<double>();
  TakesTheLargest<int8_t>();
  TakesTheLargest<int16_t>();
  TakesTheLargest<int32_t>();
  TakesTheLargest<int64_t>();
  TakesTheLargest<uint8_t>();
  TakesTheLargest<uint16_t>();
}

TEST_F(MaxPoolOp, LeavesPixelsBetweenWindowsOut) {
  MaxPool<float>({{1, 1, 1, 1}, {1, 1, 2, 1}}, {1, 1, 5, 1}, {1, 9, 2, 9, 3});
  Run();
  ExpectOutput<float>(0, {1, 1, 3, 1}, {1, 2, 3});
}

TEST_F(MaxPoolOp, GivesNaNsAndInfinitiesOn) {
  const float inf = INFINITY;
  MaxPool<float>({{1, 1, 2, 1}, {1, 1, 2, 1}}, {1, 1, 8, 1}, {-inf, -inf, NAN, 1, inf, NAN, -inf, -3});
  Run();
  ExpectOutput<float>(0, {1, 1, 4, 1}, {-inf, NAN, NAN, -3});
}

TEST_F(MaxPoolOp, GivesNothingForNothing) {
  MaxPool<float>({{1, 2, 2, 1}, {1, 1, 1, 1}, "SAME"}, {0, 3, 3, 1}, {});
  Run();
  ExpectOutput<float>(0, {0, 3, 3, 1}, {});
  MaxPool<float>({{1, 4, 1, 1}, {1, 1, 1, 1}}, {1, 3, 3, 1}, std::vector<float>(9, 1));
  Run();
  ExpectOutput<float>(0, {1, 0, 3, 1}, {});
}

TEST_F(MaxPoolOp, TakesWindowsThatAreMuchLargerThanTheImage) {
  constexpr int64_t kHuge = int64_t{1} << 30;
  MaxPool<float>({{1, kHuge, kHuge, 1}, {1, 1, 1, 1}, "SAME"}, {1, 2, 2, 1}, {1, 2, 4, 3});
  Run();
  ExpectOutput<float>(0, {1, 2, 2, 1}, {4, 4, 4, 4});
}

// The gradient of one window of two equal pixels goes to the first.
TEST_F(MaxPoolOp, HasAGradientAtTheFirstOfEqualPixels) {
  Node node = Op("MaxPoolGrad").Input<float>({1, 1, 3, 1}, {7, 7, 7}).Input<float>({1, 1, 2, 1}, {7, 7});
  node.Input<float>({1, 1, 2, 1}, {10, 20});
  Pool{{1, 1, 2, 1}, {1, 1, 1, 1}}.SetOn(node);
  Run();
  ExpectOutput<float>(0, {1, 1, 3, 1}, {10, 20, 0});
}

TEST_F(MaxPoolOp, HasAGradientAtTheFirstNaN) {
  Node node = Op("MaxPoolGrad").Input<float>({1, 1, 3, 1}, {1, NAN, NAN}).Input<float>({1, 1, 1, 1}, {NAN});
  node.Input<float>({1, 1, 1, 1}, {10});
  Pool{{1, 1, 3, 1}, {1, 1, 1, 1}}.SetOn(node);
  Run();
  ExpectOutput<float>(0, {1, 1, 3, 1}, {0, 10, 0});
}

// By the definition, pixel by pixel.
struct NaivePool {
  Shape images;  // their shape
  Pool pool;
  std::vector<float> values;

  int64_t Windows(size_t side) const {
    const int64_t stride = pool.strides[side + 1], padded = images[side + 1] + PaddingOf(side, 0) + PaddingOf(side, 1);
    if (pool.padding == "SAME") return (images[side + 1] + stride - 1) / stride;
    return (padded - pool.ksize[side + 1] + stride) / stride;
  }
  int64_t PaddingOf(size_t side, size_t end) const {
    return pool.paddings.empty() ? 0 : pool.paddings[2 + 2 * side + end];
  }
  int64_t Before(size_t side) const {
    if (pool.padding != "SAME") return PaddingOf(side, 0);
    const int64_t used = (Windows(side) - 1) * pool.strides[side + 1] + pool.ksize[side + 1];
    return std::max<int64_t>(used - images[side + 1], 0) / 2;
  }
  Shape Pooled() const { return {images[0], Windows(0), Windows(1), images[3]}; }

  // Where the largest pixel of each window is.
  std::vector<size_t> Largest() const {
    std::vector<size_t> largest;
    const Shape pooled = Pooled();
    for (int64_t i = 0; i < Elements(pooled); ++i) {
      const int64_t c = i % pooled[3], x = i / pooled[3] % pooled[2], y = i / pooled[3] / pooled[2] % pooled[1];
      const int64_t n = i / pooled[3] / pooled[2] / pooled[1];
      std::vector<size_t> pixels;
      for (int64_t j = 0; j < pool.ksize[1] * pool.ksize[2]; ++j) {
        const int64_t in_y = y * pool.strides[1] - Before(0) + j / pool.ksize[2];
        const int64_t in_x = x * pool.strides[2] - Before(1) + j % pool.ksize[2];
        if (in_y < 0 || in_y >= images[1] || in_x < 0 || in_x >= images[2]) continue;
        pixels.push_back(static_cast<size_t>(((n * images[1] + in_y) * images[2] + in_x) * images[3] + c));
      }
      largest.push_back(
          *std::max_element(pixels.begin(), pixels.end(), [&](size_t a, size_t b) { return values[a] < values[b]; }));
    }
    return largest;
  }
};

NaivePool RandomPool(SmallNumbers* random) {
  const auto from1 = [&](int64_t end) { return 1 + random->Below(end); };
  const Shape ksize = {1, from1(4), from1(4), 1};
  const char* const kPaddings[] = {"SAME", "VALID", "EXPLICIT"};
  NaivePool naive = {{random->Below(3), ksize[1] + random->Below(40), ksize[2] + random->Below(9), from1(4)},
                     {ksize, {1, from1(5), from1(3), 1}, kPaddings[random->Below(3)], {}},
                     {}};
  if (naive.pool.padding == "EXPLICIT") {
    naive.pool.paddings = {0, 0, random->Below(ksize[1]), random->Below(ksize[1]), random->Below(ksize[2]), 0, 0, 0};
  }
  naive.values = random->Values<float>(naive.images);
  return naive;
}

struct MaxPoolRandom : MaxPoolOp {
  template <typename T>
  std::vector<T> As(const std::vector<float>& values) {
    std::vector<T> converted;
    for (const float value : values) converted.push_back(static_cast<T>(value));
    return converted;
  }
  template <typename T>
  void AgreesWithNaiveLoops(const NaivePool& naive, SmallNumbers* random) {
    const std::vector<size_t> largest = naive.Largest();
    std::vector<float> pooled, gathered, scattered(naive.values.size());
    const std::vector<float> grad = random->Values<float>(naive.Pooled()), again = random->Values<float>(naive.images);
    for (size_t i = 0; i < largest.size(); ++i) {
      pooled.push_back(naive.values[largest[i]]);
      gathered.push_back(again[largest[i]]);
      scattered[largest[i]] += grad[i];
    }
    MaxPool<T>(naive.pool, naive.images, As<T>(naive.values));
    Run();
    ExpectOutput<T>(0, naive.Pooled(), As<T>(pooled));
    Gradient<T>("MaxPoolGrad", naive, pooled).template Input<T>(naive.Pooled(), As<T>(grad));
    Run();
    ExpectOutput<T>(0, naive.images, As<T>(scattered));
    Gradient<T>("MaxPoolGradGrad", naive, pooled).template Input<T>(naive.images, As<T>(again));
    Run();
    ExpectOutput<T>(0, naive.Pooled(), As<T>(gathered));
  }
  template <typename T>
  Node Gradient(const std::string& op, const NaivePool& naive, const std::vector<float>& pooled) {
    Node node = Op(op).Input<T>(naive.images, As<T>(naive.values)).template Input<T>(naive.Pooled(), As<T>(pooled));
    return naive.pool.SetOn(node);
  }
};

TEST_F(MaxPoolRandom, AgreesWithNaiveLoops) {
  SmallNumbers random(1);
  for (int i = 0; i < 30; ++i) AgreesWithNaiveLoops<float>(RandomPool(&random), &random);
  for (int i = 0; i < 5; ++i) AgreesWithNaiveLoops<Half>(RandomPool(&random), &random);
  for (int i = 0; i < 5; ++i) AgreesWithNaiveLoops<int8_t>(RandomPool(&random), &random);
}

TEST_F(MaxPoolOp, NamesGradientsOfAnotherShape) {
  Node node = Op("MaxPoolGrad").Input<float>({1, 1, 2, 1}, {1, 2}).Input<float>({1, 1, 1, 1}, {2});
  node.Input<float>({1, 1, 2, 1}, {1, 2}).Late();
  Pool{{1, 1, 2, 1}, {1, 1, 1, 1}}.SetOn(node);
  RunFails(kWrong +
           "input:grad: grad must have the shape of the output of MaxPool, [1,1,1,1], but its shape is [1,1,2");
}

}  // namespace

}  // namespace linear_ops_test

// tests/sdk/shape_fns_random_test.cc: what a shape function infers from partly known shapes holds for all shapes that
// they may turn out to be.
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "opsrun/common_shape_fns.h"
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

namespace si = opsrun::shape_inference;

typedef std::vector<int64_t> Sizes;

// The inputs of a call: shapes, where -1 is an unknown size and {-2} an unknown rank, and values of some of them.
struct Inputs {
  std::vector<Sizes> shapes;
  std::map<uint32_t, Sizes> values;  // of vectors, or of scalars
};

struct Case {
  const char* name;
  Status (*fn)(InferenceContext*);
  size_t inputs;
  std::vector<uint32_t> valued;  // vectors whose values may be known
  std::vector<uint32_t> scalar;  // the same for scalars
};

const Sizes kUnknown = {-2};

std::string TextOf(const Inputs& inputs) {
  std::string text;
  for (const Sizes& shape : inputs.shapes) {
    if (!text.empty()) text += ';';
    if (shape == kUnknown) {
      text += '?';
      continue;
    }
    std::string sizes;
    for (const int64_t size : shape) sizes += (sizes.empty() ? "" : ",") + (size < 0 ? "?" : std::to_string(size));
    text += "[" + sizes + "]";
  }
  return text;
}

// The shape of output 0, or nothing after a failure. fails_in: see TestHost::FailIn.
std::optional<Sizes> SizesOf(const Case& one, const Inputs& inputs, int fails_in = -1, bool* all_called = nullptr) {
  TestShapeCall call(TextOf(inputs));
  call.attrs.Bool("keep_dims", inputs.shapes.size() % 2 == 1).Bool("transpose_a", false).Bool("transpose_b", true);
  call.attrs.Bool("adj_x", false).Bool("adj_y", false).String("data_format", "NHWC");
  for (const auto& [i, value] : inputs.values) call.Value<int64_t>(i, inputs.shapes[i], value);
  auto fn = one.fn;
  call.host.FailIn(fails_in);
  const int32_t code = call.Run(&opsrun::internal::ShapeTrampoline<decltype(fn)>, &fn);
  if (all_called != nullptr) *all_called = call.host.HasNotFailed();
  if (code != OPSRUN_OK) return std::nullopt;
  const opsrun_shape* shape = call.Output(0);
  if (shape == nullptr || shape->rank < 0) return kUnknown;
  Sizes sizes;
  for (int32_t i = 0; i < shape->rank; ++i) sizes.push_back(shape->dims[i]->value);
  return sizes;
}

bool MayBe(const Sizes& partial, const Sizes& whole) {
  if (partial == kUnknown) return true;
  if (partial.size() != whole.size()) return false;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (partial[i] >= 0 && partial[i] != whole[i]) return false;
  }
  return true;
}

class RandomInputs {
 public:
  explicit RandomInputs(unsigned seed) : random_(seed) {}

  // Shapes that are often equal, so that many of them are compatible.
  Inputs Whole(const Case& one) {
    Inputs inputs;
    const size_t rank = Below(4);
    for (size_t i = 0; i < one.inputs; ++i) {
      Sizes shape;
      for (size_t k = 0; k < rank; ++k) {
        const bool same = i > 0 && k < inputs.shapes[0].size() && Below(4) > 0;
        shape.push_back(same ? inputs.shapes[0][k] : Below(4));
      }
      if (Below(4) == 0 && !shape.empty()) shape.erase(shape.begin());
      inputs.shapes.push_back(shape);
    }
    for (const uint32_t i : one.valued) {
      inputs.shapes[i] = {static_cast<int64_t>(rank)};
      for (size_t k = 0; k < rank; ++k) inputs.values[i].push_back(static_cast<int64_t>(Below(4)) - (Below(4) == 0));
      inputs.values[i].resize(rank);
    }
    for (const uint32_t i : one.scalar) {
      inputs.shapes[i] = {};
      inputs.values[i] = {static_cast<int64_t>(Below(5)) - 2};
    }
    return inputs;
  }
  // The same with parts of it unknown.
  Inputs Hide(Inputs inputs) {
    for (size_t i = 0; i < inputs.shapes.size(); ++i) {
      const bool valued = inputs.values.count(static_cast<uint32_t>(i)) > 0;
      if (valued && Below(2) == 0) inputs.values.erase(static_cast<uint32_t>(i));
      if (inputs.values.count(static_cast<uint32_t>(i)) > 0) continue;
      for (int64_t& size : inputs.shapes[i]) {
        if (Below(3) == 0) size = -1;
      }
      if (Below(6) == 0) inputs.shapes[i] = kUnknown;
    }
    return inputs;
  }

 private:
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  std::mt19937 random_;
};

const Case kCases[] = {
    {"UnchangedShape", si::UnchangedShape, 1, {}, {}},
    {"MergeBothInputs", si::MergeBothInputsShapeFn, 2, {}, {}},
    {"Random", si::RandomShape, 1, {0}, {}},
    {"MatMul", si::MatMulShape, 2, {}, {}},
    {"BatchMatMul", si::BatchMatMulShape, 2, {}, {}},
    {"BatchMatMulV2", si::BatchMatMulV2Shape, 2, {}, {}},
    {"Broadcast", si::BroadcastBinaryOpShapeFn, 2, {}, {}},
    {"BiasAdd", si::BiasAddShape, 2, {}, {}},
    {"BiasAddGrad", si::BiasAddGradShape, 1, {}, {}},
    {"ConcatV2", si::ConcatV2Shape, 4, {}, {3}},
    {"Reduction", si::ReductionShape, 2, {1}, {}},
    {"ReductionOfOne", si::ReductionShape, 2, {}, {1}},
    {"GatherNd", si::GatherNdShape, 2, {}, {}},
    {"Slice", si::SliceShape, 3, {1, 2}, {}},
    {"Segments", si::UnsortedSegmentReductionShapeFn, 3, {}, {2}},
};

class RandomShapesTest : public ::testing::TestWithParam<size_t> {};

TEST_P(RandomShapesTest, WhatIsSaidOfAPartIsTrueOfTheWhole) {
  const Case& one = kCases[GetParam()];
  RandomInputs random(static_cast<unsigned>(GetParam()));
  int fitted = 0;
  for (int round = 0; round < 400; ++round) {
    const Inputs whole = random.Whole(one);
    const std::optional<Sizes> all = SizesOf(one, whole);
    for (int part = 0; part < 3; ++part) {
      const Inputs hidden = random.Hide(whole);
      const std::optional<Sizes> some = SizesOf(one, hidden);
      if (!all) continue;
      ASSERT_TRUE(some.has_value()) << one.name << " of " << TextOf(hidden) << " fails, of " << TextOf(whole) << " not";
      EXPECT_TRUE(MayBe(*some, *all)) << one.name << " of " << TextOf(hidden) << " and " << TextOf(whole);
    }
    fitted += all.has_value();
  }
  EXPECT_GT(fitted, 10) << "hardly any inputs fit";
}

// If any call of the host fails, the function fails with the same error, and nothing leaks.
TEST_P(RandomShapesTest, EveryCallOfTheHostMayFail) {
  const Case& one = kCases[GetParam()];
  RandomInputs random(static_cast<unsigned>(GetParam()) + 100);
  for (int round = 0; round < 20; ++round) {
    const Inputs inputs = random.Hide(random.Whole(one));
    if (!SizesOf(one, inputs)) continue;
    for (int call = 0; one.inputs > 0; ++call) {
      bool all_called = false;
      const auto shape = SizesOf(one, inputs, call, &all_called);
      EXPECT_EQ(shape.has_value(), all_called) << one.name << " of " << TextOf(inputs) << ", call " << call;
      if (all_called || HasFailure()) break;
    }
  }
  ExpectNoLeak([&] { SizesOf(one, random.Whole(one), 2); });
}

INSTANTIATE_TEST_SUITE_P(Functions, RandomShapesTest, ::testing::Range<size_t>(0, std::size(kCases)));

}  // namespace
}  // namespace opsrun_test

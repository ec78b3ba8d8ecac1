// tests/sdk/shape_bad_values_test.cc: values, attrs and indices that a shape function cannot use are errors.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

template <typename Read>
std::string ReadBadValue(const std::vector<float>& values, const std::vector<int64_t>& shape, Read read) {
  FakeHost host;
  FakeShapeCall call(host, "?");
  call.Value<float>(0, shape, values);
  return Infer(call, read);
}

TEST(ValuesOfAnotherType, AreErrors) {
  const std::string floats = "error: Sizes and positions must be int32 or int64, but are float32";
  EXPECT_EQ(ReadBadValue({std::nanf("")}, {},
                         [](InferenceContext* c) {
                           DimensionHandle out;
                           return c->MakeDimForScalarInput(0, &out);
                         }),
            floats);
  EXPECT_EQ(ReadBadValue({std::nanf("")}, {},
                         [](InferenceContext* c) {
                           DimensionHandle out;
                           return c->MakeDimForScalarInputWithNegativeIndexing(0, 3, &out);
                         }),
            floats);
  EXPECT_EQ(ReadBadValue({1, 2}, {2},
                         [](InferenceContext* c) {
                           ShapeHandle out;
                           return c->MakeShapeFromTensor(c->input_tensor(0), c->input(0), &out);
                         }),
            floats);
}

TEST(ValuesOfAnotherType, FailTheFunctionThatMapsThem) {
  EXPECT_NE(ReadBadValue({1}, {},
                         [](InferenceContext* c) {
                           c->input_tensor(0)->scalar<int32_t>()();
                           return Status::OK();
                         })
                .find("error: "),
            std::string::npos);
}

TEST(ValuesThatAreNotKnown, AreErrorsWhereOneMustBeRead) {
  EXPECT_EQ(Infer("[]",
                  [](InferenceContext* c) {
                    int64_t value = 0;
                    EXPECT_FALSE(c->GetScalarFromTensor(c->input_tensor(0), 0, &value).ok());
                    return c->GetScalarFromTensor(c->input_tensor(0), &value);
                  }),
            "error: The tensor is NULL: its value is not known before the run");
}

TEST(ElementsOutsideATensor, AreErrors) {
  FakeHost host;
  FakeShapeCall call(host, "[2]");
  call.Value<int32_t>(0, {2}, {6, 7});
  InContext(call, [](InferenceContext* c) {
    int64_t value = 0;
    EXPECT_FALSE(c->GetScalarFromTensor(c->input_tensor(0), kMin, &value).ok());
    EXPECT_FALSE(c->GetScalarFromTensor(c->input_tensor(0), -1, &value).ok());
    EXPECT_FALSE(c->GetScalarFromTensor(c->input_tensor(0), kMax, &value).ok());
  });
}

TEST(AttrsOutOfRange, AreErrors) {
  FakeHost host;
  FakeShapeCall call(host, "[2]");
  call.attrs.Int("n", int64_t{1} << 40).Shape("shape", std::vector<int64_t>(3, -7)).Float("x", std::nan(""));
  InContext(call, [](InferenceContext* c) {
    int n = 0;
    opsrun::PartialTensorShape shape;
    ShapeHandle out;
    EXPECT_FALSE(c->GetAttr("n", &n).ok());
    EXPECT_FALSE(c->GetAttr("x", &n).ok());
    EXPECT_TRUE(c->GetAttr("shape", &shape).ok());
    EXPECT_EQ(c->MakeShapeFromPartialTensorShape(shape, &out).message(), "No dimension has size -7");
    EXPECT_FALSE(out.IsSet());
  });
}

TEST(IndicesOutOfRange, FailTheFunction) {
  const auto failing = [](auto use) {
    return Infer("[1]", [=](InferenceContext* c) {
      use(c);
      return Status::OK();
    });
  };
  const std::string none = "error: The shape function uses input 4294967296 (counted from 0); the op has 1 input";
  constexpr int64_t kFar = int64_t{1} << 32;  // would be input 0 if it were cut to 32 bits
  EXPECT_EQ(failing([](InferenceContext* c) { c->input(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->input_tensor(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->request_input_tensor(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->requested_input_tensor(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->request_input_tensor_as_partial_shape(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->SetInput(kFar, c->input(0)); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->MergeInput(kFar, c->input(0)); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->output(kMin); }),
            "error: The shape function uses output -9223372036854775808 (counted from 0); the op has 1 output");
}

}  // namespace
}  // namespace opsrun_test

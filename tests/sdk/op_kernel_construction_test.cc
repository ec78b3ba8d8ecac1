// tests/sdk/op_kernel_construction_test.cc: the API of a kernel's constructor, and its failures.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "tests/sdk/live_memory.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

TEST(GetAttr, ReadsEveryKind) {
  BodyTest t;
  t.create.attrs.Int("i", -7).Float("f", 0.5).Bool("b", true).String("s", "text").Type("t", OPSRUN_DT_HALF);
  t.create.attrs.Ints("li", {1, 2}).Strings("ls", {"a", ""}).Ints("none", {});
  t.Constructs([](OpKernelConstruction* context) {
    int32 i32;
    int64 i64;
    int64_t other;
    float f;
    bool b;
    string s;
    DataType type;
    std::vector<int32> li, none = {1};
    std::vector<string> ls;
    OP_REQUIRES_OK(context, context->GetAttr("i", &i32));
    OP_REQUIRES_OK(context, context->GetAttr("i", &i64));
    OP_REQUIRES_OK(context, context->GetAttr("i", &other));
    OP_REQUIRES_OK(context, context->GetAttr("f", &f));
    OP_REQUIRES_OK(context, context->GetAttr("b", &b));
    OP_REQUIRES_OK(context, context->GetAttr("s", &s));
    OP_REQUIRES_OK(context, context->GetAttr("t", &type));
    OP_REQUIRES_OK(context, context->GetAttr("li", &li));
    OP_REQUIRES_OK(context, context->GetAttr("ls", &ls));
    OP_REQUIRES_OK(context, context->GetAttr("none", &none));
    EXPECT_EQ(i32 + i64 + other, -21);
    EXPECT_EQ(f, 0.5f);
    EXPECT_TRUE(b);
    EXPECT_EQ(s, "text");
    EXPECT_EQ(type, DT_HALF);
    EXPECT_EQ(li, (std::vector<int32>{1, 2}));
    EXPECT_EQ(ls, (std::vector<string>{"a", ""}));
    EXPECT_TRUE(none.empty());
  });
}

TEST(GetAttr, BlamesAnAttrThatIsAbsentOrOfAnotherKindOrTooLarge) {
  BodyTest t;
  t.create.attrs.Int("large", int64_t{1} << 40).Float("f", 1);
  int32 value = 0;
  const auto read = [&](const char* name) {
    return t.Construct(
        [&, name](OpKernelConstruction* context) { context->SetStatus(context->GetAttr(name, &value)); });
  };
  EXPECT_EQ(read("absent"), "5: The op has no attr 'absent' (it has: large, f) [attr:absent]");
  EXPECT_EQ(read("f"), "3: Attr 'f' is of kind float; the kernel reads it as int [attr:f]");
  EXPECT_EQ(read("large"), "3: The value of attr 'large' does not fit the C++ type it is read into [attr:large]");
}

template <typename T>
struct Kind {
  static bool Reads(OpKernelConstruction* context, const char* name) {
    T value{};
    const Status status = context->GetAttr(name, &value);
    EXPECT_TRUE(status.ok() ||
                (status.code() == error::INVALID_ARGUMENT && status.subject() == std::string("attr:") + name));
    return status.ok();
  }
};

// Every attr can be read as its own kind, single or list, and as no other.
TEST(GetAttr, ReadsAnAttrAsItsOwnKindAlone) {
  BodyTest t;
  t.create.attrs.Int("int", 1).Ints("ints", {1}).Float("float", 1).Floats("floats", {1}).Bool("bool", true);
  t.create.attrs.Bools("bools", {1}).String("string", "a").Strings("strings", {"a"}).Type("type", OPSRUN_DT_INT32);
  t.create.attrs.Types("types", {OPSRUN_DT_INT32}).Shape("shape", {1}).Shapes("shapes", {{1}});
  t.create.attrs.Tensor("tensor", t.host.View(TestTensor({1}, std::vector<int32_t>{1})));
  const std::vector<const char*> names = {"int",     "ints", "float", "floats", "bool",   "bools", "string",
                                          "strings", "type", "types", "shape",  "shapes", "tensor"};
  const std::vector<bool (*)(OpKernelConstruction*, const char*)> kinds = {Kind<int32>::Reads,
                                                                           Kind<std::vector<int64>>::Reads,
                                                                           Kind<float>::Reads,
                                                                           Kind<std::vector<float>>::Reads,
                                                                           Kind<bool>::Reads,
                                                                           Kind<std::vector<bool>>::Reads,
                                                                           Kind<string>::Reads,
                                                                           Kind<std::vector<string>>::Reads,
                                                                           Kind<DataType>::Reads,
                                                                           Kind<DataTypeVector>::Reads,
                                                                           Kind<PartialTensorShape>::Reads,
                                                                           Kind<std::vector<TensorShape>>::Reads,
                                                                           Kind<Tensor>::Reads};
  t.Constructs([&](OpKernelConstruction* context) {
    for (size_t name = 0; name < names.size(); ++name) {
      for (size_t kind = 0; kind < kinds.size(); ++kind) {
        EXPECT_EQ(kinds[kind](context, names[name]), name == kind) << names[name] << " as " << names[kind];
      }
    }
  });
}

TEST(GetAttr, ReadsListsOfAnyLengthInOrder) {
  BodyTest t;
  t.create.attrs.Ints("ints", {3, -1, 4}).Floats("floats", {0.5, 1.5}).Bools("bools", {1, 0, 1}).Floats("none", {});
  t.create.attrs.Strings("strings", {"a", "", "c"}).Types("types", {OPSRUN_DT_INT32, OPSRUN_DT_HALF});
  t.create.attrs.Shapes("shapes", {{}, {2, 3}, {0}});
  t.Constructs([](OpKernelConstruction* context) {
    std::vector<int32> ints = {9};
    std::vector<float> floats = {9}, none = {9};
    std::vector<bool> bools = {true};
    std::vector<tstring> texts = {"9"};
    DataTypeVector types = {DT_INT8};
    std::vector<TensorShape> shapes = {TensorShape({9})};
    OP_REQUIRES_OK(context, context->GetAttr("ints", &ints));
    OP_REQUIRES_OK(context, context->GetAttr("floats", &floats));
    OP_REQUIRES_OK(context, context->GetAttr("none", &none));
    OP_REQUIRES_OK(context, context->GetAttr("bools", &bools));
    OP_REQUIRES_OK(context, context->GetAttr("strings", &texts));
    OP_REQUIRES_OK(context, context->GetAttr("types", &types));
    OP_REQUIRES_OK(context, context->GetAttr("shapes", &shapes));
    EXPECT_EQ(ints, (std::vector<int32>{3, -1, 4}));
    EXPECT_EQ(floats, (std::vector<float>{0.5, 1.5}));
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(bools, (std::vector<bool>{true, false, true}));
    EXPECT_EQ(texts, (std::vector<tstring>{"a", "", "c"}));
    EXPECT_EQ(types, (DataTypeVector{DT_INT32, DT_HALF}));
    EXPECT_EQ(shapes, (std::vector<TensorShape>{TensorShape({}), TensorShape({2, 3}), TensorShape({0})}));
  });
}

TEST(GetAttr, FitsANumberIntoItsType) {
  BodyTest t;
  t.create.attrs.Int("most", INT32_MAX).Int("least", INT32_MIN).Int("more", int64_t{INT32_MAX} + 1);
  t.create.attrs.Int("less", int64_t{INT32_MIN} - 1).Int("unsigned", UINT32_MAX).Int("negative", -1);
  t.create.attrs.Ints("second", {1, int64_t{1} << 32}).Shape("partial", {1, -1}).Int("long", INT64_MIN);
  t.Constructs([](OpKernelConstruction* context) {
    int32 number = 0;
    uint32 positive = 0;
    int64 large = 0;
    std::vector<int32> numbers;
    TensorShape shape;
    EXPECT_TRUE(context->GetAttr("most", &number).ok());
    EXPECT_EQ(number, INT32_MAX);
    EXPECT_TRUE(context->GetAttr("least", &number).ok());
    EXPECT_EQ(number, INT32_MIN);
    EXPECT_EQ(context->GetAttr("more", &number).code(), error::INVALID_ARGUMENT);
    EXPECT_EQ(context->GetAttr("less", &number).code(), error::INVALID_ARGUMENT);
    EXPECT_TRUE(context->GetAttr("unsigned", &positive).ok());
    EXPECT_EQ(positive, UINT32_MAX);
    EXPECT_EQ(context->GetAttr("negative", &positive).code(), error::INVALID_ARGUMENT);
    EXPECT_EQ(context->GetAttr("second", &numbers).code(), error::INVALID_ARGUMENT);
    EXPECT_EQ(context->GetAttr("partial", &shape).code(), error::INVALID_ARGUMENT);
    EXPECT_TRUE(context->GetAttr("long", &large).ok());
    EXPECT_EQ(large, INT64_MIN);
  });
}

TEST(GetAttr, IsAskedWithHasAttr) {
  BodyTest t;
  t.create.attrs.Int("here", 1);
  t.Constructs([](OpKernelConstruction* context) {
    EXPECT_TRUE(context->HasAttr("here"));
    EXPECT_FALSE(context->HasAttr("there"));
    int32 value = 0;
    context->GetAttr("there", &value).IgnoreError();
  });
}

TEST(Construction, FailsWithTheFirstStatus) {
  BodyTest t;
  t.ConstructFails("3: first", [](OpKernelConstruction* context) {
    context->CtxFailure(errors::InvalidArgument("first"));
    OP_REQUIRES(context, false, errors::Internal("second"));
    ADD_FAILURE() << "not reached";
  });
}

TEST(Construction, ComparesBothSidesOfTheSignature) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_FLOAT).Out("y", OPSRUN_DT_BOOL);
  const auto match = [&](const char* failure, DataTypeVector in, DataTypeVector out) {
    t.ConstructFails(failure,
                     [&](OpKernelConstruction* context) { context->SetStatus(context->MatchSignature(in, out)); });
  };
  match("", {DT_FLOAT}, {DT_BOOL});
  match("3:", {DT_FLOAT}, {DT_INT8});
  match("3:", {DT_INT8}, {DT_BOOL});
  match("3:", {DT_FLOAT}, {});
  match("3:", {}, {DT_BOOL});
  match("3:", {DT_FLOAT}, {DT_BOOL, DT_BOOL});
}

// For numbers and for texts: read twice, with one kept longer than the other.
TEST(Construction, GivesBackTensorsThatAreAttrs) {
  BodyTest t;
  t.create.attrs.Tensor("numbers", t.host.View(TestTensor({2}, std::vector<int32_t>{7, 8})));
  t.create.attrs.Tensor("texts", t.host.View(TestTensor::OfStrings({2}, {"", "two"})));
  Tensor kept;
  for (int round = 0; round < 2; ++round) {
    t.Constructs([&](OpKernelConstruction* context) {
      Tensor first, second;
      OP_REQUIRES_OK(context, context->GetAttr("numbers", &first));
      OP_REQUIRES_OK(context, context->GetAttr("texts", &second));
      EXPECT_EQ(first.vec<int32>()(1), 8);
      kept = second;
    });
    EXPECT_EQ(t.host.held_tensors(), 1);
    EXPECT_EQ(static_cast<const Tensor&>(kept).vec<tstring>()(1), "two");
  }
  kept = Tensor();
  EXPECT_EQ(t.host.held_tensors(), 0);
}

TEST(Construction, LeavesNothingBehindWhenItFails) {
  ExpectNoLeak([] {
    BodyTest t;
    t.create.In("x", OPSRUN_DT_INT32).attrs.Int("i", 1);
    t.ConstructFails("13:", [](OpKernelConstruction* context) {
      Tensor kept;
      OP_REQUIRES_OK(context, context->allocate_temp(DT_STRING, {2}, &kept));
      OP_REQUIRES(context, false, errors::Internal("on purpose"));
    });
    EXPECT_EQ(t.Construct([](OpKernelConstruction*) { throw std::runtime_error("oh"); }).substr(0, 2), "13");
  });
}

TEST(Construction, StopsWhatIsThrown) {
  BodyTest t;
  t.ConstructFails("13: The plugin threw an exception: oh",
                   [](OpKernelConstruction*) { throw std::runtime_error("oh"); });
  EXPECT_EQ(t.Construct([](OpKernelConstruction*) { throw std::bad_alloc(); }), "8: Out of memory");
}

TEST(Construction, KnowsTheSignature) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_FLOAT).InList("l", {OPSRUN_DT_INT32, OPSRUN_DT_INT64}).Out("y", OPSRUN_DT_BOOL);
  t.ConstructFails(
      "3: Signature mismatch: the op has [float32, int32, int64] -> [bool], the kernel expects [float32] -> [bool]",
      [](OpKernelConstruction* context) {
        EXPECT_EQ(context->num_inputs(), 3);
        EXPECT_EQ(context->input_type(2), DT_INT64);
        EXPECT_EQ(context->output_type(0), DT_BOOL);
        OP_REQUIRES_OK(context, context->MatchSignature({DT_FLOAT, DT_INT32, DT_INT64}, {DT_BOOL}));
        OP_REQUIRES_OK(context, context->MatchSignature({DT_FLOAT}, {DT_BOOL}));
      });
}

TEST(Construction, KnowsItsDevice) {
  BodyTest t;
  const auto device = [&](int32_t type) {
    std::string is;
    t.create.device = {type, 0};
    t.Constructs([&](OpKernelConstruction* context) { is = context->device_type(); });
    return is;
  };
  EXPECT_EQ(device(OPSRUN_DEVICE_CPU), "CPU");
  EXPECT_EQ(device(OPSRUN_DEVICE_CUDA), "GPU");
}

TEST(Construction, AllocatesATensorToKeep) {
  BodyTest t;
  Tensor kept;
  t.Constructs(
      [&](OpKernelConstruction* context) { OP_REQUIRES_OK(context, context->allocate_temp(DT_FLOAT, {2}, &kept)); });
  EXPECT_EQ(kept.NumElements(), 2);
  kept = Tensor();
}

}  // namespace
}  // namespace opsrun_test

// tests/sdk/op_kernel_construction_test.cc: the API of a kernel's constructor, and its failures.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <stdexcept>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

// The value of an attr.
template <typename T>
T Read(OpKernelConstruction* context, const char* name) {
  T value{};
  EXPECT_EQ(context->GetAttr(name, &value), Status()) << name;
  return value;
}

// Every C++ type, and lists of any length in order, which replace what the vector held.
TEST(GetAttr, ReadsEveryKind) {
  BodyTest t;
  t.create.attrs.Int("i", -7).Float("f", 0.5).Bool("b", true).String("s", "text").Type("t", OPSRUN_DT_HALF);
  t.create.attrs.Ints("ints", {3, -1, 4}).Floats("floats", {0.5, 1.5}).Bools("bools", {1, 0, 1}).Floats("none", {});
  t.create.attrs.Strings("strings", {"a", "", "c"}).Types("types", {OPSRUN_DT_INT32, OPSRUN_DT_HALF});
  t.create.attrs.Shapes("shapes", {{}, {2, 3}, {0}});
  t.Constructs([](OpKernelConstruction* context) {
    EXPECT_EQ(Read<int32>(context, "i"), -7);
    EXPECT_EQ(Read<int64>(context, "i"), -7);
    EXPECT_EQ(Read<int64_t>(context, "i"), -7);
    EXPECT_EQ(Read<float>(context, "f"), 0.5f);
    EXPECT_TRUE(Read<bool>(context, "b"));
    EXPECT_EQ(Read<string>(context, "s"), "text");
    EXPECT_EQ(Read<DataType>(context, "t"), DT_HALF);
    EXPECT_EQ(Read<std::vector<int32>>(context, "ints"), (std::vector<int32>{3, -1, 4}));
    EXPECT_EQ(Read<std::vector<float>>(context, "floats"), (std::vector<float>{0.5, 1.5}));
    EXPECT_EQ(Read<std::vector<bool>>(context, "bools"), (std::vector<bool>{true, false, true}));
    EXPECT_EQ(Read<std::vector<string>>(context, "strings"), (std::vector<string>{"a", "", "c"}));
    EXPECT_EQ(Read<std::vector<tstring>>(context, "strings"), (std::vector<tstring>{"a", "", "c"}));
    EXPECT_EQ(Read<DataTypeVector>(context, "types"), (DataTypeVector{DT_INT32, DT_HALF}));
    EXPECT_EQ(Read<std::vector<TensorShape>>(context, "shapes"), (std::vector<TensorShape>{{}, {2, 3}, {0}}));
    std::vector<float> none = {9};
    OP_REQUIRES_OK(context, context->GetAttr("none", &none));
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
  EXPECT_EQ(read("absent"), "5: The op has no attr 'absent' (it has: large, f) [plugin]");
  EXPECT_EQ(read("f"), "3: Attr 'f' is of kind float; the kernel reads it as int [plugin]");
  EXPECT_EQ(read("large"), "3: The value of attr 'large' does not fit the C++ type it is read into [attr:large]");
}

template <typename T>
bool Reads(OpKernelConstruction* context, const std::string& name) {
  T value{};
  const Status status = context->GetAttr(name, &value);
  EXPECT_TRUE(status.ok() || (status.code() == error::INVALID_ARGUMENT && status.subject() == "plugin"));
  return status.ok();
}

// Every attr can be read as its own kind, single or list, and as no other.
TEST(GetAttr, ReadsAnAttrAsItsOwnKindAlone) {
  BodyTest t;
  t.create.attrs.Int("int", 1).Ints("ints", {1}).Float("float", 1).Floats("floats", {1}).Bool("bool", true);
  t.create.attrs.Bools("bools", {1}).String("string", "a").Strings("strings", {"a"}).Type("type", OPSRUN_DT_INT32);
  t.create.attrs.Types("types", {OPSRUN_DT_INT32}).Shape("shape", {1}).Shapes("shapes", {{1}});
  t.create.attrs.Tensor("tensor", t.host.View(TestTensor({1}, std::vector<int32_t>{1})));
  const std::map<std::string, bool (*)(OpKernelConstruction*, const std::string&)> kinds = {
      {"int", Reads<int32>},
      {"ints", Reads<std::vector<int64>>},
      {"float", Reads<float>},
      {"floats", Reads<std::vector<float>>},
      {"bool", Reads<bool>},
      {"bools", Reads<std::vector<bool>>},
      {"string", Reads<string>},
      {"strings", Reads<std::vector<string>>},
      {"type", Reads<DataType>},
      {"types", Reads<DataTypeVector>},
      {"tensor", Reads<Tensor>},
      {"shapes", Reads<std::vector<TensorShape>>},
      {"shape", Reads<PartialTensorShape>}};
  t.Constructs([&](OpKernelConstruction* context) {
    for (const auto& [name, its_own] : kinds) {
      for (const auto& [kind, reads] : kinds) EXPECT_EQ(reads(context, name), name == kind) << name << " as " << kind;
    }
  });
}

template <typename T>
error::Code CodeOfReading(OpKernelConstruction* context, const char* name) {
  T value{};
  return context->GetAttr(name, &value).code();
}

TEST(GetAttr, FitsANumberIntoItsType) {
  BodyTest t;
  t.create.attrs.Int("most", INT32_MAX).Int("least", INT32_MIN).Int("more", int64_t{INT32_MAX} + 1);
  t.create.attrs.Int("less", int64_t{INT32_MIN} - 1).Int("unsigned", UINT32_MAX).Int("negative", -1);
  t.create.attrs.Ints("second", {1, int64_t{1} << 32}).Shape("partial", {1, -1}).Int("long", INT64_MIN);
  t.Constructs([](OpKernelConstruction* context) {
    EXPECT_EQ(Read<int32>(context, "most"), INT32_MAX);
    EXPECT_EQ(Read<int32>(context, "least"), INT32_MIN);
    EXPECT_EQ(Read<uint32>(context, "unsigned"), UINT32_MAX);
    EXPECT_EQ(Read<int64>(context, "long"), INT64_MIN);
    EXPECT_EQ(CodeOfReading<int32>(context, "more"), error::INVALID_ARGUMENT);
    EXPECT_EQ(CodeOfReading<int32>(context, "less"), error::INVALID_ARGUMENT);
    EXPECT_EQ(CodeOfReading<uint32>(context, "negative"), error::INVALID_ARGUMENT);
    EXPECT_EQ(CodeOfReading<std::vector<int32>>(context, "second"), error::INVALID_ARGUMENT);
    EXPECT_EQ(CodeOfReading<TensorShape>(context, "partial"), error::INVALID_ARGUMENT);
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
    t.ConstructFails("13: The plugin threw an exception: oh",
                     [](OpKernelConstruction*) { throw std::runtime_error("oh"); });
    t.ConstructFails("8: Out of memory", [](OpKernelConstruction*) { throw std::bad_alloc(); });
  });
}

TEST(Construction, KnowsTheSignatureAndComparesBothSides) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_FLOAT).InList("l", {OPSRUN_DT_INT32, OPSRUN_DT_INT64}).Out("y", OPSRUN_DT_BOOL);
  const auto match = [&](const char* failure, const DataTypeVector& in, const DataTypeVector& out) {
    t.ConstructFails(failure, [&](OpKernelConstruction* context) {
      EXPECT_EQ(context->num_inputs(), 3);
      EXPECT_EQ(context->input_type(2), DT_INT64);
      EXPECT_EQ(context->output_type(0), DT_BOOL);
      context->SetStatus(context->MatchSignature(in, out));
    });
  };
  const DataTypeVector in = {DT_FLOAT, DT_INT32, DT_INT64};
  match("", in, {DT_BOOL});
  match("3: Signature mismatch: the op has [float32, int32, int64] -> [bool], the kernel expects [float32] -> [bool]",
        {DT_FLOAT}, {DT_BOOL});
  match("3:", in, {DT_INT8});
  match("3:", {DT_FLOAT, DT_INT32, DT_INT8}, {DT_BOOL});
  match("3:", in, {});
  match("3:", {}, {DT_BOOL});
  match("3:", in, {DT_BOOL, DT_BOOL});
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

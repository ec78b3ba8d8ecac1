// tests/sdk/op_kernel_construction_test.cc: what a kernel's constructor can ask, and how it fails.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

TEST(GetAttr, ReadsEveryKind) {
  BodyTest t;
  t.create.attrs.Int("i", -7).Float("f", 0.5).Bool("b", true).String("s", "text").Type("t", OPSRUN_DT_HALF);
  t.create.attrs.Ints("li", {1, 2}).Strings("ls", {"a", ""}).Ints("none", {});
  EXPECT_EQ(t.Construct([](OpKernelConstruction* context) {
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
  }),
            "");
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

TEST(GetAttr, IsAskedWithHasAttr) {
  BodyTest t;
  t.create.attrs.Int("here", 1);
  EXPECT_EQ(t.Construct([](OpKernelConstruction* context) {
    EXPECT_TRUE(context->HasAttr("here"));
    EXPECT_FALSE(context->HasAttr("there"));
    int32 value = 0;
    context->GetAttr("there", &value).IgnoreError();
  }),
            "");
}

TEST(Construction, FailsWithTheFirstStatus) {
  BodyTest t;
  EXPECT_EQ(t.Construct([](OpKernelConstruction* context) {
    context->CtxFailure(errors::InvalidArgument("first"));
    OP_REQUIRES(context, false, errors::Internal("second"));
    ADD_FAILURE() << "not reached";
  }),
            "3: first");
}

TEST(Construction, StopsWhatIsThrown) {
  BodyTest t;
  EXPECT_EQ(t.Construct([](OpKernelConstruction*) { throw std::runtime_error("oh"); }),
            "13: The plugin threw an exception: oh");
  EXPECT_EQ(t.Construct([](OpKernelConstruction*) { throw std::bad_alloc(); }), "8: Out of memory");
}

TEST(Construction, KnowsTheSignature) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_FLOAT).InList("l", {OPSRUN_DT_INT32, OPSRUN_DT_INT64}).Out("y", OPSRUN_DT_BOOL);
  EXPECT_EQ(t.Construct([](OpKernelConstruction* context) {
    EXPECT_EQ(context->num_inputs(), 3);
    EXPECT_EQ(context->input_type(2), DT_INT64);
    EXPECT_EQ(context->output_type(0), DT_BOOL);
    OP_REQUIRES_OK(context, context->MatchSignature({DT_FLOAT, DT_INT32, DT_INT64}, {DT_BOOL}));
    OP_REQUIRES_OK(context, context->MatchSignature({DT_FLOAT}, {DT_BOOL}));
  }),
            "3: Signature mismatch: the op has [float32, int32, int64] -> [bool], the kernel expects [float32] -> [bool]");
}

TEST(Construction, AllocatesATensorToKeep) {
  BodyTest t;
  Tensor kept;
  EXPECT_EQ(t.Construct([&](OpKernelConstruction* context) {
    OP_REQUIRES_OK(context, context->allocate_temp(DT_FLOAT, {2}, &kept));
  }),
            "");
  EXPECT_EQ(kept.NumElements(), 2);
  kept = Tensor();
}

}  // namespace
}  // namespace opsrun_test

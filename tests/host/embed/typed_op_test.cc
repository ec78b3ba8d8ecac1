// tests/host/embed/typed_op_test.cc: ops for programs that are hosts themselves.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

#include "opsrun/embed_host.h"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

using testing::ElementsAre;

class TypedOpTest : public Embedded {
 protected:
  ~TypedOpTest() override {
    opsrun_gradient_free(gradient_);
    opsrun_shapes_free(shapes_);
    opsrun_kernel_object_destroy(kernel_);
    opsrun_typed_op_destroy(typed_);
  }

  static opsrun_op_input Input(const char* arg, int32_t dtype, uint32_t list = 0) {
    return {opsrun_str_of(arg), dtype, 0, nullptr, list, 0};
  }

  // The codes of the report; the op is typed_.
  std::string Type(const char* op, const std::vector<opsrun_op_input>& inputs,
                   const std::vector<opsrun_attr>& attrs = {}) {
    opsrun_report* report = nullptr;
    code_ = opsrun_engine_type_op(engine_, opsrun_str_of(op), inputs.data(), static_cast<uint32_t>(inputs.size()),
                                  attrs.data(), static_cast<uint32_t>(attrs.size()), &typed_, &report);
    return CodesOf(report);
  }
  std::string Infer(const std::vector<opsrun_known_input>& inputs) {
    opsrun_shapes_free(std::exchange(shapes_, nullptr));
    opsrun_report* report = nullptr;
    code_ = opsrun_typed_op_infer(typed_, inputs.data(), static_cast<uint32_t>(inputs.size()), &shapes_, &report);
    return CodesOf(report);
  }
  std::string Differentiate(const std::vector<opsrun_known_sizes>& shapes = {}) {
    opsrun_gradient_free(std::exchange(gradient_, nullptr));
    opsrun_report* report = nullptr;
    code_ =
        opsrun_typed_op_differentiate(typed_, shapes.data(), static_cast<uint32_t>(shapes.size()), &gradient_, &report);
    return CodesOf(report);
  }
  std::string MakeKernel(const char* device) {
    opsrun_report* report = nullptr;
    code_ = opsrun_typed_op_make_kernel(typed_, opsrun_str_of(device), &kernel_, &report);
    return CodesOf(report);
  }
  // The gradient of an op, without known shapes.
  const opsrun_gradient_info& GradientOf(const char* op, const std::vector<opsrun_op_input>& inputs,
                                         const std::vector<opsrun_attr>& attrs = {}) {
    EXPECT_EQ(Type(op, inputs, attrs), "");
    EXPECT_EQ(Differentiate(), "");
    return *opsrun_gradient_get(gradient_);
  }
  void AddTestOps() {
    ASSERT_EQ(opsrun_engine_add_plugin(engine_, opsrun_str_of(OPSRUN_GRADIENT_OPS), nullptr, nullptr), OPSRUN_OK);
  }
  std::string CallName(uint32_t i) const {
    return TextOf(opsrun_typed_op_get(opsrun_gradient_get(gradient_)->calls[i].op)->name);
  }
  // "3", "x0[1]" for dimension 1 of input 0, "v0[1]" for an element, "(a + b)", "?"
  std::string SizeText(uint32_t i) const {
    const opsrun_size& size = opsrun_shapes_get(shapes_)->sizes[i];
    const auto place = [&](const char* what) {
      return what + std::to_string(size.a) + "[" + std::to_string(size.b) + "]";
    };
    if (size.kind == OPSRUN_SIZE_KNOWN) return std::to_string(size.value);
    if (size.kind == OPSRUN_SIZE_INPUT) return place("x");
    if (size.kind == OPSRUN_SIZE_ELEMENT) return place("v");
    if (size.kind == OPSRUN_SIZE_UNKNOWN) return "?";
    return "(" + SizeText(size.a) + " " + "+-*/<>"[size.kind - OPSRUN_SIZE_OP] + " " + SizeText(size.b) + ")";
  }
  std::vector<std::string> ShapeText(uint32_t output) const {
    return ListText(opsrun_shapes_get(shapes_)->outputs[output]);
  }
  std::vector<std::string> ElementsText(uint32_t output) const {
    return ListText(opsrun_shapes_get(shapes_)->as_shape[output]);
  }
  std::vector<std::string> ListText(const opsrun_size_list& list) const {
    std::vector<std::string> text;
    for (int32_t i = 0; i < list.rank; ++i) text.push_back(SizeText(list.sizes[i]));
    return text;
  }

  opsrun_typed_op* typed_ = nullptr;
  opsrun_kernel_object* kernel_ = nullptr;
  opsrun_shapes* shapes_ = nullptr;
  opsrun_gradient* gradient_ = nullptr;
  int32_t code_ = OPSRUN_OK;
};

// They are borrowed from the arguments, which end with the statement.
opsrun_known_sizes Sizes(const std::vector<int64_t>& sizes, const std::vector<uint32_t>& symbols = {}) {
  return {static_cast<int32_t>(sizes.size()), 0, sizes.data(), symbols.empty() ? nullptr : symbols.data()};
}
constexpr opsrun_known_sizes kNothing = {-1, 0, nullptr, nullptr};
opsrun_known_input Known(const opsrun_known_sizes& shape) {
  return {shape, nullptr, kNothing};
}

TEST_F(TypedOpTest, FillsInTypesAndAttrs) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_HALF)}), "");
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(typed_);
  EXPECT_EQ(TextOf(info.plugin), "zero_out");
  ASSERT_EQ(info.n_attrs, 2u);
  EXPECT_EQ(info.attrs[0].v.i, OPSRUN_DT_HALF);
  EXPECT_EQ(info.attrs[1].v.i, 0);
  ASSERT_EQ(info.n_out, 1u);
  EXPECT_EQ(info.out_types[0], OPSRUN_DT_HALF);
  EXPECT_EQ(TextOf(info.out_args[0].name), "zeroed");
  EXPECT_EQ(info.gradient, OPSRUN_GRADIENT_DECLARED);
  EXPECT_EQ(info.has_shape_function, 1u);
}

TEST_F(TypedOpTest, RefusesWhatTheOpDoesNotTake) {
  EXPECT_THAT(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_BOOL)}), testing::StartsWith("G215"));
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(typed_, nullptr);
  EXPECT_THAT(Type("ZeroOat", {}), testing::StartsWith("G201"));
  EXPECT_EQ(code_, OPSRUN_NOT_FOUND);
  EXPECT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_VARIANT)}), "F305 ");
}

TEST_F(TypedOpTest, TypesAnOpThatTakesResources) {
  ASSERT_EQ(Type("LookupTableFind", {Input("table_handle", OPSRUN_DT_RESOURCE), Input("keys", OPSRUN_DT_STRING),
                                     Input("default_value", OPSRUN_DT_INT64)}),
            "");
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(typed_);
  EXPECT_EQ(info.in_types[0], OPSRUN_DT_RESOURCE);
  EXPECT_EQ(info.out_types[0], OPSRUN_DT_INT64);
  EXPECT_EQ(MakeKernel("cpu"), "");
}

TEST_F(TypedOpTest, KnowsAnEmptyListFromAMissingInput) {
  const auto message = [&](const std::vector<opsrun_op_input>& inputs) {
    opsrun_report* report = nullptr;
    EXPECT_EQ(opsrun_engine_type_op(engine_, opsrun_str_of("AddN"), inputs.data(), static_cast<uint32_t>(inputs.size()),
                                    nullptr, 0, &typed_, &report),
              OPSRUN_INVALID_ARGUMENT);
    const std::string text = TextOf(opsrun_report_get(report, 0)->message);
    opsrun_report_free(report);
    return text;
  };
  EXPECT_EQ(message({Input("inputs", 0, OPSRUN_LIST_EMPTY)}),
            "input 'inputs' holds 0 tensors, but op 'AddN' asks for at least 1");
  EXPECT_EQ(message({}), "input 'inputs' of op 'AddN' is missing");
}

TEST_F(TypedOpTest, InfersSizes) {
  ASSERT_EQ(Type("MatMul", {Input("a", OPSRUN_DT_FLOAT), Input("b", OPSRUN_DT_FLOAT)}), "");
  ASSERT_EQ(Infer({Known(Sizes({2, 3})), Known(Sizes({3, 4}))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("2", "4"));
  ASSERT_EQ(Infer({Known(Sizes({-1, -1})), Known(Sizes({3, -1}))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("x0[0]", "x1[1]"));
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_equal, 1u) << "a's columns and b's rows";
  EXPECT_EQ(Infer({Known(Sizes({2, 3})), Known(Sizes({4, 4}))}), "G217 ");
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(shapes_, nullptr);
  EXPECT_EQ(Infer({Known(Sizes({2, 3}))}), "G217 ");
}

TEST_F(TypedOpTest, CalculatesWithUnknownSizes) {
  const auto values = [](uint32_t list) { return Input("values", OPSRUN_DT_FLOAT, list); };
  ASSERT_EQ(Type("Concat", {Input("concat_dim", OPSRUN_DT_INT32), values(1), values(1)}), "");
  Ints dim({}, {0});
  const opsrun_known_input axis = {Sizes({}), &dim.array(), kNothing};
  ASSERT_EQ(Infer({axis, Known(Sizes({-1, 3}, {1, 0})), Known(Sizes({-1, 3}, {2, 0}))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("(x2[0] + x1[0])", "3"));
  ASSERT_EQ(Infer({axis, Known(Sizes({-1, 3}, {1, 0})), Known(Sizes({-1, 3}, {1, 0}))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("(x1[0] + x1[0])", "3")) << "they have one symbol";
}

TEST_F(TypedOpTest, ReadsShapesThatAreValues) {
  ASSERT_EQ(Type("Reshape", {Input("tensor", OPSRUN_DT_FLOAT), Input("shape", OPSRUN_DT_INT64)}), "");
  ASSERT_EQ(Infer({Known(Sizes({-1})), {Sizes({2}), nullptr, Sizes({-1, 4}, {7, 0})}}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("v1[0]", "4"));
  ASSERT_EQ(Infer({Known(Sizes({-1, 6}, {5, 0})), {Sizes({3}), nullptr, Sizes({2, -1, -2}, {0, 5, 0})}}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("2", "x0[0]", "3")) << "sizes are known by their symbols";
}

TEST_F(TypedOpTest, PassesElementsOnThatAreKnownInPart) {
  const auto values = Input("values", OPSRUN_DT_INT32, 1);
  ASSERT_EQ(Type("Pack", {values, values, values}), "");
  const auto scalar = [](const opsrun_known_sizes& element) { return opsrun_known_input{Sizes({}), nullptr, element}; };
  ASSERT_EQ(Infer({scalar(Sizes({-1})), scalar(Sizes({-3})), scalar(Sizes({INT64_MIN}))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("3"));
  EXPECT_THAT(ElementsText(0), ElementsAre("v0[0]", "-2", "?"));
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
}

TEST_F(TypedOpTest, ElementsThatAreAllKnownAreAValue) {
  ASSERT_EQ(Type("Transpose", {Input("x", OPSRUN_DT_FLOAT), Input("perm", OPSRUN_DT_INT32)}), "");
  ASSERT_EQ(Infer({Known(Sizes({4, -1})), {Sizes({2}), nullptr, Sizes({1, 0})}}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("x0[1]", "4"));
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
  ASSERT_EQ(Infer({Known(Sizes({4, -1})), {Sizes({2}), nullptr, Sizes({int64_t{1} << 40, 0})}}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("?", "?")) << "no int32 is that large";
  EXPECT_EQ(Infer({Known(Sizes({int64_t{1} << 40, 0})), {Sizes({3}), nullptr, Sizes({1, 0})}}), "G217 ");
  EXPECT_EQ(Infer({Known(Sizes({-2, 4})), Known(Sizes({2}))}), "G217 ") << "no size is negative";
}

TEST_F(TypedOpTest, SaysWhichValuesTheFunctionAskedFor) {
  ASSERT_EQ(Type("Reshape", {Input("tensor", OPSRUN_DT_FLOAT), Input("shape", OPSRUN_DT_INT32)}), "");
  ASSERT_EQ(Infer({Known(Sizes({4})), Known(Sizes({2}))}), "");
  ASSERT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 1u);
  EXPECT_EQ(opsrun_shapes_get(shapes_)->wanted[0], 1u);
  Ints value({2}, {2, 2});
  ASSERT_EQ(Infer({Known(Sizes({4})), {Sizes({2}), &value.array(), kNothing}}), "");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
}

// The least that a program needs to run a kernel: a frame, and memory for outputs.
struct OwnCall : opsrun_call {
  std::vector<int32_t> memory;
  std::vector<int64_t> shape;
  std::string text;

  static int32_t Fail(void* where, int32_t code, opsrun_str text, opsrun_str) {
    static_cast<OwnCall*>(static_cast<opsrun_call*>(where))->text = TextOf(text);
    return code;
  }
  static int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims,
                                opsrun_tensor** view) {
    auto& own = *static_cast<OwnCall*>(call);
    own.shape.assign(dims, dims + rank);
    own.memory.resize(static_cast<size_t>(dims[0]));
    *view = call->out[i];
    (*view)->data = own.memory.data();
    (*view)->rank = rank;
    (*view)->shape = own.shape.data();
    return OPSRUN_OK;
  }
};

TEST_F(TypedOpTest, MakesAKernelThatRunsInFramesOfTheProgram) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_INT32)}, {IntAttr("preserve_index", 1)}), "");
  ASSERT_EQ(MakeKernel("cpu"), "");
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel_);
  EXPECT_EQ(TextOf(info.device), "cpu");
  opsrun_host table = *opsrun_engine_host(engine_);
  table.fail = OwnCall::Fail;
  table.allocate_output = OwnCall::AllocateOutput;
  int32_t numbers[] = {5, 6, 7};
  int64_t sizes[] = {3}, strides[] = {1};
  opsrun_tensor none{};
  none.device = {OPSRUN_DEVICE_CPU, 0};
  none.rank = -1;
  none.dl = {0, 32, 1};
  none.host = &table;
  none.flags = OPSRUN_TENSOR_HOST;
  none.dtype = OPSRUN_DT_INT32;
  opsrun_tensor x = none, y = none;
  x.data = numbers;
  x.rank = 1;
  x.shape = sizes;
  x.strides = strides;
  const opsrun_tensor* in[] = {&x};
  opsrun_tensor* out[] = {&y};
  OwnCall call{};
  call.size = sizeof(opsrun_call);
  call.kind = OPSRUN_KIND_CALL;
  call.in = in;
  call.out = out;
  call.n_in = call.n_out = 1;
  call.host = &table;
  call.device = {OPSRUN_DEVICE_CPU, 0};
  EXPECT_EQ(info.compute(info.object, &call), OPSRUN_OK);
  EXPECT_THAT(call.memory, ElementsAre(0, 6, 0));
  y = none;
  sizes[0] = 1;
  EXPECT_EQ(info.compute(info.object, &call), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(call.text, "preserve_index is 1, but to_zero has only 1 elements");
}

TEST_F(TypedOpTest, MakesAKernelOfAnOpThatRefusesUnknownShapes) {
  AddTestOps();
  ASSERT_EQ(Type("TestKnownRank", {Input("x", OPSRUN_DT_FLOAT)}), "");
  EXPECT_EQ(MakeKernel("cpu"), "");
  EXPECT_THAT(Differentiate(), testing::StartsWith("G217"));
  ASSERT_EQ(Differentiate({Sizes({-1, 3})}), "");
  EXPECT_EQ(opsrun_gradient_get(gradient_)->n_calls, 1u);
}

TEST_F(TypedOpTest, ReportsThatThereIsNoKernel) {
  ASSERT_EQ(Type("Pad", {Input("input", OPSRUN_DT_FLOAT8_E5M2), Input("paddings", OPSRUN_DT_INT32)}), "");
  EXPECT_THAT(MakeKernel("cpu"), testing::StartsWith("K301"));
  EXPECT_EQ(code_, OPSRUN_UNIMPLEMENTED);
}

TEST_F(TypedOpTest, SharesObjectsOfTheEngine) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_INT32)}), "");
  ASSERT_EQ(MakeKernel("cpu"), "");
  int made = 7;
  const auto make = [](void* ctx, void** object) -> int32_t {
    *object = ctx;
    return OPSRUN_OK;
  };
  const opsrun_str none = {nullptr, 0}, name = opsrun_str_of("counter");
  const opsrun_resource *first = nullptr, *second = nullptr;
  ASSERT_EQ(opsrun_kernel_object_resource(kernel_, none, name, none, make, &made, nullptr, &first), OPSRUN_OK);
  ASSERT_EQ(opsrun_kernel_object_resource(kernel_, none, name, none, nullptr, nullptr, nullptr, &second), OPSRUN_OK);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->obj, &made);
  first->host->resource_release(first);
  first->host->resource_release(first);
  EXPECT_EQ(opsrun_kernel_object_resource_delete(kernel_, none, name, none), OPSRUN_OK);
  EXPECT_EQ(opsrun_kernel_object_resource_delete(kernel_, none, name, none), OPSRUN_NOT_FOUND);
}

TEST_F(TypedOpTest, GivesItsGradientAsCalls) {
  const opsrun_gradient_info& info =
      GradientOf("ZeroOut", {Input("to_zero", OPSRUN_DT_FLOAT)}, {IntAttr("preserve_index", 2)});
  ASSERT_EQ(info.n_calls, 1u);
  EXPECT_EQ(CallName(0), "ZeroOut");
  EXPECT_EQ(info.calls[0].inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
  EXPECT_EQ(opsrun_typed_op_get(info.calls[0].op)->attrs[1].v.i, 2);
  ASSERT_EQ(info.n_inputs, 1u);
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_CALL);
}

TEST_F(TypedOpTest, GivesTheConstantsOfAGradient) {
  const opsrun_gradient_info& info =
      GradientOf("Pad", {Input("input", OPSRUN_DT_FLOAT), Input("paddings", OPSRUN_DT_INT32)});
  EXPECT_EQ(info.n_constants, 3u);
  EXPECT_EQ(info.of_inputs[1].kind, OPSRUN_OPERAND_NONE);  // integers
  EXPECT_EQ(CallName(info.n_calls - 1), "Slice");
  EXPECT_EQ(info.calls[info.n_calls - 1].inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
}

TEST_F(TypedOpTest, LeavesOutSumsOfAGradientThatKnownShapesMakeNeedless) {
  // not in declared order
  const uint32_t calls = GradientOf("Mul", {Input("y", OPSRUN_DT_FLOAT), Input("x", OPSRUN_DT_FLOAT)}).n_calls;
  ASSERT_EQ(Differentiate({Sizes({2, 3}), Sizes({2, 3})}), "");
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient_);
  EXPECT_LT(info.n_calls, calls);
  ASSERT_EQ(info.n_calls, 2u);
  ASSERT_EQ(info.calls[0].outputs[0].rank, 2);
  EXPECT_EQ(info.calls[0].outputs[0].shape[1], 3);
  // The gradient of x, the first input in declared order, reads y.
  const opsrun_operand* const of_x = info.calls[info.of_inputs[0].index].inputs;
  EXPECT_TRUE(std::any_of(of_x, of_x + 2, [](const opsrun_operand& operand) {
    return operand.kind == OPSRUN_OPERAND_INPUT && operand.index == 1;
  }));
}

TEST_F(TypedOpTest, GivesAGradientAsSlices) {
  const opsrun_gradient_info& info = GradientOf(
      "GatherV2", {Input("params", OPSRUN_DT_FLOAT), Input("indices", OPSRUN_DT_INT64), Input("axis", OPSRUN_DT_INT32)},
      {IntAttr("batch_dims", 1)});
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_CALL);
  const opsrun_slices& slices = info.slices[0];
  EXPECT_EQ(slices.values.kind, OPSRUN_OPERAND_GRADIENT);
  EXPECT_EQ(slices.indices.kind, OPSRUN_OPERAND_INPUT);
  EXPECT_EQ(slices.indices.index, 1u);
  EXPECT_EQ(slices.axis.index, 2u);
  EXPECT_EQ(slices.batch_dims, 1);
  EXPECT_EQ(slices.vectors, 0u);
  EXPECT_EQ(info.slices[1].values.kind, OPSRUN_OPERAND_NONE);
}

TEST_F(TypedOpTest, GivesNoGradientWhereNothingFlowsBack) {
  opsrun_attr to = IntAttr("DstT", OPSRUN_DT_INT32);
  to.kind = OPSRUN_ATTR_TYPE;
  const opsrun_gradient_info& info = GradientOf("Cast", {Input("x", OPSRUN_DT_FLOAT)}, {to});
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_NONE);
  EXPECT_EQ(info.n_calls, 0u);
}

TEST_F(TypedOpTest, ReportsAnOpWithoutAGradient) {
  AddTestOps();
  ASSERT_EQ(Type("TestUndeclared", {Input("x", OPSRUN_DT_FLOAT)}), "");
  EXPECT_EQ(opsrun_typed_op_get(typed_)->gradient, OPSRUN_GRADIENT_NONE);
  EXPECT_THAT(Differentiate(), testing::HasSubstr("G301"));
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace opsrun_test

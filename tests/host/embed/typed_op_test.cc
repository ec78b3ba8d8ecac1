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

constexpr int32_t kFloat = OPSRUN_DT_FLOAT, kInt32 = OPSRUN_DT_INT32, kInt64 = OPSRUN_DT_INT64;

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

  // The codes of the report of this call.
  template <typename Function, typename... Args>
  std::string Codes(Function function, Args... args) {
    opsrun_report* report = nullptr;
    code_ = function(args..., &report);
    if (opsrun_report_count(report) > 0) message_ = TextOf(opsrun_report_get(report, 0)->message);
    return CodesOf(report);
  }
  template <typename T>
  static uint32_t Count(const std::vector<T>& list) {
    return static_cast<uint32_t>(list.size());
  }
  // The op is typed_.
  std::string Type(const char* op, const std::vector<opsrun_op_input>& inputs,
                   const std::vector<opsrun_attr>& attrs = {}) {
    opsrun_typed_op_destroy(std::exchange(typed_, nullptr));
    return Codes(opsrun_engine_type_op, engine_, opsrun_str_of(op), inputs.data(), Count(inputs), attrs.data(),
                 Count(attrs), &typed_);
  }
  std::string Infer(const std::vector<opsrun_known_input>& inputs) {
    opsrun_shapes_free(std::exchange(shapes_, nullptr));
    return Codes(opsrun_typed_op_infer, typed_, inputs.data(), Count(inputs), &shapes_);
  }
  // The sizes of the first output.
  std::string Inferred(const std::vector<opsrun_known_input>& inputs) {
    const std::string codes = Infer(inputs);
    return codes.empty() ? ListText(opsrun_shapes_get(shapes_)->outputs[0]) : codes;
  }
  std::string Differentiate(const std::vector<opsrun_known_sizes>& shapes = {}) {
    opsrun_gradient_free(std::exchange(gradient_, nullptr));
    return Codes(opsrun_typed_op_differentiate, typed_, shapes.data(), Count(shapes), &gradient_);
  }
  std::string MakeKernel(const char* device) {
    return Codes(opsrun_typed_op_make_kernel, typed_, opsrun_str_of(device), &kernel_);
  }
  // The gradient of an op, without known shapes.
  const opsrun_gradient_info& GradientOf(const char* op, const std::vector<opsrun_op_input>& inputs,
                                         const std::vector<opsrun_attr>& attrs = {}) {
    EXPECT_EQ(Type(op, inputs, attrs), "");
    EXPECT_EQ(Differentiate(), "");
    return *opsrun_gradient_get(gradient_);
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
  // "2, x0[1]"
  std::string ListText(const opsrun_size_list& list) const {
    std::string text;
    for (int32_t i = 0; i < list.rank; ++i) text += (i == 0 ? "" : ", ") + SizeText(list.sizes[i]);
    return text;
  }

  opsrun_typed_op* typed_ = nullptr;
  opsrun_kernel_object* kernel_ = nullptr;
  opsrun_shapes* shapes_ = nullptr;
  opsrun_gradient* gradient_ = nullptr;
  int32_t code_ = OPSRUN_OK;
  std::string message_;  // of the last error
};

// They are borrowed from the arguments, which end with the statement.
opsrun_known_sizes Sizes(const std::vector<int64_t>& sizes, const std::vector<uint32_t>& symbols = {}) {
  return {static_cast<int32_t>(sizes.size()), 0, sizes.data(), symbols.empty() ? nullptr : symbols.data()};
}
constexpr opsrun_known_sizes kNothing = {-1, 0, nullptr, nullptr};
opsrun_known_input Known(const std::vector<int64_t>& sizes, const std::vector<uint32_t>& symbols = {}) {
  return {Sizes(sizes, symbols), nullptr, kNothing};
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
  ASSERT_EQ(Type("LookupTableFind", {Input("table_handle", OPSRUN_DT_RESOURCE), Input("keys", OPSRUN_DT_STRING),
                                     Input("default_value", kInt64)}),
            "");
  EXPECT_EQ(opsrun_typed_op_get(typed_)->in_types[0], OPSRUN_DT_RESOURCE);
  EXPECT_EQ(opsrun_typed_op_get(typed_)->out_types[0], OPSRUN_DT_INT64);
  EXPECT_EQ(MakeKernel("cpu"), "");
}

TEST_F(TypedOpTest, RefusesWhatTheOpDoesNotTakeAndWhatHasNoKernel) {
  EXPECT_THAT(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_BOOL)}), testing::StartsWith("G215"));
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(typed_, nullptr);
  EXPECT_THAT(Type("ZeroOat", {}), testing::StartsWith("G201"));
  EXPECT_EQ(code_, OPSRUN_NOT_FOUND);
  EXPECT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_VARIANT)}), "F305 ");
  ASSERT_EQ(Type("Pad", {Input("input", OPSRUN_DT_FLOAT8_E5M2), Input("paddings", kInt32)}), "");
  EXPECT_THAT(MakeKernel("cpu"), testing::StartsWith("K301"));
  EXPECT_EQ(code_, OPSRUN_UNIMPLEMENTED);
}

TEST_F(TypedOpTest, KnowsAnEmptyListFromAMissingInput) {
  Type("AddN", {Input("inputs", 0, OPSRUN_LIST_EMPTY)});
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(message_, "input 'inputs' holds 0 tensors, but op 'AddN' asks for at least 1");
  Type("AddN", {});
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(message_, "input 'inputs' of op 'AddN' is missing");
}

TEST_F(TypedOpTest, InfersSizes) {
  ASSERT_EQ(Type("MatMul", {Input("a", kFloat), Input("b", kFloat)}), "");
  EXPECT_EQ(Inferred({Known({2, 3}), Known({3, 4})}), "2, 4");
  EXPECT_EQ(Inferred({Known({-1, -1}), Known({3, -1})}), "x0[0], x1[1]");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_equal, 1u) << "a's columns and b's rows";
  EXPECT_EQ(Infer({Known({2, 3}), Known({4, 4})}), "G217 ");
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(shapes_, nullptr);
  EXPECT_EQ(Infer({Known({2, 3})}), "G217 ");
  // Sums of unknown sizes.
  const auto values = [](uint32_t list) { return Input("values", kFloat, list); };
  ASSERT_EQ(Type("Concat", {Input("concat_dim", kInt32), values(1), values(1)}), "");
  Ints dim({}, {0});
  const opsrun_known_input axis = {Sizes({}), &dim.array(), kNothing};
  EXPECT_EQ(Inferred({axis, Known({-1, 3}, {1, 0}), Known({-1, 3}, {2, 0})}), "(x2[0] + x1[0]), 3");
  EXPECT_EQ(Inferred({axis, Known({-1, 3}, {1, 0}), Known({-1, 3}, {1, 0})}), "(x1[0] + x1[0]), 3")
      << "they have one symbol";
}

TEST_F(TypedOpTest, ReadsShapesThatAreValues) {
  ASSERT_EQ(Type("Reshape", {Input("tensor", kFloat), Input("shape", kInt64)}), "");
  EXPECT_EQ(Inferred({Known({-1}), {Sizes({2}), nullptr, Sizes({-1, 4}, {7, 0})}}), "v1[0], 4");
  EXPECT_EQ(Inferred({Known({-1, 6}, {5, 0}), {Sizes({3}), nullptr, Sizes({2, -1, -2}, {0, 5, 0})}}), "2, x0[0], 3")
      << "sizes are known by their symbols";
  // The values that the function asked for.
  ASSERT_EQ(Type("Reshape", {Input("tensor", kFloat), Input("shape", kInt32)}), "");
  ASSERT_EQ(Infer({Known({4}), Known({2})}), "");
  ASSERT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 1u);
  EXPECT_EQ(opsrun_shapes_get(shapes_)->wanted[0], 1u);
  Ints value({2}, {2, 2});
  ASSERT_EQ(Infer({Known({4}), {Sizes({2}), &value.array(), kNothing}}), "");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
}

TEST_F(TypedOpTest, PassesElementsOnThatAreKnownInPart) {
  const auto values = Input("values", kInt32, 1);
  ASSERT_EQ(Type("Pack", {values, values, values}), "");
  const auto scalar = [](const opsrun_known_sizes& element) { return opsrun_known_input{Sizes({}), nullptr, element}; };
  EXPECT_EQ(Inferred({scalar(Sizes({-1})), scalar(Sizes({-3})), scalar(Sizes({INT64_MIN}))}), "3");
  EXPECT_EQ(ListText(opsrun_shapes_get(shapes_)->as_shape[0]), "v0[0], -2, ?");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
}

TEST_F(TypedOpTest, ElementsThatAreAllKnownAreAValue) {
  ASSERT_EQ(Type("Transpose", {Input("x", kFloat), Input("perm", kInt32)}), "");
  EXPECT_EQ(Inferred({Known({4, -1}), {Sizes({2}), nullptr, Sizes({1, 0})}}), "x0[1], 4");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
  EXPECT_EQ(Inferred({Known({4, -1}), {Sizes({2}), nullptr, Sizes({int64_t{1} << 40, 0})}}), "?, ?")
      << "no int32 is that large";
  EXPECT_EQ(Infer({Known({int64_t{1} << 40, 0}), {Sizes({3}), nullptr, Sizes({1, 0})}}), "G217 ");
  EXPECT_EQ(Infer({Known({-2, 4}), Known({2})}), "G217 ") << "no size is negative";
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
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", kInt32)}, {IntAttr("preserve_index", 1)}), "");
  ASSERT_EQ(MakeKernel("cpu"), "");
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel_);
  EXPECT_EQ(TextOf(info.device), "cpu");
  opsrun_host table = *opsrun_engine_host(engine_);
  table.fail = OwnCall::Fail;
  table.allocate_output = OwnCall::AllocateOutput;
  int32_t numbers[] = {5, 6, 7};
  int64_t sizes[] = {3}, strides[] = {1};
  const opsrun_device cpu = {OPSRUN_DEVICE_CPU, 0};
  const opsrun_tensor x = {numbers, cpu, 1, {0, 32, 1}, sizes, strides, 0, &table, OPSRUN_TENSOR_HOST, OPSRUN_DT_INT32};
  const opsrun_tensor none = {nullptr, cpu, -1,     {0, 32, 1},         nullptr,
                              nullptr, 0,   &table, OPSRUN_TENSOR_HOST, OPSRUN_DT_INT32};
  opsrun_tensor y = none;
  const opsrun_tensor* in[] = {&x};
  opsrun_tensor* out[] = {&y};
  OwnCall call{};
  call.size = sizeof(opsrun_call);
  call.kind = OPSRUN_KIND_CALL;
  call.in = in;
  call.out = out;
  call.n_in = call.n_out = 1;
  call.host = &table;
  call.device = cpu;
  EXPECT_EQ(info.compute(info.object, &call), OPSRUN_OK);
  EXPECT_THAT(call.memory, ElementsAre(0, 6, 0));
  y = none;
  sizes[0] = 1;
  EXPECT_EQ(info.compute(info.object, &call), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(call.text, "preserve_index is 1, but to_zero has only 1 elements");
}

TEST_F(TypedOpTest, SharesObjectsOfTheEngine) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", kInt32)}), "");
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

TEST_F(TypedOpTest, MakesAKernelOfAnOpThatRefusesUnknownShapesOrHasNoGradient) {
  ASSERT_EQ(opsrun_engine_add_plugin(engine_, opsrun_str_of(OPSRUN_GRADIENT_OPS), nullptr, nullptr), OPSRUN_OK);
  ASSERT_EQ(Type("TestKnownRank", {Input("x", kFloat)}), "");
  EXPECT_EQ(MakeKernel("cpu"), "");
  EXPECT_THAT(Differentiate(), testing::StartsWith("G217"));
  ASSERT_EQ(Differentiate({Sizes({-1, 3})}), "");
  EXPECT_EQ(opsrun_gradient_get(gradient_)->n_calls, 1u);
  ASSERT_EQ(Type("TestUndeclared", {Input("x", kFloat)}), "");
  EXPECT_EQ(opsrun_typed_op_get(typed_)->gradient, OPSRUN_GRADIENT_NONE);
  EXPECT_THAT(Differentiate(), testing::HasSubstr("G301"));
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
}

TEST_F(TypedOpTest, GivesItsGradientAsCalls) {
  const opsrun_gradient_info& info = GradientOf("ZeroOut", {Input("to_zero", kFloat)}, {IntAttr("preserve_index", 2)});
  ASSERT_EQ(info.n_calls, 1u);
  EXPECT_EQ(CallName(0), "ZeroOut");
  EXPECT_EQ(info.calls[0].inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
  EXPECT_EQ(opsrun_typed_op_get(info.calls[0].op)->attrs[1].v.i, 2);
  ASSERT_EQ(info.n_inputs, 1u);
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_CALL);
  const opsrun_gradient_info& pad = GradientOf("Pad", {Input("input", kFloat), Input("paddings", kInt32)});
  EXPECT_EQ(pad.n_constants, 3u);
  EXPECT_EQ(pad.of_inputs[1].kind, OPSRUN_OPERAND_NONE);  // integers
  EXPECT_EQ(CallName(pad.n_calls - 1), "Slice");
  EXPECT_EQ(pad.calls[pad.n_calls - 1].inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
  opsrun_attr to = IntAttr("DstT", kInt32);
  to.kind = OPSRUN_ATTR_TYPE;
  const opsrun_gradient_info& cast = GradientOf("Cast", {Input("x", kFloat)}, {to});
  EXPECT_EQ(cast.of_inputs[0].kind, OPSRUN_OPERAND_NONE) << "nothing flows back";
  EXPECT_EQ(cast.n_calls, 0u);
}

TEST_F(TypedOpTest, LeavesOutSumsOfAGradientThatKnownShapesMakeNeedless) {
  // not in declared order
  const uint32_t calls = GradientOf("Mul", {Input("y", kFloat), Input("x", kFloat)}).n_calls;
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
  const opsrun_gradient_info& info =
      GradientOf("GatherV2", {Input("params", kFloat), Input("indices", kInt64), Input("axis", kInt32)},
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

}  // namespace
}  // namespace opsrun_test

// tests/host/embed/typed_op_test.cc: ops for programs that are hosts themselves.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

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
  static opsrun_attr IntAttr(const char* name, int64_t value) {
    opsrun_attr attr{};
    attr.name = opsrun_str_of(name);
    attr.kind = OPSRUN_ATTR_INT;
    attr.count = 1;
    attr.v.i = value;
    return attr;
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
    opsrun_report* report = nullptr;
    code_ = opsrun_typed_op_infer(typed_, inputs.data(), static_cast<uint32_t>(inputs.size()), &shapes_, &report);
    return CodesOf(report);
  }
  std::string Differentiate(const std::vector<opsrun_known_sizes>& shapes = {}) {
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
  std::string CallName(uint32_t i) const {
    return TextOf(opsrun_typed_op_get(opsrun_gradient_get(gradient_)->calls[i].op)->name);
  }
  // "3", "x0[1]" for dimension 1 of input 0, "v0[1]" for an element, "(a + b)", "?"
  std::string SizeText(uint32_t i) const {
    const opsrun_size& size = opsrun_shapes_get(shapes_)->sizes[i];
    const auto place = [&](const char* what) {
      return what + std::to_string(size.a) + "[" + std::to_string(size.b) + "]";
    };
    switch (size.kind) {
      case OPSRUN_SIZE_KNOWN:
        return std::to_string(size.value);
      case OPSRUN_SIZE_INPUT:
        return place("x");
      case OPSRUN_SIZE_ELEMENT:
        return place("v");
      case OPSRUN_SIZE_UNKNOWN:
        return "?";
      default:
        return "(" + SizeText(size.a) + " " + "+-*/<>"[size.kind - OPSRUN_SIZE_OP] + " " + SizeText(size.b) + ")";
    }
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

TEST_F(TypedOpTest, InfersSizesThatAreKnown) {
  ASSERT_EQ(Type("MatMul", {Input("a", OPSRUN_DT_FLOAT), Input("b", OPSRUN_DT_FLOAT)}), "");
  const std::vector<int64_t> a = {2, 3}, b = {3, 4};
  ASSERT_EQ(Infer({Known(Sizes(a)), Known(Sizes(b))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("2", "4"));
}

TEST_F(TypedOpTest, SaysWhereUnknownSizesComeFrom) {
  ASSERT_EQ(Type("MatMul", {Input("a", OPSRUN_DT_FLOAT), Input("b", OPSRUN_DT_FLOAT)}), "");
  const std::vector<int64_t> a = {-1, -1}, b = {3, -1};
  ASSERT_EQ(Infer({Known(Sizes(a)), Known(Sizes(b))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("x0[0]", "x1[1]"));
  const opsrun_shapes_info& info = *opsrun_shapes_get(shapes_);
  ASSERT_EQ(info.n_equal, 1u);  // a's columns and b's rows
}

TEST_F(TypedOpTest, CalculatesWithUnknownSizes) {
  const auto values = [](uint32_t list) { return Input("values", OPSRUN_DT_FLOAT, list); };
  ASSERT_EQ(Type("Concat", {Input("concat_dim", OPSRUN_DT_INT32), values(1), values(1)}), "");
  const std::vector<int64_t> a = {-1, 3}, b = {-1, 3};
  const std::vector<uint32_t> one = {1, 0}, same = {1, 0}, other = {2, 0};
  Ints dim({}, {0});
  ASSERT_EQ(Infer({{Sizes({}), &dim.array(), kNothing}, Known(Sizes(a, one)), Known(Sizes(b, other))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("(x2[0] + x1[0])", "3"));
  opsrun_shapes_free(shapes_);
  ASSERT_EQ(Infer({{Sizes({}), &dim.array(), kNothing}, Known(Sizes(a, one)), Known(Sizes(b, same))}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("(x1[0] + x1[0])", "3"));
}

TEST_F(TypedOpTest, ReadsShapesThatAreValues) {
  ASSERT_EQ(Type("Reshape", {Input("tensor", OPSRUN_DT_FLOAT), Input("shape", OPSRUN_DT_INT32)}), "");
  const std::vector<int64_t> tensor = {-1}, shape = {2}, elements = {-1, 4};
  const std::vector<uint32_t> symbols = {7, 0};
  ASSERT_EQ(Infer({Known(Sizes(tensor)), {Sizes(shape), nullptr, Sizes(elements, symbols)}}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("v1[0]", "4"));
}

TEST_F(TypedOpTest, PassesElementsOnThatAreKnownInPart) {
  const auto values = Input("values", OPSRUN_DT_INT32, 1);
  ASSERT_EQ(Type("Pack", {values, values, values}), "");
  const std::vector<int64_t> size = {-1}, number = {-3}, nothing = {INT64_MIN};
  const auto scalar = [](const std::vector<int64_t>& element) {
    return opsrun_known_input{Sizes({}), nullptr, Sizes(element)};
  };
  ASSERT_EQ(Infer({scalar(size), scalar(number), scalar(nothing)}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("3"));
  EXPECT_THAT(ElementsText(0), ElementsAre("v0[0]", "-2", "?"));
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
}

TEST_F(TypedOpTest, KnowsSizesByTheirSymbolsInShapesAndElements) {
  ASSERT_EQ(Type("Reshape", {Input("tensor", OPSRUN_DT_FLOAT), Input("shape", OPSRUN_DT_INT64)}), "");
  const std::vector<int64_t> tensor = {-1, 6}, shape = {3}, elements = {2, -1, -2};
  const std::vector<uint32_t> batch = {5, 0}, same = {0, 5, 0};
  ASSERT_EQ(Infer({Known(Sizes(tensor, batch)), {Sizes(shape), nullptr, Sizes(elements, same)}}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("2", "x0[0]", "3"));
}

TEST_F(TypedOpTest, ElementsThatAreAllKnownAreAValue) {
  ASSERT_EQ(Type("Transpose", {Input("x", OPSRUN_DT_FLOAT), Input("perm", OPSRUN_DT_INT32)}), "");
  const std::vector<int64_t> x = {4, -1}, perm = {2}, elements = {1, 0}, short_perm = {3},
                             large = {int64_t{1} << 40, 0};
  ASSERT_EQ(Infer({Known(Sizes(x)), {Sizes(perm), nullptr, Sizes(elements)}}), "");
  EXPECT_THAT(ShapeText(0), ElementsAre("x0[1]", "4"));
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
  opsrun_shapes_free(shapes_);
  ASSERT_EQ(Infer({Known(Sizes(x)), {Sizes(perm), nullptr, Sizes(large)}}), "") << "no int32 is that large";
  EXPECT_THAT(ShapeText(0), ElementsAre("?", "?"));
  opsrun_shapes_free(shapes_);
  EXPECT_EQ(Infer({Known(Sizes(large)), {Sizes(short_perm), nullptr, Sizes(elements)}}), "G217 ");
  const std::vector<int64_t> negative = {-2, 4};
  EXPECT_EQ(Infer({Known(Sizes(negative)), Known(Sizes(perm))}), "G217 ") << "no size is negative";
}

TEST_F(TypedOpTest, SaysWhichValuesTheFunctionAskedFor) {
  ASSERT_EQ(Type("Reshape", {Input("tensor", OPSRUN_DT_FLOAT), Input("shape", OPSRUN_DT_INT32)}), "");
  const std::vector<int64_t> tensor = {4}, shape = {2};
  ASSERT_EQ(Infer({Known(Sizes(tensor)), Known(Sizes(shape))}), "");
  ASSERT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 1u);
  EXPECT_EQ(opsrun_shapes_get(shapes_)->wanted[0], 1u);
  opsrun_shapes_free(shapes_);
  Ints value({2}, {2, 2});
  ASSERT_EQ(Infer({Known(Sizes(tensor)), {Sizes(shape), &value.array(), kNothing}}), "");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
}

TEST_F(TypedOpTest, ReportsShapesThatTheOpDoesNotTake) {
  ASSERT_EQ(Type("MatMul", {Input("a", OPSRUN_DT_FLOAT), Input("b", OPSRUN_DT_FLOAT)}), "");
  const std::vector<int64_t> a = {2, 3}, b = {4, 4};
  EXPECT_EQ(Infer({Known(Sizes(a)), Known(Sizes(b))}), "G217 ");
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(shapes_, nullptr);
  EXPECT_EQ(Infer({Known(Sizes(a))}), "G217 ");
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

opsrun_tensor IntView(const opsrun_host* host) {
  opsrun_tensor view{};
  view.device = {OPSRUN_DEVICE_CPU, 0};
  view.rank = -1;
  view.dl = {0, 32, 1};
  view.host = host;
  view.flags = OPSRUN_TENSOR_HOST;
  view.dtype = OPSRUN_DT_INT32;
  return view;
}

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
  opsrun_tensor x = IntView(&table), y = IntView(&table);
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
  y = IntView(&table);
  sizes[0] = 1;
  EXPECT_EQ(info.compute(info.object, &call), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(call.text, "preserve_index is 1, but to_zero has only 1 elements");
}

TEST_F(TypedOpTest, MakesAKernelOfAnOpThatRefusesUnknownShapes) {
  ASSERT_EQ(opsrun_engine_add_plugin(engine_, opsrun_str_of(OPSRUN_GRADIENT_OPS), nullptr), OPSRUN_OK);
  ASSERT_EQ(Type("TestKnownRank", {Input("x", OPSRUN_DT_FLOAT)}), "");
  EXPECT_EQ(MakeKernel("cpu"), "");
  EXPECT_THAT(Differentiate(), testing::StartsWith("G217"));
  const std::vector<int64_t> sizes = {-1, 3};
  ASSERT_EQ(Differentiate({Sizes(sizes)}), "");
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
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_FLOAT)}, {IntAttr("preserve_index", 2)}), "");
  ASSERT_EQ(Differentiate(), "");
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient_);
  ASSERT_EQ(info.n_calls, 1u);
  EXPECT_EQ(CallName(0), "ZeroOut");
  EXPECT_EQ(info.calls[0].inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
  EXPECT_EQ(opsrun_typed_op_get(info.calls[0].op)->attrs[1].v.i, 2);
  ASSERT_EQ(info.n_inputs, 1u);
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_CALL);
}

TEST_F(TypedOpTest, GivesTheConstantsOfAGradient) {
  ASSERT_EQ(Type("Pad", {Input("input", OPSRUN_DT_FLOAT), Input("paddings", OPSRUN_DT_INT32)}), "");
  ASSERT_EQ(Differentiate(), "");
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient_);
  EXPECT_EQ(info.n_constants, 3u);
  EXPECT_EQ(info.of_inputs[1].kind, OPSRUN_OPERAND_NONE);  // integers
  const opsrun_op_call& last = info.calls[info.n_calls - 1];
  EXPECT_EQ(CallName(info.n_calls - 1), "Slice");
  EXPECT_EQ(last.inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
}

TEST_F(TypedOpTest, LeavesOutSumsOfAGradientThatKnownShapesMakeNeedless) {
  ASSERT_EQ(Type("Mul", {Input("y", OPSRUN_DT_FLOAT), Input("x", OPSRUN_DT_FLOAT)}), "");  // not in declared order
  ASSERT_EQ(Differentiate(), "");
  const uint32_t calls = opsrun_gradient_get(gradient_)->n_calls;
  opsrun_gradient_free(gradient_);
  const std::vector<int64_t> sizes = {2, 3};
  ASSERT_EQ(Differentiate({Sizes(sizes), Sizes(sizes)}), "");
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient_);
  EXPECT_LT(info.n_calls, calls);
  ASSERT_EQ(info.n_calls, 2u);
  ASSERT_EQ(info.calls[0].outputs[0].rank, 2);
  EXPECT_EQ(info.calls[0].outputs[0].shape[1], 3);
  // The gradient of x, the first input in declared order, reads y.
  const opsrun_op_call& of_x = info.calls[info.of_inputs[0].index];
  const bool reads_y = (of_x.inputs[0].kind == OPSRUN_OPERAND_INPUT && of_x.inputs[0].index == 1) ||
                       (of_x.inputs[1].kind == OPSRUN_OPERAND_INPUT && of_x.inputs[1].index == 1);
  EXPECT_TRUE(reads_y);
}

TEST_F(TypedOpTest, GivesAGradientAsSlices) {
  ASSERT_EQ(Type("GatherV2",
                 {Input("params", OPSRUN_DT_FLOAT), Input("indices", OPSRUN_DT_INT64), Input("axis", OPSRUN_DT_INT32)},
                 {IntAttr("batch_dims", 1)}),
            "");
  ASSERT_EQ(Differentiate(), "");
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient_);
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
  ASSERT_EQ(Type("Cast", {Input("x", OPSRUN_DT_FLOAT)}, {to}), "");
  ASSERT_EQ(Differentiate(), "");
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient_);
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_NONE);
  EXPECT_EQ(info.n_calls, 0u);
}

TEST_F(TypedOpTest, ReportsAnOpWithoutAGradient) {
  ASSERT_EQ(opsrun_engine_add_plugin(engine_, opsrun_str_of(OPSRUN_GRADIENT_OPS), nullptr), OPSRUN_OK);
  ASSERT_EQ(Type("TestUndeclared", {Input("x", OPSRUN_DT_FLOAT)}), "");
  EXPECT_EQ(opsrun_typed_op_get(typed_)->gradient, OPSRUN_GRADIENT_NONE);
  EXPECT_THAT(Differentiate(), testing::HasSubstr("G301"));
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace opsrun_test

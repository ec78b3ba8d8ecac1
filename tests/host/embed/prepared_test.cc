// tests/host/embed/prepared_test.cc: single ops, and graphs that are built by calls.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

using Values = std::vector<int32_t>;

class PreparedTest : public Embedded {
 protected:
  opsrun_prepared* Prepare(const char* op, const std::vector<opsrun_op_input>& inputs,
                           const std::vector<opsrun_attr>& attrs = {}) {
    opsrun_prepared* prepared = nullptr;
    opsrun_report* report = nullptr;
    code_ = opsrun_engine_prepare(engine_, opsrun_str_of(op), inputs.data(), static_cast<uint32_t>(inputs.size()),
                                  attrs.data(), static_cast<uint32_t>(attrs.size()), &prepared, &report);
    found_ = CodesOf(report);
    return prepared;
  }
  static opsrun_op_input Input(const char* arg, const int64_t* shape, int32_t rank, uint32_t list = 0) {
    return {opsrun_str_of(arg), OPSRUN_DT_INT32, rank, shape, list, 0};
  }

  // The values of the last output of a call, which is freed.
  static Values Call(opsrun_prepared* prepared, std::initializer_list<opsrun_in> in) {
    std::vector<opsrun_out> outs(opsrun_prepared_n_outputs(prepared));
    const auto n_outs = static_cast<uint32_t>(outs.size());
    EXPECT_EQ(opsrun_prepared_call(prepared, in.begin(), static_cast<uint32_t>(in.size()), outs.data(), n_outs, nullptr,
                                   nullptr),
              OPSRUN_OK);
    Values values = ValuesOf(outs.back());
    opsrun_outs_free(outs.data(), n_outs);
    return values;
  }

  int32_t code_ = OPSRUN_OK;
  std::string found_;
};

constexpr int64_t kThree[] = {3};

TEST_F(PreparedTest, IsCalledManyTimes) {
  opsrun_prepared* zero_out = Prepare("ZeroOut", {Input("to_zero", kThree, 1)}, {IntAttr("preserve_index", 2)});
  ASSERT_NE(zero_out, nullptr) << found_;
  ASSERT_EQ(opsrun_prepared_n_outputs(zero_out), 1u);
  EXPECT_EQ(TextOf(opsrun_prepared_output(zero_out, 0)->name), "zeroed");
  for (int32_t i = 0; i < 3; ++i) {
    const Ints x({3}, {i, i, i + 1});
    EXPECT_EQ(Call(zero_out, {x.in()}), (Values{0, 0, i + 1}));
  }
  const Ints other({2}, {1, 2});
  const opsrun_in in = other.in();
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_prepared_call(zero_out, &in, 1, nullptr, 0, nullptr, &report), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(CodesOf(report), "F305 ");
  opsrun_prepared_destroy(zero_out);
}

TEST_F(PreparedTest, TellsWhyNot) {
  const struct {
    const char *op, *input;
    std::vector<opsrun_attr> attrs;
    int32_t code;
    const char* found;
  } rows[] = {{"ZeroOt", "to_zero", {}, OPSRUN_NOT_FOUND, "G201"},
              {"ZeroOut", "x", {}, OPSRUN_INVALID_ARGUMENT, "G210"},
              {"ZeroOut", "to_zero", {IntAttr("preserve_idx", 2)}, OPSRUN_INVALID_ARGUMENT, "G212"},
              {"ZeroOut", "to_zero", {IntAttr("preserve_index", -1)}, OPSRUN_INVALID_ARGUMENT, "G214"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Prepare(row.op, {Input(row.input, kThree, 1)}, row.attrs), nullptr);
    EXPECT_EQ(code_, row.code) << row.found;
    EXPECT_EQ(found_.substr(0, 4), row.found);
  }
}

TEST_F(PreparedTest, RefusesTypesThatAreNone) {
  constexpr int64_t kNegative[] = {-1};
  for (const opsrun_op_input& input : {Input("to_zero", kThree, -1), Input("to_zero", kThree, OPSRUN_MAX_RANK + 1),
                                       Input("to_zero", nullptr, 1), Input("to_zero", kNegative, 1)}) {
    EXPECT_EQ(Prepare("ZeroOut", {input}), nullptr);
    EXPECT_EQ(found_, "F305 ");
  }
  opsrun_op_input resource = Input("to_zero", kThree, 1);
  resource.dtype = OPSRUN_DT_RESOURCE;
  EXPECT_EQ(Prepare("ZeroOut", {resource}), nullptr);
  EXPECT_EQ(found_, "F305 ");
  opsrun_prepared* prepared = nullptr;
  EXPECT_EQ(opsrun_engine_prepare(engine_, opsrun_str_of("AddN"), nullptr, 1, nullptr, 0, &prepared, nullptr),
            OPSRUN_INVALID_ARGUMENT);
}

TEST_F(PreparedTest, RefusesAttrsWithoutValues) {
  opsrun_attr attr{};
  attr.name = opsrun_str_of("preserve_index");
  attr.count = 1;
  for (const uint32_t kind : {OPSRUN_ATTR_INT | OPSRUN_ATTR_LIST, OPSRUN_ATTR_SHAPE + 0, OPSRUN_ATTR_TENSOR + 0}) {
    attr.kind = kind;
    EXPECT_EQ(Prepare("ZeroOut", {Input("to_zero", kThree, 1)}, {attr}), nullptr);
    EXPECT_EQ(found_, "G214 ");
  }
  attr.kind = OPSRUN_ATTR_STRING;
  attr.v.s = opsrun_str_of("\xff");
  EXPECT_EQ(Prepare("ZeroOut", {Input("to_zero", kThree, 1)}, {attr}), nullptr);
  EXPECT_EQ(found_, "G214 5:71 ");
  const opsrun_partial wild = {2, 0, nullptr};
  attr.kind = OPSRUN_ATTR_SHAPE;
  attr.v.shapes = &wild;
  EXPECT_EQ(Prepare("ZeroOut", {Input("to_zero", kThree, 1)}, {attr}), nullptr);
  EXPECT_EQ(found_, "G214 ");
}

class BuilderTest : public Embedded {
 protected:
  BuilderTest() { opsrun_builder_create(&builder_); }
  ~BuilderTest() override { opsrun_builder_destroy(builder_); }

  void Node(const char* name, const char* op, const char* from) {
    const opsrun_str source = opsrun_str_of(from);
    const opsrun_node_input input{{nullptr, 0}, &source, 1, 0};
    opsrun_node node{};
    node.size = sizeof(node);
    node.name = opsrun_str_of(name);
    node.op = opsrun_str_of(op);
    node.inputs = &input;
    node.n_inputs = 1;
    EXPECT_EQ(opsrun_builder_node(builder_, &node, nullptr), OPSRUN_OK);
  }
  std::string LoadBuilt() {
    opsrun_report* report = nullptr;
    opsrun_builder_load(builder_, engine_, opsrun_str_of("built"), nullptr, &graph_, &report);
    return CodesOf(report);
  }

  opsrun_builder* builder_ = nullptr;
};

TEST_F(BuilderTest, WritesConstantsExactly) {
  double numbers[] = {0.1, 2, 1e-300, -0.0};
  const int64_t shape[] = {2, 2};
  const opsrun_array array{numbers, shape, nullptr, OPSRUN_DT_DOUBLE, 2};
  const opsrun_in value{nullptr, &array, 0, 0};
  ASSERT_EQ(opsrun_builder_constant(builder_, opsrun_str_of("c"), &value, nullptr), OPSRUN_OK);
  opsrun_builder_output(builder_, opsrun_str_of("c"), opsrun_str_of("c"));
  ASSERT_EQ(LoadBuilt(), "");
  opsrun_out out{};
  ASSERT_EQ(Run({}, &out, 1), "");
  EXPECT_EQ(memcmp(out.array.data, numbers, sizeof(numbers)), 0);
  opsrun_outs_free(&out, 1);
}

TEST_F(BuilderTest, WritesAttrsThatListsCannotSay) {
  int64_t shape[] = {0, 2};
  opsrun_tensor tensor{};
  tensor.dtype = OPSRUN_DT_INT32;
  tensor.rank = 2;
  tensor.shape = shape;
  const opsrun_tensor* const tensors[] = {&tensor};
  opsrun_attr attr{};
  attr.name = opsrun_str_of("value");
  attr.kind = OPSRUN_ATTR_TENSOR;
  attr.count = 1;
  attr.v.tensors = tensors;
  opsrun_node node{};
  node.size = sizeof(node);
  node.name = opsrun_str_of("c");
  node.op = opsrun_str_of("Const");
  node.attrs = &attr;
  node.n_attrs = 1;
  ASSERT_EQ(opsrun_builder_node(builder_, &node, nullptr), OPSRUN_OK);
  opsrun_text* yaml = nullptr;
  ASSERT_EQ(opsrun_builder_to_yaml(builder_, &yaml), OPSRUN_OK);
  EXPECT_THAT(TextOf(opsrun_text_get(yaml)), testing::HasSubstr("{fill: 0, shape: [0, 2], dtype: int32}"));
  opsrun_text_free(yaml);
}

TEST_F(BuilderTest, ReadsNoFieldBeyondTheSizeOfItsNode) {
  opsrun_node node{};
  node.name = opsrun_str_of("z");
  node.op = opsrun_str_of("ZeroOut");
  node.n_inputs = 1;
  node.n_attrs = 1;
  node.size = offsetof(opsrun_node, inputs);
  EXPECT_EQ(opsrun_builder_node(builder_, &node, nullptr), OPSRUN_OK);
  node.size = sizeof(node);
  EXPECT_EQ(opsrun_builder_node(builder_, &node, nullptr), OPSRUN_INVALID_ARGUMENT);
}

TEST_F(BuilderTest, MistakesHaveAPlaceInTheTextThatItWrites) {
  Node("z", "ZeroOt", "nothing");
  EXPECT_EQ(LoadBuilt(), "G201 3:11 G204 3:24 ");
  EXPECT_EQ(graph_, nullptr);
}

}  // namespace
}  // namespace opsrun_test

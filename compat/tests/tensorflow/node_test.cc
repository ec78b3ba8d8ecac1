// compat/tests/tensorflow/node_test.cc: nodes, the values of their attrs, and a plugin's registry of its ops.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"
#include "tests/sdk/test_host.h"

namespace tensorflow {
namespace {

REGISTER_OP("CompatNode")
    .Input("x: T")
    .Input("many: N * float")
    .Input("several:Tlist")
    .Input("handle: Ref( int64 )")
    .Output("y: string")
    .Attr("T: {float, int32} = DT_FLOAT")
    .Attr("N: int >= 2")
    .Attr("Tlist: list({float, int32}) >= 0")
    .Attr("mode: {'a', 'b'}")
    .Attr("kind: numbertype")
    .Attr("names: list(string) = []")
    .SetIsStateful();

REGISTER_OP("CompatSum").Input("x: half").Output("y: half").SetIsAggregate().SetIsCommutative().SetDoNotOptimize();

// A CompatNode node as a host creates it.
struct FakeNode {
  FakeNode() { create.In("x", DT_INT32).InList("many", {DT_FLOAT, DT_FLOAT}); }
  opsrun_test::TestHost host;
  opsrun_test::TestCreate create{host, "CompatNode", "node"};
};

class NodeKernel : public OpKernel {
 public:
  explicit NodeKernel(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext*) override {}
};

TEST(NodeDef, SaysWhatTheHostKnows) {
  FakeNode fake;
  Tensor tensor(DT_INT32, TensorShape({}));
  tensor.scalar<int32>()() = 7;
  fake.create.attrs.Int("i", -3)
      .Float("f", 0.5)
      .Bool("b", true)
      .String("s", "text")
      .Type("type", DT_INT8)
      .Shape("shape", {2, -1});
  fake.create.attrs.Tensor("tensor", tensor.view()).Ints("ints", {1, 2}).Floats("floats", {0.5}).Bools("bools", {1, 0});
  fake.create.attrs.Strings("strings", {"a", "b"})
      .Types("types", {DT_FLOAT})
      .Shapes("shapes", {{1}, {}})
      .Ints("none", {});
  OpKernelConstruction construction(fake.create.handle());
  const NodeDef node = construction.def();
  EXPECT_EQ(SummarizeNodeDef(node), "node = CompatNode");
  EXPECT_EQ(FormatNodeDefForError(node), "node = CompatNode");
  EXPECT_EQ(node.ShortDebugString(),
            "name: \"node\" op: \"CompatNode\" input: \"x\" input: \"many:0\" input: \"many:1\" "
            "attr { key: \"b\" value { b: true } } "
            "attr { key: \"bools\" value { list { b: true b: false } } } "
            "attr { key: \"f\" value { f: 0.5 } } "
            "attr { key: \"floats\" value { list { f: 0.5 } } } "
            "attr { key: \"i\" value { i: -3 } } "
            "attr { key: \"ints\" value { list { i: 1 i: 2 } } } "
            "attr { key: \"none\" value { list { } } } "
            "attr { key: \"s\" value { s: \"text\" } } "
            "attr { key: \"shape\" value { shape { dim { size: 2 } dim { size: -1 } } } } "
            "attr { key: \"shapes\" value { list { shape { dim { size: 1 } } shape { } } } } "
            "attr { key: \"strings\" value { list { s: \"a\" s: \"b\" } } } "
            "attr { key: \"tensor\" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 7 } } } "
            "attr { key: \"type\" value { type: DT_INT8 } } "
            "attr { key: \"types\" value { list { type: DT_FLOAT } } }");
}

TEST(NodeDef, IsKnownToTheKernel) {
  FakeNode fake;
  fake.create.attrs.Int("i", 1);
  std::unique_ptr<NodeKernel> kernel;
  {
    OpKernelConstruction construction(fake.create.handle());
    kernel.reset(new NodeKernel(&construction));
  }
  fake.create.attrs.Int("later", 2);
  const NodeDef& node = kernel->def();
  EXPECT_EQ(node.name() + " " + node.op() + " " + node.input(2), "node CompatNode many:1");
  EXPECT_EQ(node.attr().at("i").i(), 1);
  EXPECT_EQ(node.attr_size(), 1);
}

TEST(ContainerInfo, NamesTheObjectOfAKernel) {
  NodeDef node;
  node.set_name("node");
  AttrValueMap& attr = *node.mutable_attr();
  const auto* resources = reinterpret_cast<const ResourceMgr*>(&node);  // only compared, never dereferenced
  ContainerInfo info;
  EXPECT_EQ(info.Init(resources, node).code(), error::NOT_FOUND);
  attr["container"].set_s("");
  attr["shared_name"].set_s("table");
  TF_CHECK_OK(info.Init(resources, node));
  EXPECT_EQ(info.DebugString(), "[" + resources->default_container() + ",table,public]");
  EXPECT_EQ(info.container() + info.name(), resources->default_container() + "table");
  attr["container"].set_s("mine");
  attr["shared_name"].set_s("");
  TF_CHECK_OK(info.Init(resources, node, true));
  EXPECT_EQ(info.DebugString(), "[mine,node,public]");
  ContainerInfo other;
  TF_CHECK_OK(info.Init(resources, node));
  TF_CHECK_OK(other.Init(resources, node));
  EXPECT_TRUE(info.resource_is_private_to_kernel() && info.name() != other.name());
  ContainerInfo::EndOfKernel* end = info.resource_manager();
  TF_CHECK_OK(end->Delete<ResourceBase>(info.container(), info.name()));
  attr["shared_name"].set_s("_hidden");
  EXPECT_EQ(info.Init(resources, node).code(), error::INVALID_ARGUMENT);
}

TEST(NodeDef, GivesMessagesToGetAttr) {
  FakeNode fake;
  Tensor tensor(DT_INT32, TensorShape({}));
  tensor.scalar<int32>()() = 7;
  fake.create.attrs.Shape("shape", {2}).Tensor("tensor", tensor.view());
  OpKernelConstruction construction(fake.create.handle());
  TensorShapeProto shape;
  TensorProto proto;
  TF_CHECK_OK(construction.GetAttr("shape", &shape));
  TF_CHECK_OK(construction.GetAttr("tensor", &proto));
  EXPECT_EQ(shape.dim(0).size(), 2);
  EXPECT_EQ(proto.int_val(0), 7);
}

// Sets a value in a message, and reads it as the same type.
template <typename T>
T Back(const T& value) {
  NodeDef node;
  SetAttrValue(value, &(*node.mutable_attr())["attr"]);
  T read{};
  TF_CHECK_OK(GetNodeAttr(node, "attr", &read));
  T again{};
  EXPECT_TRUE(TryGetNodeAttr(AttrSlice(&node.attr()), "attr", &again));
  return read;
}

TEST(GetNodeAttr, ReadsAllTypes) {
  EXPECT_EQ(Back<int64>(-3), -3);
  EXPECT_EQ(Back<int32>(-3), -3);
  EXPECT_EQ(Back(0.5F), 0.5F);
  EXPECT_EQ(Back(true), true);
  EXPECT_EQ(Back<std::string>("a"), "a");
  EXPECT_EQ(Back(tstring("a")), "a");
  EXPECT_EQ(Back(DT_INT8), DT_INT8);
  EXPECT_EQ(Back(TensorShape({2, 3})), TensorShape({2, 3}));
  EXPECT_EQ(Back(PartialTensorShape({2, -1})).DebugString(), "[2,?]");
  EXPECT_EQ(Back(Tensor(DT_STRING, TensorShape({1}))).dtype(), DT_STRING);
  NameAttrList func;
  func.set_name("f");
  EXPECT_EQ(Back(func).name(), "f");
  EXPECT_EQ(Back(std::vector<int32>{1, 2}), (std::vector<int32>{1, 2}));
  EXPECT_EQ(Back(std::vector<float>{0.5F}), std::vector<float>{0.5F});
  EXPECT_EQ(Back(std::vector<std::string>{"a", "b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Back(std::vector<DataType>{DT_INT8}), std::vector<DataType>{DT_INT8});
  EXPECT_EQ(Back(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
  EXPECT_EQ(Back(std::vector<TensorShape>{TensorShape({2})})[0], TensorShape({2}));
  EXPECT_EQ(Back(std::vector<Tensor>{Tensor(DT_INT8, TensorShape({2}))})[0].dtype(), DT_INT8);
  EXPECT_EQ(Back(std::vector<NameAttrList>{func})[0].name(), "f");
  EXPECT_TRUE(Back(std::vector<int64>()).empty());
}

TEST(GetNodeAttr, PointsIntoTheNode) {
  NodeDef node;
  (*node.mutable_attr())["tensor"].mutable_tensor()->set_dtype(DT_INT8);
  (*node.mutable_attr())["func"].mutable_func()->set_name("f");
  const TensorProto* tensor = nullptr;
  const NameAttrList* func = nullptr;
  TF_CHECK_OK(GetNodeAttr(node, "tensor", &tensor));
  TF_CHECK_OK(GetNodeAttr(node, "func", &func));
  EXPECT_EQ(tensor, &node.attr().at("tensor").tensor());
  EXPECT_EQ(func->name(), "f");
  EXPECT_FALSE(GetNodeAttr(node, "func", &tensor).ok());
}

TEST(GetNodeAttr, RefusesOtherKindsAndWhatDoesNotFit) {
  NodeDef node;
  AttrValueMap& attr = *node.mutable_attr();
  SetAttrValue(int64{1} << 40, &attr["large"]);
  SetAttrValue("text", &attr["text"]);
  SetAttrValue(std::vector<int64>{int64{1} << 40}, &attr["list"]);
  SetAttrValue(PartialTensorShape({-1}), &attr["partial"]);
  attr["shape"].mutable_shape()->add_dim()->set_size(-7);
  attr["tensor"].mutable_tensor();
  int32 number = 0;
  std::vector<int32> numbers;
  std::vector<float> floats;
  TensorShape shape;
  PartialTensorShape partial;
  Tensor tensor;
  EXPECT_EQ(GetNodeAttr(node, "none", &number).code(), error::NOT_FOUND);
  EXPECT_EQ(GetNodeAttr(node, "large", &number).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(GetNodeAttr(node, "text", &number).code(), error::INVALID_ARGUMENT);
  EXPECT_FALSE(TryGetNodeAttr(node, "list", &numbers));
  EXPECT_FALSE(TryGetNodeAttr(node, "list", &floats));
  EXPECT_FALSE(TryGetNodeAttr(node, "large", &numbers));
  EXPECT_FALSE(TryGetNodeAttr(node, "partial", &shape));
  EXPECT_FALSE(TryGetNodeAttr(node, "shape", &shape));
  EXPECT_FALSE(TryGetNodeAttr(node, "shape", &partial));
  EXPECT_FALSE(TryGetNodeAttr(node, "tensor", &tensor));
  EXPECT_TRUE(HasNodeAttr(node, "large"));
  EXPECT_FALSE(HasNodeAttr(node, "none"));
}

TEST(AttrSlice, ListsAttrs) {
  NodeDef node;
  (*node.mutable_attr())["a"].set_i(1);
  (*node.mutable_attr())["b"].set_i(2);
  const AttrSlice attrs(node);
  int64_t sum = 0;
  for (const auto& attr : attrs) sum += attr.second.i();
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(attrs.size(), 2);
  const AttrValue* value = nullptr;
  TF_CHECK_OK(attrs.Find("b", &value));
  EXPECT_EQ(value->i(), 2);
  EXPECT_EQ(attrs.Find("c"), nullptr);
  EXPECT_EQ(AttrSlice().begin(), AttrSlice().end());
}

template <typename T>
AttrValue Attr(const T& value) {
  AttrValue attr;
  SetAttrValue(value, &attr);
  return attr;
}

TEST(CompatAttrs, AreText) {
  EXPECT_EQ(SummarizeAttrValue(Attr(int64_t{-7})), "-7");
  EXPECT_EQ(SummarizeAttrValue(Attr(0.5f)), "0.5");
  EXPECT_EQ(SummarizeAttrValue(Attr(true)), "true");
  EXPECT_EQ(SummarizeAttrValue(Attr(std::string("a\"\n"))), "\"a\\\"\\n\"");
  EXPECT_EQ(SummarizeAttrValue(Attr(DT_HALF)), "DT_HALF");
  EXPECT_EQ(SummarizeAttrValue(Attr(PartialTensorShape({-1, 3}))), "[?,3]");
}

TEST(CompatAttrs, OfListsAreText) {
  EXPECT_EQ(SummarizeAttrValue(Attr(std::vector<std::string>{"a", "b"})), "[\"a\", \"b\"]");
  EXPECT_EQ(SummarizeAttrValue(Attr(std::vector<DataType>())), "[]");
  NameAttrList function;
  function.set_name("fn");
  SetAttrValue(int64_t{3}, &(*function.mutable_attr())["n"]);
  EXPECT_EQ(SummarizeAttrValue(Attr(function)), "fn[n=3]");
  AttrValue of_function;
  of_function.set_placeholder("T");
  EXPECT_EQ(SummarizeAttrValue(of_function), "$T");
  EXPECT_LT(SummarizeAttrValue(Attr(std::vector<int64_t>(1000, 1))).size(), 100u);
  EXPECT_LT(SummarizeAttrValue(Attr(std::string(1000, 'x'))).size(), 100u);
}

TEST(CompatAttrs, AreCompared) {
  EXPECT_TRUE(AreAttrValuesEqual(Attr(DT_INT32), Attr(DT_INT32)));
  EXPECT_FALSE(AreAttrValuesEqual(Attr(int64_t{3}), Attr(DT_INT32)));
  EXPECT_FALSE(AreAttrValuesEqual(Attr(std::vector<float>{1}), Attr(std::vector<float>{1, 2})));
}

TEST(OpRegistry, KnowsTheOpsOfThePlugin) {
  const OpDef* op = nullptr;
  TF_CHECK_OK(OpRegistry::Global()->LookUpOpDef("CompatNode", &op));
  std::string arguments, attrs;
  for (const OpDef::ArgDef& argument : op->input_arg()) {
    arguments += strings::StrCat(argument.name(), " ", DataTypeString(argument.type()), " ", argument.type_attr(), " ",
                                 argument.number_attr(), " ", argument.type_list_attr(), " ", argument.is_ref(), "\n");
  }
  for (const OpDef::AttrDef& attr : op->attr()) attrs += attr.name() + ": " + attr.type() + "\n";
  EXPECT_EQ(arguments,
            "x INVALID T   0\n"
            "many float  N  0\n"
            "several INVALID   Tlist 0\n"
            "handle int64    1\n");
  EXPECT_EQ(attrs, "T: type\nN: int\nTlist: list(type)\nmode: string\nkind: type\nnames: list(string)\n");
  EXPECT_TRUE(op->is_stateful() && !op->is_commutative() && !op->is_aggregate());
  EXPECT_EQ(op->input_arg_size() + op->output_arg_size() + op->attr_size(), 4 + 1 + 6);
  EXPECT_EQ(op->output_arg(0).name() + op->output_arg()[0].name() + op->input_arg(1).name() + op->attr(1).name(),
            "yymanyN");
  TF_CHECK_OK(OpRegistry::Global()->LookUpOpDef("CompatSum", &op));
  EXPECT_TRUE(op->is_commutative() && op->is_aggregate());
  EXPECT_EQ(op->input_arg(0).type(), DT_HALF);
  EXPECT_FALSE(OpRegistry::Global()->LookUpOpDef("None", &op).ok());
  EXPECT_NE(OpRegistry::Global()->DebugString(false).find("CompatSum\n"), std::string::npos);
}

TEST(OpDef, TakesAnyText) {
  for (const char* spec : {"", ":", "x", "x:", "x: ", "x: list(", "x: Ref(", "x: *", "x:  {"}) {
    const OpDef_AttrDef attr(spec);
    const OpDef_ArgDef argument(spec, {attr});
    EXPECT_EQ(attr.name(), argument.name());
  }
}

}  // namespace
}  // namespace tensorflow

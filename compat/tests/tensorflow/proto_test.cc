// compat/tests/tensorflow/proto_test.cc: messages as bytes, which are those of TensorFlow 2.21, and as text.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {
namespace {

std::string Hex(const std::string& bytes) {
  static const char* kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

TensorProto Row(DataType type, int64_t size) {
  TensorProto proto;
  proto.set_dtype(type);
  proto.mutable_tensor_shape()->add_dim()->set_size(size);
  return proto;
}

// A tensor message of one row; `add` adds each of the values.
template <typename Add, typename Value>
TensorProto RowOf(DataType type, int64_t size, Add add, std::initializer_list<Value> values) {
  TensorProto proto = Row(type, size);
  for (const Value value : values) (proto.*add)(value);
  return proto;
}

TensorProto Content(DataType type, int64_t size, const std::string& bytes) {
  TensorProto proto = Row(type, size);
  proto.set_tensor_content(bytes);
  return proto;
}

// Serializes, parses and serializes again.
template <typename Proto>
std::string Bytes(const Proto& proto) {
  std::string once;
  EXPECT_TRUE(proto.SerializeToString(&once));
  EXPECT_EQ(once.size(), proto.ByteSizeLong());
  Proto read;
  EXPECT_TRUE(read.ParseFromArray(once.data(), static_cast<int>(once.size())));
  EXPECT_EQ(read.DebugString(), proto.DebugString());
  EXPECT_EQ(read.SerializeAsString(), once);
  return Hex(once);
}

TEST(Proto, WritesListsOfNumbers) {
  using P = TensorProto;
  EXPECT_EQ(Bytes(RowOf(DT_FLOAT, 2, &P::add_float_val, {1.5F, -2.F})), "08011204120208022a080000c03f000000c0");
  EXPECT_EQ(Bytes(RowOf(DT_INT8, 3, &P::add_int_val, {-1, 2, 44})), "08061204120208033a0cffffffffffffffffff01022c");
  EXPECT_EQ(Bytes(RowOf(DT_HALF, 1, &P::add_half_val, {0x3c00})), "08131204120208016a028078");
  EXPECT_EQ(Bytes(RowOf(DT_BOOL, 2, &P::add_bool_val, {true, false})), "080a1204120208025a020100");
  EXPECT_EQ(Bytes(RowOf(DT_COMPLEX64, 1, &P::add_scomplex_val, {1.F, -1.F})), "08081204120208014a080000803f000080bf");
  EXPECT_EQ(Bytes(RowOf(DT_UINT64, 1, &P::add_uint64_val, {kuint64max})), "08171204120208018a010affffffffffffffffff01");
  EXPECT_EQ(Bytes(RowOf(DT_INT64, 1, &P::add_int64_val, {-5})), "0809120412020801520afbffffffffffffffff01");
  TensorProto versioned = RowOf(DT_DOUBLE, 1, &P::add_double_val, {0.1});
  versioned.set_version_number(7);
  EXPECT_EQ(Bytes(versioned), "0802120412020801180732089a9999999999b93f");
}

TEST(Proto, WritesTextsAndEmptyMessages) {
  TensorProto proto;
  proto.set_dtype(DT_STRING);
  proto.mutable_tensor_shape();
  proto.add_string_val(std::string("a\0\377b\"'\n", 7));
  EXPECT_EQ(Bytes(proto), "0807120042076100ff6222270a");
  EXPECT_EQ(proto.DebugString(), "dtype: DT_STRING\ntensor_shape {\n}\nstring_val: \"a\\000\\377b\\\"\\'\\n\"\n");
}

TEST(Proto, WritesShapes) {
  TensorShapeProto shape;
  shape.add_dim()->set_size(-1);
  shape.mutable_dim(0)->set_name("n");
  *shape.add_dim() = TensorShapeProto_Dim();
  for (const TensorShapeProto::Dim& dim : shape.dim()) EXPECT_LE(dim.size(), 0);
  EXPECT_EQ(Bytes(shape), "120e08ffffffffffffffffff0112016e1200");
  shape.Clear();
  shape.set_unknown_rank(true);
  EXPECT_EQ(Bytes(shape), "1801");
}

TEST(Proto, WritesNodes) {
  NodeDef node;
  node.set_name("n");
  node.set_op("Op");
  for (const char* input : {"a", "^b"}) node.add_input(input);
  node.set_device("/cpu:0");
  AttrValueMap& attr = *node.mutable_attr();
  attr["N"].set_i(-3);
  attr["T"].set_type(DT_FLOAT);
  attr["b"].set_b(false);
  attr["e"].mutable_list();
  attr["f"].set_f(0.1F);
  attr["func"].mutable_func()->set_name("g");
  (*attr["func"].mutable_func()->mutable_attr())["T"].mutable_list()->add_type(DT_FLOAT);
  (*attr["func"].mutable_func()->mutable_attr())["T"].mutable_list()->add_type(DT_INT32);
  for (const int i : {1, 300}) attr["l"].mutable_list()->add_i(i);
  attr["p"].set_placeholder("q");
  attr["s"].set_s("x");
  attr["shape"].mutable_shape()->add_dim()->set_size(2);
  attr["t"].mutable_tensor()->set_dtype(DT_INT32);
  attr["t"].mutable_tensor()->mutable_tensor_shape();
  attr["t"].mutable_tensor()->add_int_val(7);
  EXPECT_EQ(
      Bytes(node),
      "0a016e12024f701a01611a025e6222062f6370753a302a100a014e120b18fdffffffffffffffff012a070a0154120230012a070a0162"
      "120228002a070a016512020a002a0a0a0166120525cdcccc3d2a1a0a0466756e63121252100a0167120b0a015412060a04320201032a"
      "0c0a016c12070a051a0301ac022a080a017012034a01712a080a017312031201782a0f0a05736861706512063a04120208022a0e0a01"
      "7412094207080312003a0107");
}

TEST(Proto, PrintsOnOneLine) {
  NodeDef node;
  node.set_name("n");
  (*node.mutable_attr())["T"].set_type(DT_BFLOAT16);
  (*node.mutable_attr())["f"].set_f(0.1F);
  EXPECT_EQ(node.ShortDebugString(),
            "name: \"n\" attr { key: \"T\" value { type: DT_BFLOAT16 } } attr { key: \"f\" value { f: 0.1 } }");
}

TEST(Proto, ReadsNumbersThatAreNotPackedAndSkipsUnknownFields) {
  TensorProto proto;
  // int_val 5, int_val 6, and field 99 in every wire format.
  EXPECT_TRUE(proto.ParseFromString(std::string("\x38\x05\x38\x06", 4) + "\x98\x06\x01" + "\x9a\x06\x02zz" +
                                    "\x9d\x06" + "abcd" + "\x99\x06" + "abcdefgh"));
  EXPECT_EQ(proto.ShortDebugString(), "int_val: 5 int_val: 6");
}

TEST(Proto, RefusesWhatIsNotAMessage) {
  const std::string bytes = Content(DT_FLOAT, 2, "12345678").SerializeAsString();
  TensorProto proto;
  // Truncated everywhere except between two fields.
  for (const size_t cut : {1, 3, 5, 7, 9, 12}) EXPECT_FALSE(proto.ParseFromString(bytes.substr(0, cut))) << cut;
  for (const char* bad : {"\x0b", "\x02", "\x12\x02\x12\x7f", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    EXPECT_FALSE(proto.ParseFromString(bad));
  }
  EXPECT_FALSE(proto.ParseFromArray(nullptr, -1));
  const auto field = [](char tag, const std::string& content) {
    std::string made(1, tag);
    core::PutVarint64(&made, content.size());
    return made + content;
  };
  std::string deep;  // an AttrValue with a func that has an attr, which is again an AttrValue
  for (int i = 0; i < 300; ++i) deep = field('\x52', field('\x12', field('\x12', deep)));
  AttrValue value;
  EXPECT_FALSE(value.ParseFromString(deep));
}

TEST(Proto, CopiesMergesAndSwaps) {
  TensorProto a = Row(DT_FLOAT, 2), b;
  a.add_float_val(1);
  b.CopyFrom(a);
  b.set_dtype(DT_DOUBLE);
  b.MergeFrom(a);
  EXPECT_EQ(b.ShortDebugString(),
            "dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 1 float_val: 1");
  a.Clear();
  a.Swap(&b);
  EXPECT_EQ(a.float_val_size(), 2);
  EXPECT_EQ(b.ByteSizeLong(), 0U);
  std::string bytes = "kept ";
  EXPECT_TRUE(NodeDef::default_instance().AppendToString(&bytes));
  EXPECT_EQ(bytes, "kept ");
}

TEST(Proto, IsAnElementOfATensor) {
  const TensorProto proto = Row(DT_FLOAT, 2);
  tstring bytes;
  EXPECT_TRUE(SerializeToTString(proto, &bytes));
  TensorProto a, b, c;
  EXPECT_TRUE(ParseFromTString(bytes, &a));
  EXPECT_TRUE(ParseProtoUnlimited(&b, bytes));
  EXPECT_TRUE(ParseProtoUnlimited(&c, bytes.data(), bytes.size()));
  EXPECT_EQ(a.DebugString() + b.DebugString() + c.DebugString(),
            proto.DebugString() + proto.DebugString() + proto.DebugString());
}

TEST(Proto, SettingAValueDropsTheOther) {
  AttrValue value;
  EXPECT_EQ(value.value_case(), AttrValue::VALUE_NOT_SET);
  const std::vector<std::pair<AttrValue::ValueCase, std::function<void()>>> setters = {
      {AttrValue::kS, [&] { value.set_s("a"); }},
      {AttrValue::kI, [&] { value.set_i(0); }},
      {AttrValue::kF, [&] { value.set_f(0); }},
      {AttrValue::kB, [&] { value.set_b(false); }},
      {AttrValue::kType, [&] { value.set_type(DT_INT8); }},
      {AttrValue::kShape, [&] { value.mutable_shape(); }},
      {AttrValue::kTensor, [&] { value.mutable_tensor(); }},
      {AttrValue::kPlaceholder, [&] { value.set_placeholder("p"); }},
      {AttrValue::kFunc, [&] { value.mutable_func(); }},
      {AttrValue::kList, [&] { value.mutable_list(); }},
  };
  for (const auto& [one, set] : setters) {
    set();
    EXPECT_EQ(value.value_case(), one);
    EXPECT_EQ(value.has_i(), one == AttrValue::kI);
    EXPECT_TRUE(value.s().empty() || one == AttrValue::kS);
  }
}

TEST(Proto, HoldsAllKindsOfLists) {
  AttrValue::ListValue list;
  list.add_s("a");
  list.add_f(0.5F);
  list.add_b(true);
  list.add_shape()->set_unknown_rank(true);
  list.add_tensor()->set_dtype(DT_INT8);
  AttrValue_ListValue copy;
  EXPECT_TRUE(copy.ParseFromString(list.SerializeAsString()));
  EXPECT_EQ(copy.ShortDebugString(), "s: \"a\" f: 0.5 b: true shape { unknown_rank: true } tensor { dtype: DT_INT8 }");
}

TEST(ProtoContainers, AreLists) {
  protobuf::RepeatedField<int> numbers;
  numbers.Reserve(3);
  for (const int number : {3, 1, 2}) numbers.Add(number);
  numbers.Set(0, 5);
  *numbers.Mutable(1) = 6;
  numbers.mutable_data()[2] = 7;
  EXPECT_EQ(numbers.Get(0) + numbers.Get(1) + numbers.Get(2), 18);
  protobuf::RepeatedField<int> more;
  more.CopyFrom(numbers);
  more.MergeFrom(numbers);
  more.RemoveLast();
  EXPECT_EQ(more.size(), 5);
  more.Truncate(1);
  more.Resize(2, 9);
  more.Swap(&numbers);
  EXPECT_EQ(numbers, (protobuf::RepeatedField<int>{5, 9}));
  more.Clear();
  EXPECT_TRUE(more.empty());
}

TEST(ProtoContainers, ElementsStayInPlace) {
  protobuf::RepeatedPtrField<std::string> texts;
  std::string* first = texts.Add();
  texts.Reserve(100);
  for (int i = 0; i < 100; ++i) texts.Add("more");
  *first = "first";
  EXPECT_EQ(texts.Get(0), "first");
  texts.Mutable(0)->clear();
  EXPECT_TRUE(first->empty());
  protobuf::Map<std::string, int> map;
  map["a"] = 1;
  EXPECT_TRUE(map.contains("a") && !map.contains("b"));
}

template <typename T>
Tensor TensorOf(DataType type, const std::vector<T>& values) {
  Tensor tensor(type, TensorShape({static_cast<int64>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) tensor.flat<T>()(static_cast<int64>(i)) = values[i];
  return tensor;
}

// Through bytes, with the elements in their list and in tensor_content.
void ExpectComesBack(const Tensor& tensor) {
  for (const bool as_content : {false, true}) {
    TensorProto proto, read;
    as_content ? tensor.AsProtoTensorContent(&proto) : tensor.AsProtoField(&proto);
    ASSERT_TRUE(read.ParseFromString(proto.SerializeAsString()));
    Tensor back;
    ASSERT_TRUE(back.FromProto(read)) << read.ShortDebugString();
    EXPECT_EQ(back.dtype(), tensor.dtype());
    EXPECT_EQ(back.shape(), tensor.shape());
    EXPECT_EQ(back.SummarizeValue(99), tensor.SummarizeValue(99)) << read.ShortDebugString();
  }
}

TEST(TensorProto, GivesTensorsOfAllTypesBack) {
  ExpectComesBack(TensorOf<float>(DT_FLOAT, {1.5F, -2}));
  ExpectComesBack(TensorOf<double>(DT_DOUBLE, {0.1, -2}));
  ExpectComesBack(TensorOf<Eigen::half>(DT_HALF, {Eigen::half(1.5F), Eigen::half(-2)}));
  ExpectComesBack(TensorOf<bfloat16>(DT_BFLOAT16, {bfloat16(1.5F), bfloat16(-2)}));
  ExpectComesBack(TensorOf<int8>(DT_INT8, {-128, 127}));
  ExpectComesBack(TensorOf<uint8>(DT_UINT8, {0, 255}));
  ExpectComesBack(TensorOf<int16>(DT_INT16, {-32768, 32767}));
  ExpectComesBack(TensorOf<uint16>(DT_UINT16, {0, 65535}));
  ExpectComesBack(TensorOf<int32>(DT_INT32, {kint32min, kint32max}));
  ExpectComesBack(TensorOf<uint32>(DT_UINT32, {0, kuint32max}));
  ExpectComesBack(TensorOf<int64>(DT_INT64, {kint64min, kint64max}));
  ExpectComesBack(TensorOf<uint64>(DT_UINT64, {0, kuint64max}));
  ExpectComesBack(TensorOf<bool>(DT_BOOL, {true, false}));
  ExpectComesBack(TensorOf<complex64>(DT_COMPLEX64, {{1, -2}, {3, 4}}));
  ExpectComesBack(TensorOf<complex128>(DT_COMPLEX128, {{1, -2}, {0.1, 4}}));
  ExpectComesBack(TensorOf<float8_e5m2>(DT_FLOAT8_E5M2, {float8_e5m2(1.5F), float8_e5m2(-2)}));
  ExpectComesBack(TensorOf<tstring>(DT_STRING, {"ab", "", std::string(200, 'c')}));
  ExpectComesBack(Tensor(DT_FLOAT, TensorShape({0, 3})));
  ExpectComesBack(Tensor(DT_STRING, TensorShape({0})));
}

TEST(TensorProto, RepeatsTheLastElement) {
  TensorProto proto = Row(DT_INT32, 4);
  Tensor tensor;
  EXPECT_TRUE(tensor.FromProto(proto));
  EXPECT_EQ(tensor.SummarizeValue(9), "0 0 0 0");
  for (const int value : {1, 2}) proto.add_int_val(value);
  EXPECT_TRUE(tensor.FromProto(static_cast<Allocator*>(nullptr), proto));
  EXPECT_EQ(tensor.SummarizeValue(9), "1 2 2 2");
  // Half an element is ignored.
  EXPECT_TRUE(tensor.FromProto(RowOf(DT_COMPLEX64, 2, &TensorProto::add_scomplex_val, {1.F, 2.F, 3.F})));
  EXPECT_EQ(tensor.SummarizeValue(9), "(1,2) (1,2)");
  TensorProto texts = Row(DT_STRING, 3);
  texts.add_string_val("a");
  EXPECT_TRUE(tensor.FromProto(texts));
  EXPECT_EQ(tensor.SummarizeValue(9), "a a a");
}

TEST(TensorProto, RefusesWhatIsNotATensor) {
  Tensor tensor = TensorOf<int32>(DT_INT32, {7});
  std::vector<TensorProto> bad = {TensorProto(),
                                  Content(DT_INT32, 2, "1234567"),
                                  Content(DT_STRING, 2, "\1\2ab"),
                                  Content(DT_STRING, 2, "\x01"),
                                  Content(DT_STRING, 1, "\1ab"),
                                  Row(DT_FLOAT8_E5M2, 2),
                                  Row(DT_INT32, 1)};
  bad[5].set_float8_val("1");
  bad[6].mutable_tensor_shape()->set_unknown_rank(true);
  for (const int64_t size : {int64_t{-1}, int64_t{-2}, int64_t{kint64max}}) bad.push_back(Row(DT_INT32, size));
  for (const int type : {int{DT_RESOURCE}, int{DT_VARIANT}, 99, -1}) bad.push_back(Row(static_cast<DataType>(type), 1));
  bad.push_back(Row(DT_INT4, 2));
  for (int i = 0; i < 300; ++i) bad[0].mutable_tensor_shape()->add_dim()->set_size(1);
  bad[0].set_dtype(DT_INT32);
  for (const TensorProto& proto : bad) EXPECT_FALSE(tensor.FromProto(proto)) << proto.ShortDebugString();
  EXPECT_EQ(tensor.SummarizeValue(9), "7");
}

TEST(TensorProto, HoldsNoHandles) {
  TensorProto proto;
  EXPECT_THROW(Tensor(DT_VARIANT, TensorShape({1})).AsProtoField(&proto), internal::Failure);
  EXPECT_THROW(Tensor(DT_RESOURCE, TensorShape({1})).AsProtoTensorContent(&proto), internal::Failure);
}

}  // namespace
}  // namespace tensorflow

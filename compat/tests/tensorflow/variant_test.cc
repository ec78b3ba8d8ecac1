// compat/tests/tensorflow/variant_test.cc: values of a plugin's own types as elements of tensors.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/variant.h"

#include <gtest/gtest.h>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/type_index.h"
#include "tensorflow/core/framework/variant_encode_decode.h"
#include "tensorflow/core/framework/variant_op_registry.h"
#include "tensorflow/core/framework/variant_tensor_data.h"

namespace tensorflow {
namespace {

int live = 0;

struct Names {
  Names() { ++live; }
  explicit Names(std::vector<std::string> the_names) : names(std::move(the_names)) { ++live; }
  Names(const Names& other) : names(other.names) { ++live; }
  Names& operator=(const Names&) = default;
  ~Names() { --live; }

  std::string TypeName() const { return "test::Names"; }
  std::string DebugString() const { return strings::StrCat(names.size(), " names"); }
  void Encode(VariantTensorData* data) const {
    data->set_type_name(TypeName());
    data->set_metadata(static_cast<int>(names.size()));
    Tensor* texts = data->add_tensors();
    *texts = Tensor(DT_STRING, TensorShape({static_cast<int64>(names.size())}));
    for (size_t i = 0; i < names.size(); ++i) texts->vec<tstring>()(static_cast<int64>(i)) = names[i];
  }
  bool Decode(const VariantTensorData& data) {
    int count = 0;
    if (!data.get_metadata(&count) || data.tensors_size() != 1) return false;
    names.clear();
    for (int i = 0; i < count; ++i) names.push_back(data.tensors(0).vec<tstring>()(i));
    return true;
  }

  std::vector<std::string> names;
};

struct Point {
  float x, y;
};

REGISTER_UNARY_VARIANT_DECODE_FUNCTION(Names, "test::Names");

Status ZerosLike(OpKernelContext*, const Names&, Names* zeros) {
  *zeros = Names();
  return Status();
}
Status Add(OpKernelContext*, const Names&, const Names&, Names*) {
  return Status();
}
Status Copy(const Names&, Names*, std::function<Status(const Tensor&, Tensor*)>) {
  return Status();
}
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_CPU, Names, ZerosLike);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU, Names, Add);
INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(Names, VariantDeviceCopyDirection::HOST_TO_DEVICE, Copy);

TEST(Variant, HoldsAValueOfAnyType) {
  Variant v;
  EXPECT_TRUE(v.is_empty());
  EXPECT_EQ(v.get<int>(), nullptr);
  v = 7;
  ASSERT_NE(v.get<int>(), nullptr);
  EXPECT_EQ(*v.get<int>(), 7);
  EXPECT_EQ(v.get<float>(), nullptr);
  v = std::string("seven");
  EXPECT_EQ(*v.get<std::string>(), "seven");
  v.emplace<Point>(Point{1, 2}).y = 3;
  EXPECT_EQ(v.get<Point>()->y, 3);
  EXPECT_EQ(v.TypeId(), TypeIndex::Make<Point>());
  EXPECT_NE(v.TypeId(), TypeIndex::Make<Names>());
  EXPECT_EQ(v.TypeId().hash_code(), TypeIndex::Make<Point>().hash_code());
  EXPECT_NE(std::string(v.TypeId().name()).find("Point"), std::string::npos);
  v.clear();
  EXPECT_TRUE(v.is_empty());
}

TEST(Variant, IsAValue) {
  {
    Variant a = Names({"x"});
    Variant b = a;
    b.get<Names>()->names.push_back("y");
    EXPECT_EQ(a.get<Names>()->names.size(), 1u);
    EXPECT_EQ(b.get<Names>()->names.size(), 2u);
    std::swap(a, b);
    EXPECT_EQ(a.DebugString(), "Variant<type: test::Names value: 2 names>");
    EXPECT_EQ(b.SummarizeValue(), "1 names");
    const Variant c = std::move(a);
    EXPECT_TRUE(a.is_empty());
    EXPECT_EQ(a.SummarizeValue(), "[empty]");
    EXPECT_EQ(live, 2);
  }
  EXPECT_EQ(live, 0);
}

TEST(Variant, EncodesAndDecodes) {
  VariantTensorData data;
  const Variant names = Names({"x", "y"});
  names.Encode(&data);
  EXPECT_EQ(data.type_name(), names.TypeName());
  Variant other = Names();
  EXPECT_TRUE(other.Decode(data));
  EXPECT_EQ(other.get<Names>()->names, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(Variant().Decode(data));

  VariantTensorData plain;
  Variant(Point{1, 2}).Encode(&plain);
  Variant point = Point{};
  EXPECT_TRUE(point.Decode(plain));
  EXPECT_EQ(point.get<Point>()->y, 2);
  Variant number = int64_t{0}, small = int8_t{0};
  EXPECT_TRUE(number.Decode(plain));  // as many bytes
  EXPECT_FALSE(small.Decode(plain));
}

TEST(Variant, EncodesTensorsAndText) {
  VariantTensorData data;
  Tensor tensor(DT_INT32, {2});
  tensor.vec<int>()(1) = 5;
  EncodeVariant(tensor, &data);
  data.add_tensor(tensor);
  EXPECT_EQ(data.tensors().size(), 2u);
  Tensor back;
  EXPECT_FALSE(DecodeVariant(&data, &back));  // of one tensor alone
  VariantTensorData text;
  EncodeVariant(std::string("abc"), &text);
  EXPECT_EQ(text.metadata_string(), "abc");
  std::string word;
  EXPECT_TRUE(DecodeVariant(&text, &word));
  EXPECT_EQ(word, "abc");
  EXPECT_EQ(DebugStringVariant(word), "abc");
  EXPECT_EQ(TypeNameVariant(Names()), "test::Names");
  EXPECT_NE(text.DebugString().find("abc"), std::string::npos);
}

TEST(Variant, IsAnElementOfATensor) {
  {
    Tensor tensor(DataTypeToEnum<Variant>::value, TensorShape({2}));
    EXPECT_EQ(tensor.TotalBytes(), 0u);
    tensor.vec<Variant>()(1) = Names({"x"});
    EXPECT_TRUE(tensor.vec<Variant>()(0).is_empty());
    Tensor slice = tensor.Slice(1, 2);
    slice.vec<Variant>()(0).get<Names>()->names.push_back("y");  // the element of both
    EXPECT_EQ(std::as_const(tensor).vec<Variant>()(1).get<Names>()->names.size(), 2u);
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

}  // namespace
}  // namespace tensorflow

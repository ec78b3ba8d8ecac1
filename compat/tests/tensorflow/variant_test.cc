// compat/tests/tensorflow/variant_test.cc: values of a plugin's own types as elements of tensors.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

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
  EXPECT_TRUE(number.Decode(plain));  // the size matches
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
  EXPECT_FALSE(DecodeVariant(&data, &back));  // has only one tensor
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
    slice.vec<Variant>()(0).get<Names>()->names.push_back("y");  // both share the element
    EXPECT_EQ(std::as_const(tensor).vec<Variant>()(1).get<Names>()->names.size(), 2u);
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

}  // namespace

namespace sparse {
namespace {

Tensor Indices(std::initializer_list<std::pair<int64, int64>> rows) {
  Tensor indices(DT_INT64, TensorShape({static_cast<int64>(rows.size()), 2}));
  int64 n = 0;
  for (const auto& [row, column] : rows) {
    indices.matrix<int64>()(n, 0) = row;
    indices.matrix<int64>()(n++, 1) = column;
  }
  return indices;
}
Tensor Values(std::initializer_list<const char*> texts) {
  Tensor values(DT_STRING, TensorShape({static_cast<int64>(texts.size())}));
  int64 n = 0;
  for (const char* text : texts) values.vec<tstring>()(n++) = text;
  return values;
}
// [a . .]
// [. b c]
SparseTensor Example() {
  return SparseTensor(Indices({{0, 0}, {1, 1}, {1, 2}}), Values({"a", "b", "c"}), {2, 3}, {0, 1});
}

// "a@0,0 b@1,1".
std::string Text(const SparseTensor& tensor) {
  std::string text;
  for (size_t n = 0; n < tensor.num_entries(); ++n) {
    const auto ix = tensor.indices().matrix<int64>();
    const int64 at = static_cast<int64>(n);
    strings::StrAppend(&text, n == 0 ? "" : " ", std::string(tensor.values().vec<tstring>()(at)), "@", ix(at, 0), ",",
                       ix(at, 1));
  }
  return text;
}

TEST(SparseTensor, HoldsItsParts) {
  const SparseTensor tensor = Example();
  EXPECT_TRUE(tensor.dims() == 2 && tensor.num_entries() == 3 && tensor.dtype() == DT_STRING);
  EXPECT_EQ(TensorShape(tensor.shape()), TensorShape({2, 3}));
  EXPECT_EQ(tensor.order()[1], 1);
  EXPECT_EQ(tensor.PickDims({1}), std::vector<int64_t>{3});
  EXPECT_TRUE(SparseTensor().dims() == 0 && SparseTensor().num_entries() == 0);
  EXPECT_EQ(VarDimArray({4, 5})[1], 5);
}

TEST(SparseTensor, IsNotMadeOfPartsThatDoNotFit) {
  SparseTensor made;
  const Tensor indices = Indices({{0, 0}}), values = Values({"a"});
  const auto code = [&](const Tensor& ix, const Tensor& v, const SparseTensor::Dims& shape,
                        const SparseTensor::Dims& order) {
    return SparseTensor::Create(ix, v, shape, order, &made).code();
  };
  EXPECT_EQ(code(values, values, {2, 3}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, indices, {2, 3}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, Values({"a", "b"}), {2, 3}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, values, {2}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, values, {2, 3}, {0}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, values, {2, 3}, {0, 2}), error::INVALID_ARGUMENT);
  EXPECT_EQ(made.dims(), 0);
  TF_CHECK_OK(SparseTensor::Create(indices, values, TensorShape({2, 3}), &made));
  gtl::InlinedVector<int64, 8> order = {0, 1};
  TF_CHECK_OK(SparseTensor::Create(indices, values, TensorShape({2, 3}), order, &made));
  EXPECT_EQ(made.num_entries(), 1u);
}

TEST(SparseTensor, ChecksItsIndices) {
  const auto code = [](std::initializer_list<std::pair<int64, int64>> rows, const SparseTensor::Dims& order) {
    return SparseTensor(Indices(rows), Values({"a", "b"}), {2, 3}, order).IndicesValid().code();
  };
  EXPECT_EQ(code({{0, 1}, {1, 0}}, {0, 1}), error::OK);
  EXPECT_EQ(code({{0, 1}, {1, 0}}, {1, 0}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{1, 0}, {0, 1}}, {1, 0}), error::OK);
  EXPECT_EQ(code({{0, 1}, {0, 1}}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{0, 1}, {0, 3}}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{-1, 1}, {0, 2}}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{0, 1}, {1, 0}}, {-1, -1}), error::FAILED_PRECONDITION);
}

TEST(SparseTensor, SortsItsEntries) {
  SparseTensor tensor(Indices({{1, 2}, {0, 0}, {1, 1}}), Values({"c", "a", "b"}), {2, 3});
  tensor.Reorder<tstring>({0, 1});
  EXPECT_EQ(Text(tensor), "a@0,0 b@1,1 c@1,2");
  tensor.Reorder<tstring>({1, 0});
  EXPECT_EQ(Text(tensor), "a@0,0 b@1,1 c@1,2");
  EXPECT_EQ(tensor.order()[0], 1);
  TF_CHECK_OK(tensor.IndicesValid());
}

TEST(SparseTensor, GoesThroughGroups) {
  std::string text;
  for (const Group& group : Example().group({0})) {
    strings::StrAppend(&text, group.group()[0], ":", group.group_at(0), " ", group.values<tstring>().size(), " ",
                       std::string(group.values<tstring>()(0)), " ", group.indices()(0, 1), "; ");
  }
  EXPECT_EQ(text, "0:0 1 a 0; 1:1 2 b 1; ");
  const GroupIterable none = SparseTensor(Indices({}), Values({}), {2, 3}, {0, 1}).group({0});
  EXPECT_TRUE(none.begin() == none.end());
  const GroupIterable all = Example().group({});
  GroupIterable::IteratorStep step = all.begin();
  EXPECT_TRUE(step++ != all.end() && step == all.end());
}

TEST(SparseTensor, BecomesDense) {
  Tensor dense(DT_STRING, TensorShape({2, 3}));
  EXPECT_TRUE(Example().ToDense<tstring>(&dense));
  EXPECT_EQ(dense.flat<tstring>()(5), "c");
  EXPECT_EQ(dense.flat<tstring>()(1), "");
  dense.flat<tstring>()(1) = "kept";
  EXPECT_TRUE(Example().ToDense<tstring>(&dense, false));
  EXPECT_EQ(dense.flat<tstring>()(1), "kept");
  Tensor small(DT_STRING, TensorShape({2, 2})), other(DT_INT32, TensorShape({2, 3}));
  EXPECT_FALSE(Example().ToDense<tstring>(&small));
  EXPECT_FALSE(Example().ToDense<int32>(&other));
  EXPECT_FALSE(SparseTensor(Indices({{0, 3}}), Values({"a"}), {2, 3}).ToDense<tstring>(&dense));
}

TEST(SparseTensor, IsJoinedAndParted) {
  const std::vector<SparseTensor> twice{Example(), Example()};
  const SparseTensor joined = SparseTensor::Concat<tstring>(twice);
  EXPECT_EQ(Text(joined), "a@0,0 b@1,1 c@1,2 a@2,0 b@3,1 c@3,2");
  EXPECT_EQ(joined.shape()[0], 4);
  TF_CHECK_OK(joined.IndicesValid());
  std::vector<SparseTensor> parts;
  TF_CHECK_OK(SparseTensor::Split<tstring>(joined, 0, 3, &parts));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(Text(parts[0]), "a@0,0 b@1,1 c@1,2");
  EXPECT_EQ(Text(parts[1]), "a@0,0");
  EXPECT_EQ(Text(parts[2]), "b@0,1 c@0,2");
  EXPECT_EQ(parts[0].shape()[0] + parts[1].shape()[0] + parts[2].shape()[0], 4);
  EXPECT_EQ(SparseTensor::Split<tstring>(joined, 2, 1, &parts).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(SparseTensor::Split<tstring>(joined, 0, 5, &parts).code(), error::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace sparse

}  // namespace tensorflow

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "host/spec/parse_op.h"
#include "host/spec/type_words.h"
#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

SpecError ErrorIn(const std::string& spec) {
  AttrDef attr;
  SpecOffsets offsets;
  const std::optional<SpecError> error = ParseAttr(spec, &attr, &offsets);
  EXPECT_TRUE(error) << spec;
  return error.value_or(SpecError());
}

// "kind@offset" of each mistake.
TEST(ParseAttr, NamesWhatIsWrongAndWhere) {
  const auto expect = [](std::initializer_list<std::pair<const char*, const char*>> rows) {
    for (const auto& [spec, mistake] : rows) {
      const SpecError error = ErrorIn(spec);
      EXPECT_EQ(std::string(error.kind) + "@" + std::to_string(error.offset), mistake) << spec;
    }
  };
  expect({std::pair(" n: int", "name@0"), std::pair("n int", "name@2"), std::pair("n: double", "type@3"),
          std::pair("n:", "type@2"), std::pair("n: list(list(int))", "type@8"),
          std::pair("n: list(int", "list_close@11"), std::pair("n: int x", "trailing@7"),
          std::pair("n: float >= 1", "trailing@9"), std::pair("n: int >= x", "minimum@10"),
          std::pair("n: int >= 9223372036854775808", "minimum@10"), std::pair("n: int >= 1.5", "trailing@11"),
          std::pair("n: int = x", "default@9"), std::pair("n: int == 3", "default@8")});
  // A set.
  expect({std::pair("n: {}", "allowed_type@4"), std::pair("n: {int32,, float}", "allowed_type@10"),
          std::pair("n: {int3}", "allowed_type@4"), std::pair("n: {DT_INT32}", "allowed_type@4"),
          std::pair("n: {'a', int32}", "allowed_string@9"), std::pair("n: {'a' 'b'}", "allowed_separator@8"),
          std::pair("n: {int32", "allowed_separator@9")});
  // The whole word that only begins like a type.
  expect({std::pair("k: int32", "trailing@3"), std::pair("k: list(int32)", "list_close@8")});
}

TEST(ParseAttr, SaysWhatToWrite) {
  EXPECT_EQ(ErrorIn("k: int32").message, "'int32' is a data type, not an attr type: write {int32}, or type for any");
  EXPECT_EQ(ErrorIn("k: strin").message, "'strin' is not an attr type; did you mean 'string'?");
  EXPECT_EQ(ErrorIn("k: {int3}").message, "expected a data type, found 'int3'; did you mean 'int32' or 'int8'?");
  EXPECT_EQ(ErrorIn("k:").message, "the attr's type is missing");
}

TEST(ParseAttr, RemembersWhereItsPartsStandAndTheNameOfARefusedOne) {
  AttrDef attr;
  SpecOffsets offsets;
  EXPECT_TRUE(ParseAttr("T: typ", &attr, &offsets));
  EXPECT_EQ(attr.name, "T");
  EXPECT_FALSE(ParseAttr("n: int >= 2 = 3", &attr, &offsets));
  EXPECT_EQ(offsets.minimum, 10u);
  EXPECT_EQ(offsets.default_value, 14u);
}

struct Parsed {
  bool ok = false;
  AttrValue value;
  std::string problem;
  size_t offset = 0;
};

Parsed Parse(uint32_t kind, std::string_view text) {
  Parsed parsed;
  TextCursor cursor(text);
  parsed.ok = ParseDefault(&cursor, {kind, false}, &parsed.value);
  parsed.problem = cursor.problem();
  parsed.offset = cursor.offset();
  return parsed;
}

std::vector<int32_t> Int32s(const TensorValue& tensor) {
  std::vector<int32_t> values(tensor.bytes.size() / sizeof(int32_t));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

TEST(ParseDefault, RefusesWhatIsLeftOverOrMissing) {
  Parsed parsed = Parse(OPSRUN_ATTR_INT, "5 five");
  EXPECT_FALSE(parsed.ok);
  EXPECT_EQ(parsed.problem, "'five' is unexpected after the default");
  EXPECT_EQ(parsed.offset, 2u);
  EXPECT_FALSE(Parse(OPSRUN_ATTR_INT, "1_000").ok);
  EXPECT_FALSE(Parse(OPSRUN_ATTR_STRING, "'a' 'b'").ok);
  for (uint32_t kind = OPSRUN_ATTR_INT; kind <= OPSRUN_ATTR_FUNC; ++kind) EXPECT_FALSE(Parse(kind, " ").ok) << kind;
}

TEST(ParseDefault, ReadsShapes) {
  EXPECT_EQ(Parse(OPSRUN_ATTR_SHAPE, "{ dim { size: 2 } dim: < name: 'n' size: -1 > dim {} }").value.shapes[0],
            (PartialShape{true, {2, -1, 0}}));
  EXPECT_EQ(Parse(OPSRUN_ATTR_SHAPE, "{ dim: [{size: 2}, {size: 3}] }").value.shapes[0], (PartialShape{true, {2, 3}}));
  EXPECT_EQ(Parse(OPSRUN_ATTR_SHAPE, "{}").value.shapes[0], (PartialShape{true, {}}));
  EXPECT_EQ(Parse(OPSRUN_ATTR_SHAPE, "{ unknown_rank: true }").value.shapes[0], PartialShape());
}

TEST(ParseDefault, RefusesShapesThatMeanNothing) {
  for (const char* text : {"[2,3]", "{ dim { size: 2 }", "{ dim { size: 2 > }", "{ dim { size: -2 } }", "{ dim: [] }",
                           "{ dim { size: 1 size: 2 } }", "{ dim { 2 } }", "{ rank: 2 }", "{ dim {}, dim {} }",
                           "{ unknown_rank: true dim {} }", "{ dim: [{size: 1},] }", "{ unknown_rank true }"}) {
    EXPECT_FALSE(Parse(OPSRUN_ATTR_SHAPE, text).ok) << text;
  }
  std::string dims = "{";
  for (int i = 0; i < 33; ++i) dims += " dim { size: 1 }";
  EXPECT_FALSE(Parse(OPSRUN_ATTR_SHAPE, dims + "}").ok) << "at most 32 are supported";
  const Parsed parsed = Parse(OPSRUN_ATTR_SHAPE, "{ dim { sizE: 2 } }");
  EXPECT_EQ(parsed.problem, "there is no field 'sizE' here; did you mean 'size'?");
  EXPECT_EQ(parsed.offset, 8u);
}

TEST(ParseDefault, ReadsTensors) {
  AttrValue value =
      Parse(OPSRUN_ATTR_TENSOR, "{ dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: [1, 2] }").value;
  ASSERT_EQ(value.tensors.size(), 1u);
  EXPECT_EQ(value.tensors[0].shape, std::vector<int64_t>{3});
  EXPECT_EQ(Int32s(value.tensors[0]), (std::vector<int32_t>{1, 2, 2}));
  // Without values they are zeros.
  EXPECT_EQ(Parse(OPSRUN_ATTR_TENSOR, "{ dtype: DT_DOUBLE }").value.tensors[0].bytes, std::string(8, '\0'));
  EXPECT_EQ(Parse(OPSRUN_ATTR_TENSOR, "{ dtype: DT_STRING }").value.tensors[0].strings, std::vector<std::string>{""});
  EXPECT_EQ(Parse(OPSRUN_ATTR_TENSOR, "{ tensor_shape { dim {} } dtype: DT_BOOL }").value.tensors[0].bytes, "");
}

TEST(ParseDefault, StoresEachDataTypeInItsSize) {
  auto bytes = [](std::string_view text) { return Parse(OPSRUN_ATTR_TENSOR, text).value.tensors.at(0).bytes; };
  EXPECT_EQ(bytes("{ dtype: DT_INT8 int_val: -1 }"), "\xFF");
  EXPECT_EQ(bytes("{ dtype: DT_HALF half_val: 15360 }"), std::string("\x00\x3C", 2));
  EXPECT_EQ(bytes("{ dtype: DT_BOOL bool_val: true }"), "\x01");
  EXPECT_EQ(bytes("{ dtype: DT_FLOAT8_E4M3FN tensor_shape { dim { size: 3 } } float8_val: '\\x38\\xfe' }"),
            "\x38\xfe\xfe");
  EXPECT_EQ(bytes("{ dtype: DT_UINT64 uint64_val: 18446744073709551615 }"), std::string(8, '\xFF'));
  EXPECT_EQ(bytes("{ dtype: DT_COMPLEX64 scomplex_val: [1, 0] }"), std::string("\0\0\x80\x3F\0\0\0\0", 8));
  EXPECT_EQ(bytes("{ dtype: DT_INT16 tensor_content: '\\x01\\x02' }"), "\x01\x02");
}

TEST(ParseDefault, RefusesTensorsThatMeanNothing) {
  for (const char* text :
       {"{}", "5", "{ int_val: 5 }", "{ dtype: DT_INT32 float_val: 5 }", "{ dtype: DT_INT32 int_val: [1, 2] }",
        "{ dtype: DT_INT32 int_val: 1 float_val: 2 }", "{ dtype: DT_FLOAT8_E5M2 float_val: 1 }",
        "{ dtype: DT_FLOAT8_E5M2 float8_val: '\\x38' half_val: 1 }", "{ dtype: DT_FLOAT8_E5M2 float8_val: 'ab' }",
        "{ dtype: DT_INT4 int_val: 1 }", "{ dtype: DT_INT32 int_val: 3000000000 }", "{ dtype: DT_FLOAT_REF }",
        "{ dtype: DT_RESOURCE }", "{ dtype: DT_FLOAT tensor_shape { unknown_rank: true } }",
        "{ dtype: DT_FLOAT tensor_shape { dim { size: -1 } } }", "{ dtype: DT_COMPLEX64 scomplex_val: 1 }",
        "{ dtype: DT_INT32 tensor_content: 'abc' }", "{ dtype: DT_INT32 tensor_content: 'abcd' int_val: 1 }"}) {
    Parsed parsed = Parse(OPSRUN_ATTR_TENSOR, text);
    EXPECT_FALSE(parsed.ok) << text;
    EXPECT_NE(parsed.problem, "") << text;
  }
  for (const char* function : {"F", "{ name: 'F' attr { key: 'T' } }"})
    EXPECT_FALSE(Parse(OPSRUN_ATTR_FUNC, function).ok) << function;
}

TEST(ParseDefault, MakesNoTensorThatWouldFillTheMemory) {
  const auto is_made = [](const std::string& dims) {
    return Parse(OPSRUN_ATTR_TENSOR, "{ dtype: DT_FLOAT tensor_shape { " + dims + " } }").ok;
  };
  EXPECT_FALSE(is_made("dim { size: 9223372036854775807 }"));
  EXPECT_FALSE(is_made("dim { size: 4294967296 } dim { size: 4294967296 }"));
  EXPECT_TRUE(is_made("dim { size: 9223372036854775807 } dim { size: 0 }"));
}

}  // namespace
}  // namespace opsrun::host::spec

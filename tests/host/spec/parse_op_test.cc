// tests/host/spec/parse_op_test.cc: whole ops, then their attrs, arguments and documentation.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_op.h"

#include <fmt/ranges.h>

#include <cstring>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(ParseOp, TakesOverWhatIsNotParsed) {
  OpStrings strings = Strings({}, {}, {});
  strings.control_outputs = {"done"};
  strings.flags = OPSRUN_OP_COMMUTATIVE;
  strings.deprecated_version = 7;
  strings.deprecated_text = "use Op2";
  strings.doc = "Does it.";
  OpDef op;
  ASSERT_TRUE(ParseOp(strings, &op).empty());
  EXPECT_EQ(op.control_outputs, Specs{"done"});
  EXPECT_EQ(op.flags, OPSRUN_OP_COMMUTATIVE);
  EXPECT_EQ(op.deprecated_version, 7u);
  EXPECT_EQ(op.deprecated_text, "use Op2");
  EXPECT_EQ(op.summary, "Does it.");
}

TEST(ParseOp, FindsEveryMistakeInOneGo) {
  EXPECT_EQ(Mistakes(Strings({"T: typ", "n: int >= x"}, {"X: T", "y: U"}, {"z: T"})),
            (Specs{"parse/type", "parse/minimum", "parse/name", "parse/unknown_attr"}));
  EXPECT_EQ(Mistakes(Strings({"T: typ"}, {"x: T"}, {})), Specs{"parse/type"});
  EXPECT_EQ(Mistakes(Strings({"double: int >= 3 = 2", "n: int >= 3 = 2"}, {"n: float"}, {})),
            (Specs{"validate/attr_named_like_type", "validate/default_below_minimum", "validate/duplicate_name"}));
  OpStrings strings = Strings({}, {"x: float"}, {});
  strings.doc = "Sums.\ny: what?";
  EXPECT_EQ(Mistakes(strings), Specs{"parse/doc_name"});
  for (const char* attr : {"T: type = DT_INVALID", "T: type = 2147483647"})
    EXPECT_EQ(Mistakes(Strings({attr}, {}, {})), Specs{"validate/not_a_type"}) << attr;
}

// "1,0->2" for an op with two inputs x and y and one output z, or the kind of the error.
std::string Batch(const std::string& text) {
  OpDef op;
  EXPECT_TRUE(ParseOp(Strings({}, {"x: float", "y: float"}, {"z: float"}), &op).empty());
  const std::optional<SpecError> error = ParseBatch(text, &op);
  EXPECT_NE(error.has_value(), op.batch.has_value());
  return error ? fmt::format("{} at {}", error->kind, error->offset)
               : fmt::format("{}->{}", fmt::join(op.batch->inputs, ","), fmt::join(op.batch->outputs, ","));
}

TEST(ParseBatch, CountsTheDimensionsOfEachArgument) {
  EXPECT_EQ(Batch("(m,k),(k,n)->(m,n)"), "2,2->2");
  EXPECT_EQ(Batch(" ( ) , ( long_name, 3 ) -> ( )"), "0,2->0");
}

TEST(ParseBatch, SaysWhereItIsWrong) {
  EXPECT_EQ(Batch("(),()"), "batch_form at 5");
  EXPECT_EQ(Batch("(m k),()->()"), "batch_form at 3");
  EXPECT_EQ(Batch("(m,),()->()"), "batch_form at 3");
  EXPECT_EQ(Batch("(),()->() x"), "batch_form at 10");
  EXPECT_EQ(Batch("()->()"), "batch_count at 0");
  EXPECT_EQ(Batch("(),()->"), "batch_count at 7");
  OpStrings strings = Strings({}, {"x: float"}, {});
  strings.batch = "(x";
  EXPECT_EQ(Mistakes(strings), Specs{"parse/batch_form"});
  strings.batch.clear();
  strings.flags = OPSRUN_OP_BROADCASTS;
  EXPECT_EQ(Mistakes(strings), Specs{"parse/batch_count"}) << "of what?";
}

SpecError ErrorIn(const std::string& spec) {
  AttrDef attr;
  SpecOffsets offsets;
  const std::optional<SpecError> error = ParseAttr(spec, &attr, &offsets);
  EXPECT_TRUE(error) << spec;
  return error.value_or(SpecError());
}

TEST(ParseAttr, TakesDataTypesByTheirWholeNames) {
  AttrDef attr;
  SpecOffsets offsets;
  ASSERT_FALSE(ParseAttr("T: {float8_e5m2, half , float8_e4m3fn}", &attr, &offsets));
  EXPECT_EQ(attr.allowed_types, (std::vector{DType::kFloat8E5M2, DType::kFloat16, DType::kFloat8E4M3FN}));
}

TEST(ParseAttr, OfALaterLevelMayHaveUnknownDataTypes) {
  AttrDef attr;
  SpecOffsets offsets;
  ASSERT_FALSE(ParseAttr("T: list({float9_e1, float, int1, int4_packed}) = [DT_FLOAT]", &attr, &offsets, true));
  EXPECT_EQ(attr.allowed_types, std::vector{DType::kFloat32});
  for (const char* spec :
       {"T: {float9_e1}", "T: {float9, }", "T: {float9 float}", "T: {}", "T: {float, Int}", "T: kind"}) {
    AttrDef refused;
    EXPECT_TRUE(ParseAttr(spec, &refused, &offsets, true)) << spec;
  }
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
  for (int i = 0; i < 65; ++i) dims += " dim { size: 1 }";
  EXPECT_FALSE(Parse(OPSRUN_ATTR_SHAPE, dims + "}").ok) << "at most 64 are supported";
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

const std::vector<AttrDef>& Attrs() {
  static const std::vector<AttrDef> attrs = MakeOp({"T: type", "TL: list(type)", "N: int", "Ref: type"}, {}, {}).attrs;
  return attrs;
}

std::optional<SpecError> ArgError(const std::string& spec, const std::vector<AttrDef>& attrs = Attrs()) {
  ArgDef arg;
  SpecOffsets offsets;
  return ParseArg(spec, "Input", attrs, &arg, &offsets);
}

TEST(ParseArg, NamesWhatIsWrongAndWhere) {
  for (const auto& [spec, mistake] :
       {std::pair("X: float", "name@0"), std::pair("xY: float", "name@1"), std::pair("x float", "name@2"),
        std::pair("x:", "type_syntax@2"), std::pair("x: 2 * float", "type_syntax@3"),
        std::pair("x: U", "unknown_attr@3"), std::pair("x: N * U", "unknown_attr@7"),
        std::pair("x: T * N", "attr_not_a_type@7"), std::pair("x: Ref(T", "ref_close@8"),
        std::pair("x: N * Ref(T)", "trailing@10"), std::pair("x: float half", "trailing@9"),
        std::pair("x: float *", "trailing@9")}) {
    const std::optional<SpecError> error = ArgError(spec);
    EXPECT_EQ(error ? std::string(error->kind) + "@" + std::to_string(error->offset) : "none", mistake) << spec;
  }
  AttrDef broken;
  broken.name = "T";
  EXPECT_FALSE(ArgError("x: T", {broken})) << "the type of an attr that could not be read is not asked for";
}

TEST(ParseControlOutput, IsANameAndNothingElse) {
  std::string name;
  EXPECT_FALSE(ParseControlOutput("Done_1", &name));
  EXPECT_EQ(name, "Done_1");
  EXPECT_STREQ(ParseControlOutput("1", &name)->kind, "name");
  EXPECT_STREQ(ParseControlOutput("done: float", &name)->kind, "trailing");
}

TEST(TypeWords, AreNamesAliasesAndReferences) {
  EXPECT_EQ(TypeFromWord("float"), DType::kFloat32);
  EXPECT_EQ(TypeFromWord("float64"), DType::kFloat64);
  EXPECT_EQ(TypeFromWord("int32_ref"), RefType(DType::kInt32));
  for (const char* word : {"DT_FLOAT", "int", "_ref"}) EXPECT_FALSE(TypeFromWord(word)) << word;
  EXPECT_EQ(TypeFromEnumWord("DT_HALF"), DType::kFloat16);
  EXPECT_EQ(TypeFromEnumWord("DT_HALF_REF"), RefType(DType::kFloat16));
  EXPECT_EQ(TypeFromEnumWord("DT_INVALID"), DType::kInvalid);
  for (const char* word : {"DT_FLOAT16", "half"}) EXPECT_FALSE(TypeFromEnumWord(word)) << word;
  for (const DType dtype : kAllDTypes) {
    EXPECT_EQ(TypeFromEnumWord(EnumWord(dtype)), dtype);
    EXPECT_EQ(TypeFromEnumWord(EnumWord(RefType(dtype))), RefType(dtype));
  }
  EXPECT_EQ(TypeText(DType::kFloat32), "float32");
  EXPECT_EQ(TypeText(RefType(DType::kFloat32)), "float32_ref");
  EXPECT_EQ(TypeText(RefType(DType::kInvalid)), "dtype 100");
}

// The sets are in tests/vectors.
TEST(TypeSetWord, NamesASetOfTheLanguage) {
  EXPECT_EQ(TypeSetFromWord("alltypes"), nullptr);
  EXPECT_EQ(TypeSetWord(*TypeSetFromWord("numerictype")), "numbertype");
  EXPECT_EQ(TypeSetWord({DType::kFloat32}), "");
  EXPECT_EQ(TypeSetWord({}), "");
}

OpDef Documented(const std::string& doc) {
  OpDef op = MakeOp({"T: type"}, {"x: T"}, {"y: T"});
  std::optional<SpecError> error = ParseDoc(doc, &op);
  EXPECT_FALSE(error) << (error ? error->message : "");
  return op;
}

TEST(ParseDoc, BeginsWithASummary) {
  OpDef op = Documented("\n\nDoubles a tensor.   \n\n\nIn two lines.\nReally.\n\n");
  EXPECT_EQ(op.summary, "Doubles a tensor.");
  EXPECT_EQ(op.description, "In two lines.\nReally.");
  for (const char* empty : {"", " \n\t\n"}) EXPECT_EQ(Documented(empty).summary, "");
  EXPECT_EQ(Documented("x: y").summary, "x: y");
}

TEST(ParseDoc, SharesOutWhatIsSaidOfArguments) {
  OpDef op = Documented("Doubles.\n\nx: What is doubled.\ny : Twice that.\nT: A type.");
  EXPECT_EQ(op.inputs[0].doc, "What is doubled.");
  EXPECT_EQ(op.outputs[0].doc, "Twice that.");
  EXPECT_EQ(op.attrs[0].doc, "A type.");
  EXPECT_EQ(op.description, "");
  op = Documented("Doubles.\nx: One.\n    Two.\n\n      Three.\n\n\ny: Four.");
  EXPECT_EQ(op.inputs[0].doc, "One.\nTwo.\n\n  Three.") << "without the common indent";
  EXPECT_EQ(op.outputs[0].doc, "Four.");
}

TEST(ParseDoc, RefusesANameThatTheOpDoesNotHave) {
  OpDef op = MakeOp({}, {"values: float"}, {});
  const std::string doc = "Sums.\n\nvalue: What is summed.";
  std::optional<SpecError> error = ParseDoc(doc, &op);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->offset, 7u);
  EXPECT_EQ(error->message, "'value' is not an input, output or attr of this op; did you mean 'values'?");
}

}  // namespace
}  // namespace opsrun::host::spec

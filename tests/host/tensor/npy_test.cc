// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npy.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace opsrun::host {
namespace {

using namespace std::string_literals;

std::string File(const std::string& header, const std::string& data, char major = 1) {
  std::string file = "\x93NUMPY"s + major + '\0';
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) file += static_cast<char>(header.size() >> (8 * byte));
  return file + header + data;
}

std::string Header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}

std::string Refusal(const std::string& file) {
  const Result<Tensor> tensor = ParseNpy(file, "f.npy");
  return tensor.ok() ? "read it" : tensor.status().message();
}

template <typename T>
std::vector<T> Elements(const Tensor& tensor) {
  std::vector<T> elements(static_cast<size_t>(tensor.num_elements()));
  std::memcpy(elements.data(), tensor.data(), tensor.num_bytes());
  return elements;
}

TEST(ReadNpy, ReadsTheThreeVersions) {
  for (const char version : {1, 2, 3}) {
    Result<Tensor> tensor = ParseNpy(File(Header("<i2", "(2,)"), "\1\0\2\0"s, version), "f.npy");
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    EXPECT_EQ(tensor->dtype(), DType::kInt16);
    EXPECT_EQ(tensor->shape(), Shape{2});
    EXPECT_EQ(Elements<int16_t>(*tensor), (std::vector<int16_t>{1, 2}));
  }
}

TEST(ReadNpy, ReadsBothByteOrders) {
  Result<Tensor> tensor = ParseNpy(File(Header(">i4", "(1,)"), "\1\2\3\4"s), "f.npy");
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(Elements<int32_t>(*tensor), std::vector<int32_t>{0x01020304});
}

TEST(ReadNpy, SwapsEachPartOfAComplexNumber) {
  Result<Tensor> tensor = ParseNpy(File(Header(">c8", "()"), "\x3f\x80\0\0\x40\0\0\0"s), "f.npy");
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(Elements<std::complex<float>>(*tensor), (std::vector<std::complex<float>>{{1, 2}}));
}

TEST(ReadNpy, TurnsFortranOrderIntoRowMajorOrder) {
  Result<Tensor> tensor = ParseNpy(File(Header("|u1", "(2, 3)", true), "\1\4\2\5\3\6"s), "f.npy");
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(Elements<uint8_t>(*tensor), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
}

TEST(ReadNpy, MakesEveryTrueByteOne) {
  Result<Tensor> tensor = ParseNpy(File(Header("|b1", "(3,)"), "\0\1\7"s), "f.npy");
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(Elements<uint8_t>(*tensor), (std::vector<uint8_t>{0, 1, 1}));
}

TEST(ReadNpy, KnowsEveryNumberTypeOfNumPy) {
  const std::vector<std::pair<std::string, DType>> types = {
      {"|b1", DType::kBool},      {"|i1", DType::kInt8},       {"<i2", DType::kInt16},   {"<i4", DType::kInt32},
      {"<i8", DType::kInt64},     {"|u1", DType::kUInt8},      {"<u2", DType::kUInt16},  {"<u4", DType::kUInt32},
      {"<u8", DType::kUInt64},    {"<f2", DType::kFloat16},    {"<f4", DType::kFloat32}, {"<f8", DType::kFloat64},
      {"<c8", DType::kComplex64}, {"<c16", DType::kComplex128}};
  for (const auto& [descr, dtype] : types) {
    Result<Tensor> tensor = ParseNpy(File(Header(descr, "()"), std::string(DTypeSize(dtype), '\0')), "f.npy");
    ASSERT_TRUE(tensor.ok()) << descr << tensor.status().message();
    EXPECT_EQ(tensor->dtype(), dtype);
  }
}

TEST(ReadNpy, ReadsOpaqueBytesAsBFloat16OnlyWhenTold) {
  const std::string file = File(Header("|V2", "(1,)"), "\x80\x3f"s);
  Result<Tensor> tensor = ParseNpy(file, "f.npy", DType::kBFloat16);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->dtype(), DType::kBFloat16);
  EXPECT_EQ(
      Refusal(file),
      "'f.npy' has the data type '|V2': it does not say what its bytes mean; if they are numbers, write in the graph "
      "dtype: bfloat16");
}

TEST(ReadNpy, ReadsOpaqueBytesAsFloat8OnlyWhenTold) {
  const std::string file = File(Header("|V1", "(2,)"), "\x38\x7e"s);
  for (const DType dtype : {DType::kFloat8E5M2, DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ,
                            DType::kFloat8E5M2FNUZ}) {
    Result<Tensor> tensor = ParseNpy(file, "f.npy", dtype);
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    EXPECT_EQ(tensor->dtype(), dtype);
    EXPECT_EQ(Elements<uint8_t>(*tensor), (std::vector<uint8_t>{0x38, 0x7e}));
  }
  EXPECT_EQ(
      Refusal(file),
      "'f.npy' has the data type '|V1': it does not say what its bytes mean; if they are numbers, write in the graph "
      "dtype: float8_e4m3fn, or another float8 type");
  EXPECT_FALSE(ParseNpy(file, "f.npy", DType::kUInt8).ok());
  Result<Tensor> bytes = ParseNpy(File(Header("|u1", "(2,)"), "ab"), "f.npy", DType::kFloat8E5M2);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->dtype(), DType::kUInt8);
}

TEST(ReadNpy, ReadsWhatMlDtypesWritesForFloat8E5M2) {
  const std::string file = File(Header("<f1", "(1,)"), "\x3c"s);
  Result<Tensor> tensor = ParseNpy(file, "f.npy", DType::kFloat8E5M2);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->dtype(), DType::kFloat8E5M2);
  EXPECT_FALSE(ParseNpy(file, "f.npy").ok());
  EXPECT_FALSE(ParseNpy(file, "f.npy", DType::kFloat8E4M3FN).ok());
}

TEST(ReadNpy, AcceptsAnEmptyArray) {
  Result<Tensor> tensor = ParseNpy(File(Header("<f8", "(0, 3)"), ""), "f.npy");
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->shape(), (Shape{0, 3}));
}

TEST(ReadNpy, RefusesOtherFiles) {
  EXPECT_EQ(Refusal(""), "'f.npy' is no .npy file: it has 0 bytes, the smallest header has 10");
  EXPECT_EQ(Refusal("hello world, hello"),
            "'f.npy' is no .npy file: it begins with 68 65 6c 6c 6f 20, expected 93 4e 55 4d 50 59");
  EXPECT_EQ(Refusal("PK\3\4 and so on"),
            "'f.npy' is no .npy file: it begins with 50 4b 03 04 20 61 (a zip archive such as .npz: name an array in "
            "it), expected 93 4e 55 4d 50 59");
  EXPECT_EQ(Refusal(File("{}", "", 4)), "'f.npy' has the .npy version 4.0, expected 1.0, 2.0 or 3.0");
}

TEST(ReadNpy, RefusesATruncatedFile) {
  const std::string whole = File(Header("<f4", "(2, 2)"), std::string(16, 'x'));
  EXPECT_EQ(Refusal(whole.substr(0, whole.size() - 3)),
            "'f.npy' ends too early: float32 [2, 2] needs 16 bytes, found 13");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(ParseNpy(whole.substr(0, size), "f.npy").ok()) << size;
  EXPECT_TRUE(ParseNpy(whole, "f.npy").ok());
}

TEST(ReadNpy, RefusesBytesAfterTheData) {
  EXPECT_EQ(Refusal(File(Header("|u1", "(2,)"), "abc")), "'f.npy' has 1 bytes too many: uint8 [2] needs 2, found 3");
}

TEST(ReadNpy, BelievesNoSizeThatTheFileDoesNotHave) {
  EXPECT_EQ(Refusal(File(Header("<f8", "(1099511627776,)"), "12345678")),
            "'f.npy' ends too early: float64 [1099511627776] needs 8796093022208 bytes, found 8");
  EXPECT_EQ(Refusal(File(Header("<f8", "(4294967296, 4294967296)"), "")),
            "'f.npy' claims to hold float64 [4294967296, 4294967296], more bytes than 64 bits can count");
  EXPECT_EQ(Refusal(File(Header("<f8", "(99999999999999999999,)"), "")),
            "'f.npy' has a shape with a size beyond 64 bits");
  EXPECT_EQ(Refusal(File(Header("<f8", "(-1,)"), "")), "'f.npy' has a shape with the negative size -1");
  std::string sizes;
  for (int i = 0; i < 33; ++i) sizes += "1,";
  EXPECT_EQ(Refusal(File(Header("|u1", "(" + sizes + ")"), "x")),
            "'f.npy' has a rank above 32, the highest that opsrun supports");
}

TEST(ReadNpy, BelievesNoHeaderLengthThatTheFileDoesNotHave) {
  EXPECT_EQ(Refusal("\x93NUMPY\1\0\xff\xff{}"s), "'f.npy' says that its header has 65535 bytes, but only 2 follow");
  EXPECT_EQ(Refusal("\x93NUMPY\2\0\xff\xff\xff\xff{}"s),
            "'f.npy' says that its header has 4294967295 bytes, but only 2 follow");
  EXPECT_EQ(Refusal(File(std::string(70000, ' '), "", 2)),
            "'f.npy' has a header of 70000 bytes, expected at most 65536");
  EXPECT_EQ(Refusal("\x93NUMPY\2\0\1\0"s), "'f.npy' ends after 10 bytes, inside its header");
}

TEST(ReadNpy, RefusesHeadersThatAreNoDict) {
  EXPECT_EQ(Refusal(File("[1, 2]", "")), "'f.npy' has a malformed header: expected '{' at its byte 0, found '['");
  EXPECT_EQ(Refusal(File("{'descr'; ", "")), "'f.npy' has a malformed header: expected ':' at its byte 8, found ';'");
  EXPECT_EQ(Refusal(File("{descr: 1}", "")),
            "'f.npy' has a malformed header: expected a quoted string at its byte 1, found 'd'");
  EXPECT_EQ(Refusal(File("{'des", "")),
            "'f.npy' has a malformed header: expected the end of a string at its byte 5, found its end");
  EXPECT_EQ(Refusal(File("{'fortran_order': Yes}", "")),
            "'f.npy' has a malformed header: expected True or False at its byte 18, found 'Y'");
  EXPECT_EQ(Refusal(File("{'shape': (2 3)}", "")),
            "'f.npy' has a malformed header: expected ',' or ')' at its byte 13, found '3'");
  EXPECT_EQ(Refusal(File("{'shape': (x)}", "")),
            "'f.npy' has a malformed header: expected a size at its byte 11, found 'x'");
  EXPECT_EQ(Refusal(File("{'shape': (2) 'descr'", "")),
            "'f.npy' has a malformed header: expected ',' or '}' at its byte 14, found '''");
  EXPECT_EQ(Refusal(File(Header("|u1", "()") + "\xc3", "x")),
            "'f.npy' has a malformed header: expected nothing more at its byte 56, found the byte c3");
}

TEST(ReadNpy, KnowsTheOtherNamesOfDataTypes) {
  const auto dtype = [](const std::string& descr) {
    const Result<NpyDType> read = NpyDTypeFromDescr(descr, std::nullopt);
    return read.ok() ? DTypeName(read->dtype) + (read->swapped ? " swapped" : "") : read.status().message();
  };
  for (const char* name : {"float32", "f", "<f", "=f4", "|f4", "single"}) EXPECT_EQ(dtype(name), "float32") << name;
  for (const char* name : {"d", "float", "double", "float64"}) EXPECT_EQ(dtype(name), "float64") << name;
  for (const char* name : {"?", "|?", "|b1", "bool", "bool_"}) EXPECT_EQ(dtype(name), "bool") << name;
  for (const char* name : {"b", "|b", "int8", "byte"}) EXPECT_EQ(dtype(name), "int8") << name;
  for (const char* name : {"l", "q", "p", "n", "int", "int_", "longlong"}) EXPECT_EQ(dtype(name), "int64") << name;
  for (const char* name : {"F", "complex64"}) EXPECT_EQ(dtype(name), "complex64") << name;
  for (const char* name : {"S", "U", "str", "bytes", "c", "a5"}) EXPECT_EQ(dtype(name), "string") << name;
  EXPECT_EQ(dtype(">H"), "uint16 swapped");
  EXPECT_EQ(dtype("bfloat16"), "bfloat16");
  EXPECT_EQ(dtype("float8_e4m3fn"), "float8_e4m3fn");
}

TEST(ReadNpy, ReadsHeadersThatPythonReads) {
  for (const char* header : {"{u'descr':'<i2','fortran_order':False,'shape':(2,)}",
                             "  {'shape': (2L ,), \"descr\": \"<i2\",\r\n 'fortran_order'\t: False} \n"}) {
    const Result<Tensor> tensor = ParseNpy(File(header, "\1\0\2\0"s), "f.npy");
    ASSERT_TRUE(tensor.ok()) << tensor.status().message();
    EXPECT_EQ(Elements<int16_t>(*tensor), (std::vector<int16_t>{1, 2}));
  }
}

TEST(ReadNpy, ReadsStringsOfNoWidth) {
  const Result<Tensor> tensor = ParseNpy(File(Header("|S0", "(3,)"), ""), "f.npy");
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(tensor->shape(), Shape{3});
  EXPECT_EQ(tensor->string(2), "");
  EXPECT_EQ(Refusal(File(Header("|S0", "(1000, 1000000)"), "")),
            "'f.npy' claims to hold string [1000, 1000000] and has no byte for them");
}

TEST(ReadNpy, RefusesWrongKeys) {
  EXPECT_EQ(Refusal(File("{'order': 'C'}", "")),
            "'f.npy' has the key 'order' in its header, expected descr, fortran_order and shape");
  EXPECT_EQ(Refusal(File("{'descr': '<f4', 'descr': '<f4'}", "")), "'f.npy' has the key 'descr' twice in its header");
  EXPECT_EQ(Refusal(File("{'descr': '<f4', 'shape': (1,)}", "")), "'f.npy' has no key 'fortran_order' in its header");
}

TEST(ReadNpy, NamesTheDataTypesThatItDoesNotRead) {
  const auto refusal = [](const std::string& descr) { return Refusal(File(Header(descr, "(1,)"), "")); };
  EXPECT_EQ(refusal("|O"),
            "'f.npy' has the data type '|O': Python objects (pickle) could run any code when they are read, and are "
            "never read");
  for (const char* descr : {"<Ux", "|S99999999999"}) {
    EXPECT_EQ(refusal(descr), std::string("'f.npy' has the data type '") + descr +
                                  "': the width of its strings is not a number below 2^31");
  }
  EXPECT_EQ(refusal("<f16"),
            "'f.npy' has the data type '<f16': long doubles differ from machine to machine and are not supported; save "
            "it as float64 or complex128");
  EXPECT_EQ(refusal("<c32").substr(0, 60), "'f.npy' has the data type '<c32': long doubles differ from m");
  EXPECT_EQ(refusal("<M8[ns]"),
            "'f.npy' has the data type '<M8[ns]': dates and times are not supported; save them as int64");
  EXPECT_EQ(refusal("<i3"),
            "'f.npy' has the data type '<i3': opsrun reads bool, int8 to int64, uint8 to uint64, float16, float32, "
            "float64, complex64, complex128 and strings");
  EXPECT_EQ(refusal("foo"),
            "'f.npy' has the data type 'foo': opsrun reads bool, int8 to int64, uint8 to uint64, float16, float32, "
            "float64, complex64, complex128 and strings");
  EXPECT_EQ(refusal("longdouble").substr(0, 60), "'f.npy' has the data type 'longdouble': long doubles differ ");
  for (const char* descr : {"f4,i4", "3f4", "(2,)f4"}) {
    EXPECT_EQ(refusal(descr), std::string("'f.npy' has the data type '") + descr +
                                  "': its elements have parts, which opsrun does not read; save each part as a file of "
                                  "its own");
  }
  EXPECT_EQ(Refusal(File("{'descr': ('<f4', (2,))}", "")),
            "'f.npy' has a data type with a shape, which opsrun does not read; save its numbers as one array");
  EXPECT_EQ(Refusal(File("{'descr': [('a', '<f4')]}", "")),
            "'f.npy' has a structured data type, which opsrun does not read; save each field as a file of its own");
}

std::vector<std::string> Strings(const Tensor& tensor) {
  std::vector<std::string> strings;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) strings.emplace_back(tensor.string(i));
  return strings;
}

TEST(ReadNpy, ReadsBytesAndCharacters) {
  const Result<Tensor> bytes = ParseNpy(File(Header("|S3", "(2,)"), "a\0\0abc"s), "f.npy");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(Strings(*bytes), (std::vector<std::string>{"a", "abc"}));
  const Result<Tensor> characters = ParseNpy(File(Header(">U2", "()"), "\0\0\0a\0\0\0\xe9"s), "f.npy");
  ASSERT_TRUE(characters.ok());
  EXPECT_EQ(Strings(*characters), std::vector<std::string>{"aé"});
  const Result<Tensor> columns = ParseNpy(File(Header("|S1", "(2, 2)", true), "acbd"s), "f.npy");
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ(Strings(*columns), (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(ReadNpy, RefusesWhatIsNoCharacter) {
  EXPECT_EQ(Refusal(File(Header("<U1", "(1,)"), "\0\xd8\0\0"s)), "'f.npy' holds 0xd800, which is not a character");
}

TEST(ReadNpy, TakesIntegersForQuantizedNumbersIfTheGraphSaysSo) {
  const Result<Tensor> tensor = ParseNpy(File(Header("|i1", "(1,)"), "a"), "f.npy", DType::kQInt8);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->dtype(), DType::kQInt8);
}

std::vector<std::string> WrittenAndRead(const std::vector<std::string>& strings, std::string* descr) {
  Result<Tensor> tensor = Tensor::Create(DType::kString, {static_cast<int64_t>(strings.size())});
  for (size_t i = 0; i < strings.size(); ++i) EXPECT_TRUE(tensor->SetString(static_cast<int64_t>(i), strings[i]).ok());
  std::string file;
  const Status status = WriteNpyTo(*tensor, "f.npy", [&file](const void* bytes, size_t count) {
    file.append(static_cast<const char*>(bytes), count);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  *descr = file.substr(file.find("'descr': '") + 10, 3);
  const Result<Tensor> read = ParseNpy(file, "f.npy");
  return read.ok() ? Strings(*read) : std::vector<std::string>{read.status().message()};
}

TEST(WriteNpy, WritesTextAsCharactersAndOtherStringsAsBytes) {
  std::string descr;
  const std::vector<std::string> text = {"", "naïve", "日本"}, bytes = {"\xff\0x"s, "y"};
  EXPECT_EQ(WrittenAndRead(text, &descr), text);
  EXPECT_EQ(descr, "<U5");
  EXPECT_EQ(WrittenAndRead(bytes, &descr), bytes);
  EXPECT_EQ(descr, "|S3");
  EXPECT_TRUE(WrittenAndRead({}, &descr).empty());
}

class NpyFiles : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/opsrun_npy_XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  static std::string Bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
};

TEST_F(NpyFiles, WritesWhatNumPyReads) {
  Result<Tensor> tensor = Tensor::Create(DType::kInt32, {3});
  ASSERT_TRUE(tensor.ok());
  ASSERT_TRUE(WriteNpy(Path("a.npy"), *tensor).ok());
  const std::string bytes = Bytes(Path("a.npy"));
  const std::string dict = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
  EXPECT_EQ(bytes.substr(0, 10), "\x93NUMPY\1\0\x76\0"s);
  EXPECT_EQ(bytes.substr(10, dict.size()), dict);
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(bytes.size(), 128u + 12u);
}

TEST_F(NpyFiles, ReadsBackWhatItWrote) {
  for (const DType dtype : {DType::kBool, DType::kFloat16, DType::kBFloat16, DType::kComplex128, DType::kUInt64}) {
    Result<Tensor> tensor = Tensor::Create(dtype, {2, 3});
    ASSERT_TRUE(tensor.ok());
    std::memset(tensor->mutable_data(), 1, tensor->num_bytes());
    ASSERT_TRUE(WriteNpy(Path("b.npy"), *tensor).ok());
    Result<Tensor> back = ReadNpy(Path("b.npy"), dtype);
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(back->dtype(), dtype);
    EXPECT_EQ(back->shape(), tensor->shape());
    EXPECT_EQ(std::memcmp(back->data(), tensor->data(), tensor->num_bytes()), 0);
  }
}

TEST_F(NpyFiles, WritesQuantizedTypesAsTheIntegersThatTheyAre) {
  Result<Tensor> tensor = Tensor::Create(DType::kQInt32, {1});
  ASSERT_TRUE(tensor.ok());
  ASSERT_TRUE(WriteNpy(Path("q.npy"), *tensor).ok());
  Result<Tensor> back = ReadNpy(Path("q.npy"));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->dtype(), DType::kInt32);
}

TEST_F(NpyFiles, LeavesAnExistingFileAsItWasOnFailure) {
  std::ofstream(Path("kept.npy")) << "precious";
  Result<Tensor> tensor = Tensor::Create(DType::kString, {1});
  ASSERT_TRUE(tensor.ok() && tensor->SetString(0, "a\0"s).ok());
  const Status status = WriteNpy(Path("kept.npy"), *tensor);
  EXPECT_EQ(status.message(),
            "'" + Path("kept.npy") + "' cannot hold string 0: it ends in a NUL byte, which NumPy takes for padding");
  EXPECT_EQ(Bytes(Path("kept.npy")), "precious");
}

TEST_F(NpyFiles, AppearsWithCommitAndLeavesNothingBehindWithout) {
  std::ofstream(Path("a.npy")) << "precious";
  Result<Tensor> tensor = Tensor::Create(DType::kInt32, {3});
  ASSERT_TRUE(tensor.ok());
  { EXPECT_TRUE(WriteNpyAside(Path("a.npy"), *tensor).ok()); }
  EXPECT_EQ(Bytes(Path("a.npy")), "precious");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  Result<AtomicFile> file = WriteNpyAside(Path("a.npy"), *tensor);
  ASSERT_TRUE(file.ok() && file->Commit().ok());
  EXPECT_TRUE(ReadNpy(Path("a.npy")).ok());
}

TEST_F(NpyFiles, SaysWhyAFileCannotBeReadOrWritten) {
  EXPECT_NE(ReadNpy(Path("none.npy")).status().message().find("none.npy"), std::string::npos);
  Result<Tensor> tensor = Tensor::Create(DType::kInt8, {1});
  ASSERT_TRUE(tensor.ok());
  EXPECT_FALSE(WriteNpy(Path("no/such/folder.npy"), *tensor).ok());
}

}  // namespace
}  // namespace opsrun::host

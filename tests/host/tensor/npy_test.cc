// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npy.h"

#include <complex>
#include <cstring>

#include "host/tensor/mapped_files.h"
#include "tests/host/examine/temp_dir.h"

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

Tensor Read(const std::string& file, std::optional<DType> dtype = std::nullopt) {
  Result<Tensor> tensor = ParseNpy(file, "f.npy", dtype);
  EXPECT_TRUE(tensor.ok()) << tensor.status().message();
  return tensor.ok() ? *std::move(tensor) : Tensor();
}

template <typename T>
std::vector<T> Elements(const Tensor& tensor) {
  std::vector<T> elements(static_cast<size_t>(tensor.num_elements()));
  EXPECT_EQ(elements.size() * sizeof(T), tensor.num_bytes());
  std::memcpy(elements.data(), tensor.data(), tensor.num_bytes());
  return elements;
}

TEST(ReadNpy, ReadsTheThreeVersionsAndHeadersAsPythonDoes) {
  for (const char version : {1, 2, 3}) {
    const Tensor tensor = Read(File(Header("<i2", "(2,)"), "\1\0\2\0"s, version));
    EXPECT_EQ(tensor.dtype(), DType::kInt16);
    EXPECT_EQ(tensor.shape(), Shape{2});
    EXPECT_EQ(Elements<int16_t>(tensor), (std::vector<int16_t>{1, 2}));
  }
  for (const char* header : {"{u'descr':'<i2','fortran_order':False,'shape':(2,)}",
                             "  {'shape': (2L ,), \"descr\": \"<i2\",\r\n 'fortran_order'\t: False} \n"})
    EXPECT_EQ(Elements<int16_t>(Read(File(header, "\1\0\2\0"s))), (std::vector<int16_t>{1, 2}));
}

TEST(ReadNpy, ReadsBothByteOrdersAndFortranOrder) {
  using Complex = std::complex<float>;
  EXPECT_EQ(Elements<int32_t>(Read(File(Header(">i4", "(1,)"), "\1\2\3\4"s))), std::vector<int32_t>{0x01020304});
  EXPECT_EQ(Elements<Complex>(Read(File(Header(">c8", "()"), "\x3f\x80\0\0\x40\0\0\0"s))),
            (std::vector<Complex>{{1, 2}}));
  EXPECT_EQ(Elements<uint8_t>(Read(File(Header("|u1", "(2, 3)", true), "\1\4\2\5\3\6"s))),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Elements<uint8_t>(Read(File(Header("|b1", "(3,)"), "\0\1\7"s))), (std::vector<uint8_t>{0, 1, 1}))
      << "every true byte becomes 1";
  EXPECT_EQ(Read(File(Header("<f8", "(0, 3)"), "")).shape(), (Shape{0, 3}));
}

TEST(ReadNpy, KnowsEveryNumberTypeOfNumPy) {
  for (const auto& [descr, dtype] :
       {std::pair("|b1", DType::kBool), std::pair("|i1", DType::kInt8), std::pair("<i2", DType::kInt16),
        std::pair("<i4", DType::kInt32), std::pair("<i8", DType::kInt64), std::pair("|u1", DType::kUInt8),
        std::pair("<u2", DType::kUInt16), std::pair("<u4", DType::kUInt32), std::pair("<u8", DType::kUInt64),
        std::pair("<f2", DType::kFloat16), std::pair("<f4", DType::kFloat32), std::pair("<f8", DType::kFloat64),
        std::pair("<c8", DType::kComplex64), std::pair("<c16", DType::kComplex128)})
    EXPECT_EQ(Read(File(Header(descr, "()"), std::string(DTypeSize(dtype), '\0'))).dtype(), dtype) << descr;
}

TEST(ReadNpy, ReadsOpaqueBytesOnlyWhenToldWhatTheyMean) {
  const std::string two = File(Header("|V2", "(1,)"), "\x80\x3f"s), one = File(Header("|V1", "(2,)"), "\x38\x7e"s);
  EXPECT_EQ(Read(two, DType::kBFloat16).dtype(), DType::kBFloat16);
  for (const DType dtype : {DType::kFloat8E5M2, DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ,
                            DType::kFloat8E5M2FNUZ}) {
    EXPECT_EQ(Read(one, dtype).dtype(), dtype);
    EXPECT_EQ(Elements<uint8_t>(Read(one, dtype)), (std::vector<uint8_t>{0x38, 0x7e}));
  }
  const std::string why =
      ": the file does not say what its bytes mean; if they are numbers, set 'dtype' in the graph to ";
  EXPECT_EQ(Refusal(two), "'f.npy' has the data type '|V2'" + why + "bfloat16");
  EXPECT_EQ(Refusal(one), "'f.npy' has the data type '|V1'" + why + "float8_e4m3fn or another float8 type");
  EXPECT_FALSE(ParseNpy(one, "f.npy", DType::kUInt8).ok());
  EXPECT_EQ(Read(File(Header("|u1", "(2,)"), "ab"), DType::kFloat8E5M2).dtype(), DType::kUInt8);
  // What ml_dtypes writes for float8_e5m2.
  const std::string f1 = File(Header("<f1", "(1,)"), "\x3c"s);
  EXPECT_EQ(Read(f1, DType::kFloat8E5M2).dtype(), DType::kFloat8E5M2);
  EXPECT_FALSE(ParseNpy(f1, "f.npy").ok());
  EXPECT_FALSE(ParseNpy(f1, "f.npy", DType::kFloat8E4M3FN).ok());
}

// tests/graphs/feed_files_that_lie.yaml has some, too.
TEST(ReadNpy, RefusesOtherAndTruncatedFiles) {
  EXPECT_EQ(Refusal(""), "'f.npy' is not an .npy file: it has 0 bytes, the smallest header has 10");
  EXPECT_EQ(
      Refusal("PK\3\4 and so on"),
      "'f.npy' is not an .npy file: it begins with 50 4b 03 04 20 61 (a zip archive such as .npz: name an array in "
      "it), expected 93 4e 55 4d 50 59");
  EXPECT_EQ(Refusal(File("{}", "", 4)), "'f.npy' has the .npy version 4.0, expected 1.0, 2.0 or 3.0");
  const std::string whole = File(Header("<f4", "(2, 2)"), std::string(16, 'x'));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(ParseNpy(whole.substr(0, size), "f.npy").ok()) << size;
  Read(whole);
}

TEST(ReadNpy, BelievesNoSizeThatTheFileDoesNotHave) {
  std::string rank_65;
  for (int i = 0; i < 65; ++i) rank_65 += "1,";
  const std::pair<std::string, std::string> rows[] = {
      {File(Header("<f8", "(1099511627776,)"), "12345678"),
       " ends too early: float64 [1099511627776] needs 8796093022208 bytes, found 8"},
      {File(Header("<f8", "(4294967296, 4294967296)"), ""),
       " claims to hold float64 [4294967296, 4294967296], whose size in bytes does not fit 64 bits"},
      {File(Header("<f8", "(99999999999999999999,)"), ""), " has a shape with a size beyond 64 bits"},
      {File(Header("<f8", "(-1,)"), ""), " has a shape with the negative size -1"},
      {File(Header("|u1", "(2,)"), "abc"), " is 1 bytes too long: uint8 [2] needs 2, found 3"},
      {File(Header("|u1", "(" + rank_65 + ")"), "x"), " has a rank above 64, the highest that opsrun supports"},
      {"\x93NUMPY\1\0\xff\xff{}"s, " says that its header has 65535 bytes, but only 2 follow"},
      {"\x93NUMPY\2\0\xff\xff\xff\xff{}"s, " says that its header has 4294967295 bytes, but only 2 follow"},
      {File(std::string(70000, ' '), "", 2), " has a header of 70000 bytes, expected at most 65536"},
      {"\x93NUMPY\2\0\1\0"s, " ends after 10 bytes, inside its header"}};
  for (const auto& [file, refusal] : rows) EXPECT_EQ(Refusal(file), "'f.npy'" + refusal);
}

TEST(ReadNpy, RefusesHeadersThatAreNoDictOrHaveWrongKeys) {
  for (const auto& [header, expected] :
       {std::pair("[1, 2]", "'{' at its byte 0, found '['"), std::pair("{'descr'; ", "':' at its byte 8, found ';'"),
        std::pair("{descr: 1}", "a quoted string at its byte 1, found 'd'"),
        std::pair("{'des", "the end of a string at its byte 5, found its end"),
        std::pair("{'fortran_order': Yes}", "True or False at its byte 18, found 'Y'"),
        std::pair("{'shape': (2 3)}", "',' or ')' at its byte 13, found '3'"),
        std::pair("{'shape': (x)}", "a size at its byte 11, found 'x'"),
        std::pair("{'shape': (2) 'descr'", "',' or '}' at its byte 14, found '''")})
    EXPECT_EQ(Refusal(File(header, "")), std::string("'f.npy' has a malformed header: expected ") + expected);
  EXPECT_EQ(Refusal(File(Header("|u1", "()") + "\xc3", "x")),
            "'f.npy' has a malformed header: expected nothing more at its byte 56, found the byte c3");
  EXPECT_EQ(Refusal(File("{'order': 'C'}", "")),
            "'f.npy' has the key 'order' in its header, expected descr, fortran_order and shape");
  EXPECT_EQ(Refusal(File("{'descr': '<f4', 'descr': '<f4'}", "")), "'f.npy' has the key 'descr' twice in its header");
  EXPECT_EQ(Refusal(File("{'descr': '<f4', 'shape': (1,)}", "")), "'f.npy' has no key 'fortran_order' in its header");
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

TEST(ReadNpy, NamesTheDataTypesThatItDoesNotRead) {
  const char *numbers =
                 "opsrun reads bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64, complex128 "
                 "and strings",
             *parts = "elements with parts are not supported; save each part to its own file",
             *width = "the width of its strings is not a number below 2^31",
             *long_doubles =
                 "long doubles differ from machine to machine and are not supported; save it as float64 or complex128";
  for (const auto& [descr, why] :
       {std::pair("|O", "Python objects (pickle) could run any code when they are read, so they are not supported"),
        std::pair("<Ux", width), std::pair("|S99999999999", width), std::pair("<f16", long_doubles),
        std::pair("<c32", long_doubles), std::pair("longdouble", long_doubles),
        std::pair("<M8[ns]", "dates and times are not supported; save them as int64"), std::pair("<i3", numbers),
        std::pair("foo", numbers), std::pair("f4,i4", parts), std::pair("3f4", parts), std::pair("(2,)f4", parts)})
    EXPECT_EQ(Refusal(File(Header(descr, "(1,)"), "")),
              std::string("'f.npy' has the data type '") + descr + "': " + why);
  EXPECT_EQ(Refusal(File("{'descr': ('<f4', (2,))}", "")),
            "'f.npy' has a data type with a shape, which is not supported; save its numbers as one array");
  EXPECT_EQ(Refusal(File("{'descr': [('a', '<f4')]}", "")),
            "'f.npy' has a structured data type, which is not supported; save each field to its own file");
}

std::vector<std::string> Strings(const Tensor& tensor) {
  std::vector<std::string> strings;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) strings.emplace_back(tensor.string(i));
  return strings;
}

TEST(ReadNpy, ReadsBytesAndCharacters) {
  const auto read = [](const std::string& header, const std::string& data) {
    return Strings(Read(File(header, data)));
  };
  EXPECT_EQ(read(Header("|S3", "(2,)"), "a\0\0abc"s), (std::vector<std::string>{"a", "abc"}));
  EXPECT_EQ(read(Header(">U2", "()"), "\0\0\0a\0\0\0\xe9"s), std::vector<std::string>{"aé"});
  EXPECT_EQ(read(Header("|S1", "(2, 2)", true), "acbd"s), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(Refusal(File(Header("<U1", "(1,)"), "\0\xd8\0\0"s)), "'f.npy' holds 0xd800, which is not a character");
  // Strings of no width.
  EXPECT_EQ(Read(File(Header("|S0", "(3,)"), "")).shape(), Shape{3});
  EXPECT_EQ(read(Header("|S0", "(3,)"), ""), std::vector<std::string>(3));
  EXPECT_EQ(Refusal(File(Header("|S0", "(1000, 1000000)"), "")),
            "'f.npy' claims to hold string [1000, 1000000], but contains no data");
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

using NpyFiles = InFolder;

Status Write(const std::string& path, const Tensor& tensor) {
  Result<AtomicFile> file = WriteNpyAside(path, tensor);
  return file.ok() ? file->Commit() : file.status();
}

TEST_F(NpyFiles, WritesWhatNumPyReads) {
  Result<Tensor> tensor = Tensor::Create(DType::kInt32, {3});
  ASSERT_TRUE(tensor.ok());
  ASSERT_TRUE(Write(Path("a.npy"), *tensor).ok());
  const std::string bytes = Get("a.npy");
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
    ASSERT_TRUE(Write(Path("b.npy"), *tensor).ok());
    Result<Tensor> back = ReadNpy(Path("b.npy"), dtype);
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(back->dtype(), dtype);
    EXPECT_EQ(back->shape(), tensor->shape());
    EXPECT_EQ(std::memcmp(back->data(), tensor->data(), tensor->num_bytes()), 0);
  }
}

TEST_F(NpyFiles, MapsLargeFilesWhoseBytesAreThoseOfTensors) {
  MappedFiles mapped;
  Result<Tensor> written = Tensor::Create(DType::kFloat32, {512, 1024});
  ASSERT_TRUE(written.ok());
  static_cast<float*>(written->mutable_data())[7] = 7;
  ASSERT_TRUE(Write(Path("w.npy"), *written).ok());
  std::optional<Tensor> w = mapped.Map(Path("w.npy"), std::nullopt);
  ASSERT_TRUE(w);
  EXPECT_EQ(w->shape(), (Shape{512, 1024}));
  EXPECT_EQ(static_cast<const float*>(w->data())[7], 7);
  static_cast<float*>(w->mutable_data())[7] = 8;
  EXPECT_EQ(static_cast<const float*>(ReadNpy(Path("w.npy"))->data())[7], 7) << "what is written stays in memory";
  const std::string bytes = Get("w.npy"), elements(size_t{1} << 21, 'x');
  Put("short.npy", bytes.substr(0, bytes.size() - 1));
  Put("other_order.npy", File(Header(">f4", "(512, 1024)"), elements));
  Put("small.npy", File(Header("<f4", "(2,)"), "12345678"));
  Put("odd.npy", File(Header("<f4", "(512, 1024)"), elements));
  Put("bools.npy", File(Header("|b1", "(2097152,)"), elements));
  for (const char* name : {"short.npy", "other_order.npy", "small.npy", "odd.npy", "bools.npy", "none.npy"})
    EXPECT_FALSE(mapped.Map(Path(name), std::nullopt)) << name;
}

TEST_F(NpyFiles, NoticesWhenAMappedFileIsWrittenToButNotWhenItIsReplaced) {
  const Result<Tensor> written = Tensor::Create(DType::kInt32, {1 << 20});
  for (const bool replace : {true, false}) {
    ASSERT_TRUE(Write(Path("w.npy"), *written).ok());
    MappedFiles mapped;
    ASSERT_TRUE(mapped.Map(Path("w.npy"), std::nullopt));
    EXPECT_TRUE(mapped.Check().ok());
    if (replace) {
      ASSERT_TRUE(Write(Path("w.npy"), *written).ok());
    } else {
      Put("w.npy", "short");
    }
    EXPECT_EQ(mapped.Check().code(), replace ? OPSRUN_OK : OPSRUN_FAILED_PRECONDITION);
  }
}

TEST_F(NpyFiles, WritesQuantizedTypesAsTheIntegersThatTheyAre) {
  ASSERT_TRUE(Write(Path("q.npy"), *Tensor::Create(DType::kQInt32, {1})).ok());
  EXPECT_EQ(ReadNpy(Path("q.npy"))->dtype(), DType::kInt32);
  EXPECT_EQ(Read(File(Header("|i1", "(1,)"), "a"), DType::kQInt8).dtype(), DType::kQInt8) << "if the graph says so";
}

TEST_F(NpyFiles, LeavesAnExistingFileAsItWasOnFailure) {
  Put("kept.npy", "precious");
  Result<Tensor> tensor = Tensor::Create(DType::kString, {1});
  ASSERT_TRUE(tensor.ok() && tensor->SetString(0, "a\0"s).ok());
  const Status status = Write(Path("kept.npy"), *tensor);
  EXPECT_EQ(status.message(),
            "'" + Path("kept.npy") + "' cannot hold string 0: it ends in a NUL byte, which NumPy takes for padding");
  EXPECT_EQ(Get("kept.npy"), "precious");
}

}  // namespace
}  // namespace opsrun::host

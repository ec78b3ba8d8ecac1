// tests/host/graph/tensor_value_test.cc: tensors, numbers and feeds as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/tensor_value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "host/tensor/number_type.h"
#include "host/yaml/value.h"
#include "tests/host/graph/read_text.h"

namespace opsrun::host {
namespace {

template <typename T>
std::string Written(DType dtype, Shape shape, const std::vector<T>& values) {
  Value map = MapValue();
  AddEntry(map, "k", ElementsValue(*Tensor::CopyOf(dtype, std::move(shape), values.data())));
  const std::string text = WriteYaml(map);
  return text.substr(3, text.size() - 4);
}

TEST(TensorValue, NestsLists) {
  EXPECT_EQ(Written<int32_t>(DType::kInt32, {}, {7}), "7");
  EXPECT_EQ(Written<int32_t>(DType::kInt32, {2, 2}, {1, -2, 3, 4}), "[[1, -2], [3, 4]]");
  EXPECT_EQ(Written<uint8_t>(DType::kBool, {2}, {1, 0}), "[true, false]");
  EXPECT_EQ(Written<int32_t>(DType::kInt32, {2, 0}, {}), "[[], []]");
}

TEST(TensorValue, HasTheFewestDigitsThatReadBack) {
  EXPECT_EQ(Written<double>(DType::kFloat64, {5}, {INFINITY, -INFINITY, NAN, 1e-9, 0.1234567890123}),
            "[.inf, -.inf, .nan, 1.0e-09, 0.1234567890123]");
  EXPECT_EQ(Written<float>(DType::kFloat32, {3}, {0.1f, 16777216.0f, -0.0f}), "[0.1, 16777216.0, -0.0]");
  EXPECT_EQ(Written<uint16_t>(DType::kFloat16, {3}, {HalfFromDouble(0.1), HalfFromDouble(65504), 0x7c00}),
            "[0.1, 6.55e+04, .inf]");
  EXPECT_EQ(Written<uint16_t>(DType::kBFloat16, {1}, {BFloat16FromDouble(0.1)}), "[0.1]");
  EXPECT_EQ(Written<uint8_t>(DType::kFloat8E4M3FN, {4}, {0x1d, 0x7e, 0x01, 0x7f}), "[0.1, 4.5e+02, 0.002, .nan]");
  EXPECT_EQ(Written<uint8_t>(DType::kFloat8E5M2, {2}, {0x2e, 0xfc}), "[0.09, -.inf]");
}

// What a graph file says is what the tensor was, bit for bit.
TEST(TensorValue, HasATextForEveryNumberOf8Bits) {
  for (const DType dtype : {DType::kFloat8E5M2, DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ,
                            DType::kFloat8E5M2FNUZ}) {
    Tensor tensor = *Tensor::Create(dtype, {256});
    auto* const codes = static_cast<uint8_t*>(tensor.mutable_data());
    for (int i = 0; i < 256; ++i) codes[i] = static_cast<uint8_t>(i);
    for (int i = 0; i < 256; ++i) {
      uint8_t back = 0, printed = 0;
      const Value value = ElementValue(tensor, i);
      ASSERT_TRUE(StoreNumber(value, dtype, &back).ok()) << value.text;
      if (value.text == ".nan") continue;
      EXPECT_EQ(back, i) << value.text;
      if (value.text.ends_with(".inf")) continue;
      ASSERT_TRUE(StoreNumber(PlainValue(ElementText(tensor, i)), dtype, &printed).ok());
      EXPECT_EQ(printed, i) << ElementText(tensor, i);
    }
  }
}

// The numbers of the tensor are those of its text, where all NaNs are one.
void ExpectReadsBack(const Tensor& tensor) {
  Value map = MapValue();
  AddEntry(map, "t", WholeTensorValue(tensor));
  const std::string text = WriteYaml(map);
  Diagnostics diagnostics;
  const std::optional<Value> root = ReadYaml({"g.yaml", text}, diagnostics);
  ASSERT_TRUE(root) << text;
  const Value& value = root->entries[0].value;
  Reporter reporter({"g.yaml", text}, diagnostics);
  const std::optional<Tensor> read =
      ReadTensorValue(*value.Find("value"), DTypeFromName(value.Find("dtype")->text), reporter);
  ASSERT_TRUE(read) << diagnostics.all()[0].message;
  ASSERT_EQ(read->shape(), tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const size_t size = DTypeSize(tensor.dtype());
    const char *from = static_cast<const char*>(tensor.data()) + i * size,
               *to = static_cast<const char*>(read->data()) + i * size;
    const std::string word = ElementText(tensor, i);
    if (word.find("nan") != std::string::npos) {
      EXPECT_EQ(ElementText(*read, i), word);
    } else {
      EXPECT_EQ(std::memcmp(from, to, size), 0) << DTypeName(tensor.dtype()) << " " << word;
    }
  }
}

TEST(TensorValue, ReadsBackWhateverItHolds) {
  std::mt19937_64 random(5);
  for (const std::string& name : FeedableDTypeNames()) {
    const DType dtype = *DTypeFromName(name);
    if (dtype == DType::kString) continue;
    Tensor tensor = *Tensor::Create(dtype, {2, 500});
    auto* const bytes = static_cast<unsigned char*>(tensor.mutable_data());
    for (size_t i = 0; i < tensor.num_bytes(); ++i) bytes[i] = static_cast<unsigned char>(random());
    std::memset(bytes, 0, 16), std::memset(bytes + 16, 0xff, 16);
    if (dtype == DType::kBool) std::for_each(bytes, bytes + tensor.num_bytes(), [](unsigned char& b) { b &= 1; });
    ExpectReadsBack(tensor);
  }
}

// With the negative ones.
template <typename T>
std::vector<T> OfBothSigns(std::vector<T> numbers) {
  for (size_t i = 0, n = numbers.size(); i < n; ++i) numbers.push_back(-numbers[i]);
  return numbers;
}

TEST(TensorValue, ReadsBackTheEdgesOfFloats) {
  using Double = std::numeric_limits<double>;
  using Float = std::numeric_limits<float>;
  const auto doubles = OfBothSigns<double>(
      {0.0, Double::infinity(), Double::min(), Double::denorm_min(), Double::max(), 1.0 + 0x1p-24, 0.1});
  const auto floats = OfBothSigns<float>({0.0f, Float::infinity(), Float::min(), Float::denorm_min(), Float::max(),
                                          0.1f, std::bit_cast<float>(0x15ae43fdu)});
  ExpectReadsBack(*Tensor::CopyOf(DType::kFloat64, {14}, doubles.data()));
  ExpectReadsBack(*Tensor::CopyOf(DType::kComplex128, {7}, doubles.data()));
  ExpectReadsBack(*Tensor::CopyOf(DType::kFloat32, {14}, floats.data()));
  ExpectReadsBack(*Tensor::CopyOf(DType::kComplex64, {7}, floats.data()));
}

TEST(TensorValue, ReadsBackStringsOfAnyBytes) {
  Tensor tensor = *Tensor::Create(DType::kString, {256});
  for (int i = 0; i < 256; ++i)
    ASSERT_TRUE(tensor.SetString(i, std::string("a") + static_cast<char>(i) + "'\"\n:").ok());
  Value map = MapValue();
  AddEntry(map, "t", ElementsValue(tensor));
  const std::string text = WriteYaml(map);
  Diagnostics diagnostics;
  const std::optional<Value> root = ReadYaml({"g.yaml", text}, diagnostics);
  Reporter reporter({"g.yaml", text}, diagnostics);
  const std::optional<Tensor> read = ReadTensorValue(root->entries[0].value, std::nullopt, reporter);
  ASSERT_TRUE(read);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(read->string(i), tensor.string(i));
}

// An attr is a double that kernels read as a float: its text must not be rounded to another one.
TEST(ExactText, IsReadAsTheSameFloatAsTheNumber) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const float low = std::bit_cast<float>(static_cast<uint32_t>(random()) % 0x7f7fffff);
    const float high = std::nextafter(low, INFINITY);
    const double middle = (double{low} + double{high}) / 2;
    for (const double number : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, INFINITY), double{low}}) {
      const std::string text = ExactText(number);
      EXPECT_EQ(ReadFloat<double>(text)->number, number) << text;
      EXPECT_EQ(ReadFloat<float>(text)->number, static_cast<float>(number)) << text;
    }
    EXPECT_EQ(static_cast<float>(ReadFloat<double>(ExactText(low))->number), low);
  }
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "nan", "inf", "-1.5" ... of both parts.
std::string Parts(const std::string& text) {
  const auto read = ReadComplex<double>(text);
  if (!read) return "none";
  const auto part = [](double x) {
    return std::isnan(x)   ? "nan"
           : std::isinf(x) ? (x < 0 ? "-inf" : "inf")
                           : std::to_string(x).substr(0, x < 0 || std::signbit(x) ? 4 : 3);
  };
  return part(read->number.real()) + std::string(" ") + part(read->number.imag());
}

TEST(ReadComplex, ReadsEverySpellingOfPythonAndYaml) {
  for (const auto& [text, parts] :
       {std::pair("1+2j", "1.0 2.0"), std::pair("(1.5e0-2.5e-1j)", "1.5 -0.2"), std::pair("-0-0j", "-0.0 -0.0"),
        std::pair("2j", "0.0 2.0"), std::pair("nanj", "0.0 nan"), std::pair("-.nanj", "0.0 nan"),
        std::pair(".inf-.infj", "inf -inf"), std::pair("(nan+infj)", "nan inf")})
    EXPECT_EQ(Parts(text), parts) << text;
  for (const char* imag : {"+nan", "-nan", "+.nan", "-.nan", "+.NaN"}) {
    for (const auto& [real, part] :
         {std::pair("1", "1.0"), std::pair(".nan", "nan"), std::pair("nan", "nan"), std::pair("-inf", "-inf")})
      EXPECT_EQ(Parts(std::string(real) + imag + "j"), std::string(part) + " nan") << real << imag;
  }
  for (const char* text : {"", "j", "1", "1+2", "1+j", "nan", "1+2i", "1 + 2j", "++1j", "1+nanjj", "1+xj"})
    EXPECT_EQ(Parts(text), "none") << text;
}

TEST(ReadFloat, ReadsWhatYamlCallsANumber) {
  EXPECT_EQ(ReadFloat<double>("0x1F")->number, 31);
  EXPECT_EQ(ReadFloat<float>("-.inf")->number, -kInfinity);
  EXPECT_TRUE(std::isnan(ReadFloat<float>(".nan")->number));
  for (const char* text : {"nan", "inf", "1f", "true", "", "1_0"}) EXPECT_FALSE(ReadFloat<float>(text)) << text;
  EXPECT_EQ(ReadFloat<float>("0o400000004000000001")->number, 9007200328482816.0f) << "rounded once";
}

TEST(ReadFloat, TellsWhetherItIsTooLarge) {
  EXPECT_TRUE(ReadFloat<float>("1e39")->overflows);
  EXPECT_TRUE(ReadFloat<double>("1e999")->overflows);
  EXPECT_FALSE(ReadFloat<float>(".inf")->overflows);
  EXPECT_TRUE(ReadFloat<Float8E4M3FN>(".inf")->overflows);  // it has none
  EXPECT_FALSE(ReadFloat<Float8E4M3FN>(".nan")->overflows);
  EXPECT_TRUE(ReadComplex<float>("1e39+1j")->overflows);
  EXPECT_TRUE(ReadComplex<float>("1-1e39j")->overflows);
  EXPECT_FALSE(ReadComplex<float>("inf-infj")->overflows);
}

TEST(ReadFloatAttr, BecomesTheNearestFloat) {
  EXPECT_EQ(ReadFloatAttr(PlainValue("0.1")), 0.1);
  EXPECT_EQ(static_cast<float>(*ReadFloatAttr(PlainValue("7.038531e-26"))), std::bit_cast<float>(0x15ae43fdu));
  EXPECT_EQ(ReadFloatAttr(PlainValue(".inf")), kInfinity);
  EXPECT_EQ(ReadFloatAttr(StringValue("1")), std::nullopt);
}

constexpr const char* kFeeds = "opsrun: 1\nfeeds:\n  x: ";

// "int32 [2, 2] [[1 2]\n [3 4]]"
std::string Read(const std::string& feed) {
  const ReadGraphText read(kFeeds + feed + "\n");
  if (!read.Errors().empty()) return read.Errors()[0];
  const Tensor& value = read.graph->feeds.at(0).value;
  return DTypeName(value.dtype()) + " " + ShapeText(value.shape()) + " " + PrintTensor(value);
}

TEST(ReadFeeds, ReadsValues) {
  const struct {
    const char *feed, *read;
  } rows[] = {{"{value: [[1, 2], [3, 4]], dtype: int32}", "int32 [2, 2] [[1 2]\n [3 4]]"},
              {"{value: 5, dtype: uint8}", "uint8 [] 5"},
              {"{value: [0x10, -1], dtype: int8}", "int8 [2] [16 -1]"},
              {"{value: [], dtype: int8}", "int8 [0] []"},
              {"{value: [[], []]}", "float64 [2, 0] []"},
              // NumPy's data type where none is given.
              {"{value: [1, 2]}", "int64 [2] [1 2]"},
              {"{value: [1, 2.5]}", "float64 [2] [1.  2.5]"},
              {"{value: [true, false]}", "bool [2] [ True False]"},
              {"{value: [1, 1+2j]}", "complex128 [2] [1.+0.j 1.+2.j]"},
              // Numbers; tests/graphs/every_number_type.out has every type.
              {"{value: [.inf, -.INF, .nan, 1], dtype: float}", "float32 [4] [ inf -inf  nan   1.]"},
              {"{value: [1, 0, true], dtype: bool}", "bool [3] [ True False  True]"},
              {"{value: [1e-400], dtype: double}", "float64 [1] [0.]"},
              {"{value: [-3, 4], dtype: qint8}", "qint8 [2] [-3  4]"},
              // Complex numbers in Python's spelling.
              {"{value: 1+2j, dtype: complex64}", "complex64 [] (1+2j)"},
              {"{value: '-1.5e-1-2e+1j', dtype: complex128}", "complex128 [] (-0.15-20j)"},
              {"{value: (2.5-3j), dtype: complex64}", "complex64 [] (2.5-3j)"},
              {"{value: -2j, dtype: complex64}", "complex64 [] -2j"},
              {"{value: nan-infj, dtype: complex64}", "complex64 [] (nan-infj)"},
              {"{value: .inf, dtype: complex64}", "complex64 [] (inf+0j)"},
              {"{value: [inf+2j, -.inf], dtype: complex128}", "complex128 [2] [ inf+2.j -inf+0.j]"},
              // A shape, and one that agrees with the value.
              {"{fill: 1.5, shape: [2, 2], dtype: float32}", "float32 [2, 2] [[1.5 1.5]\n [1.5 1.5]]"},
              {"{fill: 0, shape: [3]}", "int64 [3] [0 0 0]"},
              {"{fill: true, shape: []}", "bool [] True"},
              {"{value: [[1, 2]], shape: [-1, 2]}", "int64 [1, 2] [[1 2]]"},
              // Texts in quotes, and any scalar where the data type says so.
              {"{value: ['a', \"b\\n\"]}", "string [2] ['a' 'b\\n']"},
              {"{value: [['1'], ['']]}", "string [2, 1] [['1']\n ['']]"},
              {"{fill: 'é', shape: [2]}", "string [2] ['é' 'é']"},
              {"{value: [one, 1.50, no, '2'], dtype: string}", "string [4] ['one' '1.50' 'no' '2']"}};
  for (const auto& row : rows) EXPECT_EQ(Read(row.feed), row.read) << row.feed;
}

TEST(ReadFeeds, ReadsPathsAndDeclarations) {
  const ReadGraphText read(
      "opsrun: 1\nfeeds:\n  a: {npy: data/a.npy, shape: [-1, 3]}\n  b: {dtype: float, x-note: 1}\n");
  EXPECT_EQ(read.Errors(), Lines{});
  const Feed& a = read.graph->feeds[0];
  EXPECT_EQ(a.source, Feed::Source::kNpy);
  EXPECT_EQ(a.path.value, "data/a.npy");
  EXPECT_EQ(a.shape->value, (Shape{-1, 3}));
  EXPECT_EQ(PlaceText(a.shape->span), "3:31-38");
  const Feed& b = read.graph->feeds[1];
  EXPECT_EQ(b.source, Feed::Source::kDeclared);
  EXPECT_EQ(b.dtype->value, DType::kFloat32);
  EXPECT_FALSE(b.shape.has_value());
}

TEST(ReadFeeds, WantsOneSourceAndNoKeysOfAnotherOne) {
  ExpectErrors(
      kFeeds, {{"[1, 2]", "3:6-12 G105 feed 'x' must be a map, found a list; write x: {value: ..., dtype: ...}"},
               {"{shape: [2]}",
                "3:3-4 F101 feed 'x' has neither a value nor a dtype; give it one of value, npy, npz, fill and random, "
                "or declare it: {dtype: float32, shape: [-1, 3]}"}});
}

TEST(ReadFeeds, RefusesShapesThatAreNone) {
  ExpectPlaces(kFeeds, {{"{dtype: int8, shape: 3}", "3:27-28 F104"},
                        {"{dtype: int8, shape: [3, None]}", "3:31-35 F104"},
                        {"{random: normal, shape: [None]}", "3:31-35 F104"}});
  std::string sizes = "1";
  for (int i = 0; i < 64; ++i) sizes += ", 1";
  ExpectErrors(kFeeds, {{"{dtype: int8, shape: [" + sizes + "]}",
                         "3:27-222 F104 a shape of rank 65 is too high, at most 64 is supported; a shape is a list of "
                         "sizes such as [2, 3]; -1 is an unknown size"},
                        {"{dtype: int8, shape: [null, 3]}",
                         "3:28-32 F104 expected a size, found nothing; write -1 for a size that is not known"},
                        {"{fill: 1, shape: [~]}", "3:24-25 F104 expected a size, found nothing; specify every size"}});
}

TEST(ReadFeeds, RefusesValuesOfTooManyDimensionsOrMistakes) {
  ExpectErrors(kFeeds, {{"{value: " + std::string(65, '[') + "1" + std::string(65, ']') + "}",
                         "3:14-145 F105 a value of rank 65 is too high, at most 64 is supported; all lists at one level "
                         "must have the same length, and only the innermost lists hold values"}});
  std::string list = "300";
  for (int i = 0; i < 1000; ++i) list += ", 300";
  EXPECT_EQ(ReadGraphText(kFeeds + ("{value: [" + list) + "], dtype: int8}\n").Errors().size(), 5u);
}

TEST(ReadFeeds, RefusesWhatIsNoNumberAtItsOwnPlace) {
  ExpectPlaces(kFeeds, {{"{fill: 300, shape: [2], dtype: int8}", "3:13-16 F106"},
                        {"{value: [256], dtype: quint8}", "3:15-18 F106"},
                        // No guess whether a word is text.
                        {"{value: [1, 2.O]}", "3:18-21 F106"},
                        {"{value: [1, 'a']}", "3:18-21 F106"}});
  ExpectErrors(
      kFeeds,
      {{"{value: {a: 1}, dtype: int8}", "3:14-20 F106 found a map, expected int8; write a number, or lists of numbers"},
       {"{value: [{a: 1}], dtype: string}", "3:15-21 F106 expected a string, found a map; write a text in quotes"}});
}

}  // namespace

}  // namespace opsrun::host

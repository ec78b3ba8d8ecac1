// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/tensor/print.h"
#include "tests/host/graph/read_text.h"

namespace opsrun::host {
namespace {

constexpr const char* kFeeds = "opsrun: 1\nfeeds:\n  x: ";

Lines FeedErrors(const std::string& feed) {
  return ReadText(kFeeds + feed + "\n").Errors();
}

// "int32 [2, 2] [[1 2]\n [3 4]]"
std::string Read(const std::string& feed) {
  const ReadText read(kFeeds + feed + "\n");
  if (!read.Errors().empty()) return read.Errors()[0];
  const Tensor& value = read.graph->feeds.at(0).value;
  return DTypeName(value.dtype()) + " " + ShapeText(value.shape()) + " " + PrintTensor(value);
}

TEST(ReadFeeds, ReadsNestedListsOfNumbers) {
  EXPECT_EQ(Read("{value: [[1, 2], [3, 4]], dtype: int32}"), "int32 [2, 2] [[1 2]\n [3 4]]");
  EXPECT_EQ(Read("{value: 5, dtype: uint8}"), "uint8 [] 5");
  EXPECT_EQ(Read("{value: [0x10, -1], dtype: int8}"), "int8 [2] [16 -1]");
  EXPECT_EQ(Read("{value: [], dtype: int8}"), "int8 [0] []");
  EXPECT_EQ(Read("{value: [[], []]}"), "float64 [2, 0] []");
}

TEST(ReadFeeds, TakesNumPysDataTypeWhereNoneIsGiven) {
  EXPECT_EQ(Read("{value: [1, 2]}"), "int64 [2] [1 2]");
  EXPECT_EQ(Read("{value: [1, 2.5]}"), "float64 [2] [1.  2.5]");
  EXPECT_EQ(Read("{value: [true, false]}"), "bool [2] [ True False]");
  EXPECT_EQ(Read("{value: [1, 1+2j]}"), "complex128 [2] [1.+0.j 1.+2.j]");
}

TEST(ReadFeeds, ReadsEveryNumberType) {
  EXPECT_EQ(Read("{value: [18446744073709551615], dtype: uint64}"), "uint64 [1] [18446744073709551615]");
  EXPECT_EQ(Read("{value: [-9223372036854775808], dtype: int64}"), "int64 [1] [-9223372036854775808]");
  EXPECT_EQ(Read("{value: [65504, 0.1], dtype: half}"), "float16 [2] [6.55e+04 1.00e-01]");
  EXPECT_EQ(Read("{value: [0.1, 3], dtype: bfloat16}"), "bfloat16 [2] [0.1 3. ]");
  EXPECT_EQ(Read("{value: [.inf, -.INF, .nan, 1], dtype: float}"), "float32 [4] [ inf -inf  nan   1.]");
  EXPECT_EQ(Read("{value: [1, 0, true], dtype: bool}"), "bool [3] [ True False  True]");
  EXPECT_EQ(Read("{value: [1e-400], dtype: double}"), "float64 [1] [0.]");
}

TEST(ReadFeeds, ReadsComplexNumbersInPythonsSpelling) {
  EXPECT_EQ(Read("{value: 1+2j, dtype: complex64}"), "complex64 [] (1+2j)");
  EXPECT_EQ(Read("{value: '-1.5e-1-2e+1j', dtype: complex128}"), "complex128 [] (-0.15-20j)");
  EXPECT_EQ(Read("{value: (2.5-3j), dtype: complex64}"), "complex64 [] (2.5-3j)");
  EXPECT_EQ(Read("{value: -2j, dtype: complex64}"), "complex64 [] -2j");
  EXPECT_EQ(Read("{value: nan-infj, dtype: complex64}"), "complex64 [] (nan-infj)");
  EXPECT_EQ(Read("{value: .inf, dtype: complex64}"), "complex64 [] (inf+0j)");
}

TEST(ReadFeeds, FillsAShape) {
  EXPECT_EQ(Read("{fill: 1.5, shape: [2, 2], dtype: float32}"), "float32 [2, 2] [[1.5 1.5]\n [1.5 1.5]]");
  EXPECT_EQ(Read("{fill: 0, shape: [3]}"), "int64 [3] [0 0 0]");
  EXPECT_EQ(Read("{fill: true, shape: []}"), "bool [] True");
}

TEST(ReadFeeds, ReadsPathsAndDeclarations) {
  const ReadText read("opsrun: 1\nfeeds:\n  a: {npy: data/a.npy, shape: [-1, 3]}\n  b: {dtype: float, x-note: 1}\n");
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

TEST(ReadFeeds, AcceptsAShapeThatAgreesWithTheValue) {
  EXPECT_EQ(Read("{value: [[1, 2]], shape: [-1, 2]}"), "int64 [1, 2] [[1 2]]");
  EXPECT_EQ(
      FeedErrors("{value: [[1, 2]], shape: [2, 2]}"),
      Lines{
          "3:31-37 F102 feed 'x' has shape [1, 2], the graph declares [2, 2]; leave 'shape' out: a value has its own"});
}

TEST(ReadFeeds, WantsOneSource) {
  EXPECT_EQ(FeedErrors("[1, 2]"),
            Lines{"3:6-12 G105 feed 'x' must be a map, found a list; write x: {value: ..., dtype: ...}"});
  EXPECT_EQ(FeedErrors("{value: 1, npy: a.npy}"),
            Lines{"3:17-20 F101 feed 'x' has both 'value' and 'npy'; a feed has one "
                  "of value, npy, npz, fill and random, or none if it is "
                  "only declared"});
  EXPECT_EQ(FeedErrors("{shape: [2]}"),
            Lines{"3:3-4 F101 feed 'x' has neither a value nor a dtype; give it one of value, "
                  "npy, npz, fill and random, or declare it: "
                  "{dtype: float32, shape: [-1, 3]}"});
  EXPECT_EQ(FeedErrors("{fill: 1}"),
            Lines{"3:3-4 F101 feed 'x' has 'fill' but no 'shape'; add a shape, such as shape: [2, 3]"});
}

TEST(ReadFeeds, RefusesKeysOfAnotherSource) {
  EXPECT_EQ(FeedErrors("{npy: a.npy, key: b}"),
            Lines{"3:19-22 F101 'key' goes with 'npz', which feed 'x' does not have; leave 'key' out, or give the feed "
                  "'npz'"});
  EXPECT_EQ(FeedErrors("{dtype: int8, seed: 1}"),
            Lines{"3:20-24 F101 'seed' goes with 'random', which feed 'x' does not have; leave 'seed' out, or give the "
                  "feed 'random'"});
  EXPECT_EQ(FeedErrors("{vale: 1, dtype: int8}"),
            Lines{"3:7-11 G102 unknown key 'vale' in a feed; did you mean 'value'?"});
}

TEST(ReadFeeds, RefusesDataTypesThatAFeedCannotHave) {
  EXPECT_EQ(FeedErrors("{value: 1, dtype: flaot32}"),
            Lines{"3:24-31 F103 expected a data type, found 'flaot32'; did you mean 'float32'?"});
  for (const char* name : {"variant", "resource"}) {
    const Lines errors = FeedErrors(std::string("{value: 1, dtype: ") + name + "}");
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].find(std::string("F103 a feed cannot be ") + name +
                             ": such a value only exists while a graph runs; data types: bool"),
              std::string::npos)
        << errors[0];
  }
}

TEST(ReadFeeds, RefusesShapesThatAreNone) {
  const std::string help = "; a shape is a list of sizes such as [2, 3]; -1 is an unknown size";
  EXPECT_EQ(FeedErrors("{dtype: int8, shape: 3}"), Lines{"3:27-28 F104 expected a shape, found '3'" + help});
  EXPECT_EQ(FeedErrors("{dtype: int8, shape: [2, -2]}"), Lines{"3:31-33 F104 expected a size, found '-2'" + help});
  EXPECT_EQ(FeedErrors("{dtype: int8, shape: [1.5]}"), Lines{"3:28-31 F104 expected a size, found '1.5'" + help});
  EXPECT_EQ(FeedErrors("{fill: 1, shape: [2, -1]}"),
            Lines{"3:23-30 F104 'fill' needs a shape without -1, found [2, ?]; write every size"});
  std::string sizes = "1";
  for (int i = 0; i < 32; ++i) sizes += ", 1";
  EXPECT_EQ(FeedErrors("{dtype: int8, shape: [" + sizes + "]}"),
            Lines{"3:27-126 F104 a shape of rank 33 is too high, at most 32 is supported" + help});
}

TEST(ReadFeeds, SaysHowAnUnknownSizeIsWritten) {
  const std::string help = "; write -1 for a size that is not known";
  EXPECT_EQ(FeedErrors("{dtype: int8, shape: [null, 3]}"), Lines{"3:28-32 F104 expected a size, found nothing" + help});
  EXPECT_EQ(FeedErrors("{dtype: int8, shape: [3, None]}"), Lines{"3:31-35 F104 expected a size, found 'None'" + help});
  EXPECT_EQ(FeedErrors("{fill: 1, shape: [~]}"),
            Lines{"3:24-25 F104 expected a size, found nothing; write every size"});
  EXPECT_EQ(FeedErrors("{random: normal, shape: [None]}"),
            Lines{"3:31-35 F104 expected a size, found 'None'; write every size"});
}

TEST(ReadFeeds, RefusesListsOfUnequalLengths) {
  const std::string help =
      "; all lists of one level have the same length, and values stand at the innermost level only";
  const ReadText read(std::string(kFeeds) + "{value: [[1, 2], [3]]}\n");
  EXPECT_EQ(read.Errors(), Lines{"3:23-26 F105 this list has 1 value, expected 2" + help});
  EXPECT_EQ(PlaceText(read.diagnostics.all()[0].also[0].span), "3:15-21");
  EXPECT_EQ(FeedErrors("{value: [1, [2, 3]]}"),
            Lines{"3:18-24 F105 expected a number, found a list of 2 values" + help});
  EXPECT_EQ(FeedErrors("{value: [[1], 2]}"), Lines{"3:20-21 F105 expected a list of 1 value, found '2'" + help});
  EXPECT_EQ(FeedErrors("{value: " + std::string(33, '[') + "1" + std::string(33, ']') + "}"),
            Lines{"3:14-81 F105 a value of rank 33 is too high, at most 32 is supported" + help});
}

TEST(ReadFeeds, RefusesNumbersThatDoNotFitAtTheirOwnPlace) {
  const std::string help = "; change the number, or the 'dtype'";
  const std::string lists = "; write a number, or lists of numbers";
  EXPECT_EQ(
      FeedErrors("{value: [1, 300, -1, 1.5, true], dtype: uint8}"),
      (Lines{"3:18-21 F106 '300' does not fit uint8 (0 to 255)" + help,
             "3:23-25 F106 '-1' does not fit uint8 (0 to 255)" + help,
             "3:27-30 F106 '1.5' is a decimal number, expected uint8; write a whole number, or change the 'dtype'",
             "3:32-36 F106 'true' is a boolean, expected uint8; write 1 or 0, or change the 'dtype' to bool"}));
  EXPECT_EQ(
      FeedErrors("{value: 18446744073709551615}"),
      Lines{"3:14-34 F106 '18446744073709551615' does not fit int64 (-9223372036854775808 to 9223372036854775807)" +
            help});
  EXPECT_EQ(FeedErrors("{value: 2, dtype: bool}"),
            Lines{"3:14-15 F106 '2' is an integer, expected bool; write true or false, or change the 'dtype'"});
  EXPECT_EQ(FeedErrors("{value: [1e39, 1e400], dtype: float32}"),
            (Lines{"3:15-19 F106 '1e39' is too large for float32" + help,
                   "3:21-26 F106 '1e400' is too large for float32" + help}));
  EXPECT_EQ(FeedErrors("{value: 65520, dtype: float16}"),
            Lines{"3:14-19 F106 '65520' is too large for float16" + help});
  EXPECT_EQ(FeedErrors("{value: 1e39j, dtype: complex64}"),
            Lines{"3:14-19 F106 '1e39j' is too large for complex64" + help});
  EXPECT_EQ(FeedErrors("{value: 1+2j, dtype: float32}"),
            Lines{"3:14-18 F106 '1+2j' is a complex number, expected float32; change the 'dtype' to complex64 or "
                  "complex128"});
  EXPECT_EQ(FeedErrors("{value: [1, ~, {a: 1}], dtype: int8}"),
            (Lines{"3:18-19 F106 found nothing, expected int8; write a number, or lists of numbers; a tensor has no "
                   "missing values",
                   "3:21-27 F106 found a map, expected int8" + lists}));
  EXPECT_EQ(FeedErrors("{fill: 300, shape: [2], dtype: int8}"),
            Lines{"3:13-16 F106 '300' does not fit int8 (-128 to 127)" + help});
}

TEST(ReadFeeds, RefusesComplexNumbersBeyondTheirRange) {
  for (const char* number : {"1e999", "1e999+0j", "0-1e999j", "1e999j"}) {
    for (const char* dtype : {"complex64", "complex128"}) {
      const ReadText read(std::string("opsrun: 1\nfeeds:\n  x: {value: ") + number + ", dtype: " + dtype + "}\n");
      ASSERT_EQ(read.Errors().size(), 1u) << number;
      EXPECT_NE(read.Errors()[0].find(std::string("is too large for ") + dtype), std::string::npos);
    }
  }
  EXPECT_TRUE(ReadText("opsrun: 1\nfeeds:\n  x: {value: [inf+2j, -.inf], dtype: complex128}\n").Errors().empty());
}

// The elements of a feed x, in a row.
std::vector<std::string> Strings(const std::string& feed) {
  const ReadText read("opsrun: 1\nfeeds:\n  x: " + feed + "\n");
  EXPECT_TRUE(read.Errors().empty()) << feed;
  std::vector<std::string> strings;
  const Tensor& tensor = read.graph->feeds.at(0).value;
  EXPECT_EQ(tensor.dtype(), DType::kString);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) strings.emplace_back(tensor.string(i));
  return strings;
}

TEST(ReadFeeds, TakesQuotedTextForStrings) {
  EXPECT_EQ(Strings("{value: ['a', \"b\\n\"]}"), (std::vector<std::string>{"a", "b\n"}));
  EXPECT_EQ(Strings("{value: [['1'], ['']]}"), (std::vector<std::string>{"1", ""}));
  EXPECT_EQ(Strings("{fill: 'é', shape: [2]}"), (std::vector<std::string>{"é", "é"}));
}

TEST(ReadFeeds, TakesAnyScalarForAStringWhereTheDTypeSaysSo) {
  EXPECT_EQ(Strings("{value: [one, 1.50, no, '2'], dtype: string}"),
            (std::vector<std::string>{"one", "1.50", "no", "2"}));
  EXPECT_EQ(FeedErrors("{value: [{a: 1}], dtype: string}"),
            Lines{"3:15-21 F106 expected a string, found a map; write a text in quotes"});
}

TEST(ReadFeeds, DoesNotGuessWhetherAWordIsText) {
  EXPECT_EQ(FeedErrors("{value: [1, 2.O]}"),
            Lines{"3:18-21 F106 '2.O' is a string, expected int64; write a number; for text, put every value in "
                  "quotes: '2.O'"});
  EXPECT_EQ(FeedErrors("{value: [1, 'a']}"),
            Lines{"3:18-21 F106 'a' is a string, expected int64; write numbers without quotes; for text, say dtype: "
                  "string"});
}

TEST(ReadFeeds, TakesQuantizedNumbers) {
  const ReadText read("opsrun: 1\nfeeds:\n  x: {value: [-3, 4], dtype: qint8}\n");
  ASSERT_TRUE(read.Errors().empty());
  EXPECT_EQ(static_cast<const int8_t*>(read.graph->feeds[0].value.data())[0], -3);
  EXPECT_EQ(FeedErrors("{value: [256], dtype: quint8}").size(), 1u);
}

TEST(ReadFeeds, ShowsTheFirstFiveOfManyMistakesInAValue) {
  std::string list = "300";
  for (int i = 0; i < 1000; ++i) list += ", 300";
  EXPECT_EQ(FeedErrors("{value: [" + list + "], dtype: int8}").size(), 5u);
}

TEST(ReadFeeds, RefusesAFillThatNoMemoryHolds) {
  const Lines errors = FeedErrors("{fill: 1, shape: [1000000, 1000000, 1000]}");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].substr(0, 79), "3:23-47 D001 int64 [1000000, 1000000, 1000] needs 8000000000000000 bytes, this ");
  EXPECT_EQ(FeedErrors("{fill: 1, shape: [4294967296, 4294967296]}"),
            Lines{"3:23-47 D001 int64 [4294967296, 4294967296] has more bytes than 64 bits can count; make it smaller, "
                  "or use a "
                  "machine with more memory"});
}

}  // namespace
}  // namespace opsrun::host

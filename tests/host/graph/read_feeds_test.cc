// SPDX-License-Identifier: Apache-2.0

#include "host/tensor/print.h"
#include "tests/host/graph/read_text.h"

namespace opsrun::host {
namespace {

constexpr const char* kFeeds = "opsrun: 1\nfeeds:\n  x: ";

// "int32 [2, 2] [[1 2]\n [3 4]]"
std::string Read(const std::string& feed) {
  const ReadText read(kFeeds + feed + "\n");
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
  for (int i = 0; i < 32; ++i) sizes += ", 1";
  ExpectErrors(kFeeds, {{"{dtype: int8, shape: [" + sizes + "]}",
                         "3:27-126 F104 a shape of rank 33 is too high, at most 32 is supported; a shape is a list of "
                         "sizes such as [2, 3]; -1 is an unknown size"},
                        {"{dtype: int8, shape: [null, 3]}",
                         "3:28-32 F104 expected a size, found nothing; write -1 for a size that is not known"},
                        {"{fill: 1, shape: [~]}", "3:24-25 F104 expected a size, found nothing; specify every size"}});
}

TEST(ReadFeeds, RefusesValuesOfTooManyDimensionsOrMistakes) {
  ExpectErrors(kFeeds, {{"{value: " + std::string(33, '[') + "1" + std::string(33, ']') + "}",
                         "3:14-81 F105 a value of rank 33 is too high, at most 32 is supported; all lists at one level "
                         "must have the same length, and only the innermost lists hold values"}});
  std::string list = "300";
  for (int i = 0; i < 1000; ++i) list += ", 300";
  EXPECT_EQ(ReadText(kFeeds + ("{value: [" + list) + "], dtype: int8}\n").Errors().size(), 5u);
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

// compat/tests/tensorflow/text_test.cc: text, numbers, paths and hashes, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tensorflow/core/lib/core/bits.h"
#include "tensorflow/core/lib/core/coding.h"
#include "tensorflow/core/lib/gtl/flatmap.h"
#include "tensorflow/core/lib/gtl/map_util.h"
#include "tensorflow/core/lib/hash/hash.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/lib/strings/numbers.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/lib/strings/stringprintf.h"
#include "tensorflow/core/public/version.h"
#include "tensorflow/core/util/env_var.h"

namespace tensorflow {
namespace {

typedef std::vector<std::string> Words;

TEST(CompatText, SplitsAndJoins) {
  EXPECT_EQ(str_util::Split("a,b,,c", ','), (Words{"a", "b", "", "c"}));
  EXPECT_EQ(str_util::Split("a b;c", " ;"), (Words{"a", "b", "c"}));
  EXPECT_EQ(str_util::Split("a,,b", ',', str_util::SkipEmpty()), (Words{"a", "b"}));
  EXPECT_EQ(str_util::Split("a, ,b", ',', str_util::SkipWhitespace()), (Words{"a", "b"}));
  EXPECT_TRUE(str_util::Split("", ',').empty());
  EXPECT_EQ(str_util::Join(Words{"a", "b"}, "+"), "a+b");
  std::vector<int> numbers;
  EXPECT_TRUE(str_util::SplitAndParseAsInts("1,2", ',', &numbers));
  EXPECT_EQ(numbers, (std::vector<int>{1, 2}));
}

TEST(CompatText, Edits) {
  EXPECT_EQ(str_util::StringReplace("a.b.c", ".", "::", true), "a::b::c");
  EXPECT_EQ(str_util::StringReplace("a.b.c", ".", "::", false), "a::b.c");
  EXPECT_EQ(str_util::Lowercase("AbC"), "abc");
  EXPECT_EQ(str_util::ArgDefCase("ThreeNn"), "three_nn");
  StringPiece text = "  x ";
  EXPECT_EQ(str_util::RemoveWhitespaceContext(&text), 3u);
  EXPECT_EQ(text, "x");
  EXPECT_TRUE(str_util::EndsWith("file.cc", ".cc"));
  EXPECT_EQ(strings::Printf("%d-%s", 3, "x"), "3-x");
}

TEST(CompatText, ReadsNumbers) {
  int32 i = 0;
  int64_t wide = 0;
  float f = 0;
  EXPECT_TRUE(strings::safe_strto32(" 12 ", &i));
  EXPECT_EQ(i, 12);
  EXPECT_FALSE(strings::safe_strto32("99999999999", &i));
  EXPECT_TRUE(strings::safe_strto64("99999999999", &wide));
  EXPECT_FALSE(strings::safe_strtof("1.5x", &f));
  EXPECT_EQ(strings::HumanReadableNum(1500), "1.50k");
  EXPECT_EQ(strings::HumanReadableNumBytes(1536), "1.5KiB");
}

TEST(CompatText, JoinsPaths) {
  EXPECT_EQ(io::JoinPath("a", "b/", "/c"), "a/b/c");
  EXPECT_EQ(io::JoinPath("", "b"), "b");
  EXPECT_EQ(io::Dirname("/a/b.txt"), "/a");
  EXPECT_EQ(io::Basename("/a/b.txt"), "b.txt");
  EXPECT_EQ(io::Extension("/a/b.txt"), "txt");
}

TEST(CompatText, HashesAsTensorflowDoes) {
  EXPECT_EQ(Hash64(""), 0x81769421199f9e3bULL);
  EXPECT_EQ(Hash64("cherry"), 0xaa461bf4e264452aULL);
  EXPECT_EQ(Hash64("twelve bytes"), 0x3c4588526315463fULL);
  EXPECT_EQ(Hash64Combine(1, 2), 0x9e3779b97f4a7c03ULL);
}

TEST(CompatMaps, FindAndInsert) {
  gtl::FlatMap<std::string, int> map;
  EXPECT_TRUE(gtl::InsertIfNotPresent(&map, "a", 1));
  EXPECT_FALSE(gtl::InsertIfNotPresent(&map, "a", 2));
  EXPECT_FALSE(gtl::InsertOrUpdate(&map, "a", 3));
  EXPECT_EQ(gtl::FindWithDefault(map, "a", 0), 3);
  EXPECT_EQ(gtl::FindWithDefault(map, "b", 7), 7);
  EXPECT_EQ(gtl::FindOrNull(map, "b"), nullptr);
  EXPECT_TRUE(gtl::ContainsKey(map, "a"));
  EXPECT_EQ(gtl::LookupOrInsert(&map, "c", 4), 4);
}

TEST(CompatNumbers, CodeAndCount) {
  std::string bytes;
  core::PutFixed32(&bytes, 0x01020304);
  EXPECT_EQ(core::DecodeFixed32(bytes.data()), 0x01020304u);
  bytes.clear();
  core::PutVarint64(&bytes, 300);
  EXPECT_EQ(bytes, "\xac\x02");
  StringPiece rest = bytes;
  uint64 value = 0;
  EXPECT_TRUE(core::GetVarint64(&rest, &value));
  EXPECT_EQ(value, 300u);
  EXPECT_FALSE(core::GetVarint64(&rest, &value));
  EXPECT_EQ(Log2Ceiling(9), 4);
  EXPECT_EQ(NextPowerOfTwo(5), 8u);
  EXPECT_EQ(MathUtil::CeilOfRatio(7, 2), 4);
  EXPECT_EQ(MathUtil::FloorOfRatio(-7, 2), -4);
  EXPECT_EQ(MultiplyWithoutOverflow(int64{1} << 40, int64{1} << 40), -1);
}

TEST(CompatEnvironment, ReadsVariables) {
  bool flag = false;
  setenv("OPSRUN_TEST_FLAG", "true", 1);
  EXPECT_TRUE(ReadBoolFromEnvVar("OPSRUN_TEST_FLAG", false, &flag).ok());
  EXPECT_TRUE(flag);
  setenv("OPSRUN_TEST_FLAG", "perhaps", 1);
  EXPECT_EQ(ReadBoolFromEnvVar("OPSRUN_TEST_FLAG", false, &flag).code(), error::INVALID_ARGUMENT);
  int64 number = 0;
  EXPECT_TRUE(ReadInt64FromEnvVar("OPSRUN_TEST_NONE", 5, &number).ok());
  EXPECT_EQ(number, 5);
  EXPECT_GE(TF_MAJOR_VERSION * 1000 + TF_MINOR_VERSION, 2014);
  EXPECT_EQ(TF_VERSION_STRING, std::to_string(TF_MAJOR_VERSION) + "." + std::to_string(TF_MINOR_VERSION) + "." +
                                   std::to_string(TF_PATCH_VERSION) + TF_VERSION_SUFFIX);
  EXPECT_LE(TF_GRAPH_DEF_VERSION_MIN_PRODUCER, TF_GRAPH_DEF_VERSION);
  EXPECT_LE(TF_GRAPH_DEF_VERSION_MIN_CONSUMER, TF_GRAPH_DEF_VERSION);
}

}  // namespace
}  // namespace tensorflow

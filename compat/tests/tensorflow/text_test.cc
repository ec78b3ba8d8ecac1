// compat/tests/tensorflow/text_test.cc: text, numbers, paths and hashes, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

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
  EXPECT_EQ(str_util::Split("a,,b", ',', str_util::AllowEmpty()).size(), 3u);
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

TEST(CompatText, LosesParts) {
  EXPECT_TRUE(str_util::StrContains("haystack", "st"));
  EXPECT_TRUE(str_util::StartsWith("prefix", "pre"));
  EXPECT_FALSE(str_util::StartsWith("pre", "prefix"));
  StringPiece text = "name.cc";
  EXPECT_TRUE(str_util::ConsumePrefix(&text, "na"));
  EXPECT_FALSE(str_util::ConsumePrefix(&text, "na"));
  EXPECT_TRUE(str_util::ConsumeSuffix(&text, ".cc"));
  EXPECT_EQ(text, "me");
  EXPECT_EQ(str_util::StripPrefix("abc", "ab"), "c");
  EXPECT_EQ(str_util::StripSuffix("abc", "bc"), "a");
  EXPECT_EQ(str_util::Uppercase("aB1"), "AB1");
  text = " \ta b ";
  EXPECT_EQ(str_util::RemoveLeadingWhitespace(&text), 2u);
  EXPECT_EQ(str_util::RemoveTrailingWhitespace(&text), 1u);
  EXPECT_EQ(text, "a b");
  StringPiece blank = "  ";
  EXPECT_EQ(str_util::RemoveTrailingWhitespace(&blank), 2u);
  std::string line = "a b \n";
  str_util::StripTrailingWhitespace(&line);
  EXPECT_EQ(line, "a b");
}

TEST(CompatText, JoinsPaths) {
  EXPECT_EQ(io::JoinPath("a", "b/", "/c"), "a/b/c");
  EXPECT_EQ(io::JoinPath("", "b"), "b");
  EXPECT_EQ(io::Dirname("/a/b.txt"), "/a");
  EXPECT_EQ(io::Basename("/a/b.txt"), "b.txt");
  EXPECT_EQ(io::Extension("/a/b.txt"), "txt");
  EXPECT_TRUE(io::IsAbsolutePath("/a"));
  EXPECT_FALSE(io::IsAbsolutePath("a/b"));
  EXPECT_EQ(io::BasenamePrefix("/a/b.tar.gz"), "b.tar");
  EXPECT_EQ(io::BasenamePrefix("/a.b/c"), "c");
  EXPECT_EQ(io::Dirname("b"), "");
  EXPECT_EQ(io::Dirname("/b"), "/");
  EXPECT_EQ(io::Basename("/a/"), "");
  EXPECT_EQ(io::Extension("/a.b/c"), "");
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
  int number = 5;
  gtl::FlatMap<std::string, int*> pointers = {{"a", &number}};
  EXPECT_EQ(*gtl::FindPtrOrNull(pointers, "a"), 5);
  EXPECT_EQ(gtl::FindPtrOrNull(pointers, "b"), nullptr);
  EXPECT_EQ(gtl::FindOrDie(pointers, "a"), &number);
  gtl::InsertOrDie(&pointers, "b", &number);
  EXPECT_EQ(pointers.size(), 2u);
  EXPECT_THROW(gtl::FindOrDie(pointers, "c"), internal::Failure);
  EXPECT_EQ(gtl::FindOrDie(std::map<int, int>{{1, 2}}, 1) + 0, 2);
  EXPECT_THROW(gtl::InsertOrDie(&pointers, "b", nullptr), internal::Failure);
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
  setenv("OPSRUN_TEST_FLOAT", "1.5", 1);
  setenv("OPSRUN_TEST_TEXT", "some text", 1);
  float real = 0;
  std::string text;
  EXPECT_TRUE(ReadFloatFromEnvVar("OPSRUN_TEST_FLOAT", 2, &real).ok());
  EXPECT_EQ(real, 1.5F);
  EXPECT_TRUE(ReadFloatFromEnvVar("OPSRUN_TEST_NO_FLOAT", 2, &real).ok());
  EXPECT_EQ(real, 2);
  EXPECT_FALSE(ReadFloatFromEnvVar("OPSRUN_TEST_TEXT", 2, &real).ok());
  EXPECT_TRUE(ReadStringFromEnvVar("OPSRUN_TEST_TEXT", "none", &text).ok());
  EXPECT_EQ(text, "some text");
  EXPECT_TRUE(ReadStringFromEnvVar("OPSRUN_TEST_NO_TEXT", "none", &text).ok());
  EXPECT_EQ(text, "none");
}

TEST(CompatVersion, IsThatOfTensorFlow) {
  EXPECT_GE(TF_MAJOR_VERSION * 1000 + TF_MINOR_VERSION, 2014);
  EXPECT_EQ(TF_VERSION_STRING, std::to_string(TF_MAJOR_VERSION) + "." + std::to_string(TF_MINOR_VERSION) + "." +
                                   std::to_string(TF_PATCH_VERSION) + TF_VERSION_SUFFIX);
  EXPECT_LE(TF_GRAPH_DEF_VERSION_MIN_PRODUCER, TF_GRAPH_DEF_VERSION);
  EXPECT_LE(TF_GRAPH_DEF_VERSION_MIN_CONSUMER, TF_GRAPH_DEF_VERSION);
}

std::string Letters(size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

TEST(CompatStrings, LoseParts) {
  StringPiece text = "12 apples", word;
  uint64_t number = 0;
  EXPECT_TRUE(str_util::ConsumeLeadingDigits(&text, &number));
  EXPECT_EQ(number, 12u);
  EXPECT_FALSE(str_util::ConsumeLeadingDigits(&text, &number));
  EXPECT_FALSE(str_util::ConsumeNonWhitespace(&text, &word));
  str_util::RemoveLeadingWhitespace(&text);
  EXPECT_TRUE(str_util::ConsumeNonWhitespace(&text, &word));
  EXPECT_EQ(word, "apples");
  EXPECT_TRUE(text.empty());
}

TEST(CompatStrings, AreWrittenInOtherWays) {
  std::string title = "max_pool of two";
  str_util::TitlecaseString(&title, "_ ");
  EXPECT_EQ(title, "Max_Pool Of Two");
  EXPECT_EQ(str_util::CEscape("a\n\"\001"), "a\\n\\\"\\001");
  EXPECT_EQ(strings::HumanReadableElapsedTime(0.0025), "2.5 ms");
  EXPECT_EQ(strings::HumanReadableElapsedTime(-90), "-1.5 min");
  EXPECT_EQ(strings::HumanReadableElapsedTime(31600000), "1 years");
}

TEST(CompatStrings, ArePiecesWithTheMethodsOfTensorFlow1) {
  const std::string owner = "kernel.cu.cc";
  StringPiece piece(owner);
  EXPECT_TRUE(piece.contains("el.c"));
  EXPECT_FALSE(piece.contains("xx"));
  EXPECT_TRUE(piece.starts_with("kernel"));
  EXPECT_FALSE(piece.starts_with("kernel.cu.cc.o"));
  EXPECT_TRUE(piece.ends_with(".cc"));
  EXPECT_FALSE(piece.ends_with("a.kernel.cu.cc"));
  EXPECT_TRUE(piece.ends_with(""));
  EXPECT_EQ(piece.substr(7).ToString(), "cu.cc");
  EXPECT_FALSE(piece.Consume("cu"));
  EXPECT_TRUE(piece.Consume("kernel."));
  EXPECT_EQ(piece, "cu.cc");
  piece.set(owner.data(), 6);
  EXPECT_EQ(strings::StrCat(piece, 1), "kernel1");
  piece.clear();
  EXPECT_TRUE(piece.empty());
}

TEST(CompatStrings, ArePiecesWhereTheStandardLibraryAndAbseilHaveThem) {
  const tstring owner = "abc";
  const StringPiece piece = owner;
  const std::string_view view = piece;
  const StringPiece chosen = view.empty() ? piece : view;
  EXPECT_EQ(chosen, view);
  std::unordered_map<StringPiece, int, StringPiece::Hasher> numbers = {{"abc", 1}};
  EXPECT_EQ(numbers.at(view), 1);
  const std::unordered_set<StringPiece> names = {"abc", "d"};
  EXPECT_EQ(names.count(piece), 1u);
  std::string_view rest = "abcd";
  EXPECT_TRUE(str_util::ConsumePrefix(&rest, piece));
  EXPECT_EQ(rest, "d");
}

TEST(CompatStrings, HaveHexadecimalNumbers) {
  EXPECT_EQ(strings::StrCat("0x", strings::Hex(255)), "0xff");
  EXPECT_EQ(strings::StrCat(strings::Hex(int8_t{-1}, tsl::strings::kNoPad)), "ff");
  using namespace tsl::strings;
  const PadSpec pads[] = {kZeroPad2,  kZeroPad3,  kZeroPad4,  kZeroPad5,  kZeroPad6,  kZeroPad7,  kZeroPad8, kZeroPad9,
                          kZeroPad10, kZeroPad11, kZeroPad12, kZeroPad13, kZeroPad14, kZeroPad15, kZeroPad16};
  size_t digits = 2;
  for (const PadSpec pad : pads) EXPECT_EQ(strings::StrCat(Hex(1, pad)).size(), digits++);
}

TEST(CompatPaths, BecomeShorter) {
  EXPECT_EQ(io::CleanPath("/a//b/./c/../d/"), "/a/b/d");
  EXPECT_EQ(io::CleanPath("../a/../../b"), "../../b");
  EXPECT_EQ(io::CleanPath("/../a/.."), "/");
  EXPECT_EQ(io::CleanPath("a/.."), ".");
}

TEST(CompatPaths, HaveSchemes) {
  StringPiece scheme, host, path;
  io::ParseURI("s3://bucket/a/b", &scheme, &host, &path);
  EXPECT_EQ(io::CreateURI(scheme, host, path), "s3://bucket/a/b");
  EXPECT_EQ(host, "bucket");
  io::ParseURI("/a://b", &scheme, &host, &path);
  EXPECT_TRUE(scheme.empty() && host.empty());
  EXPECT_EQ(io::CreateURI(scheme, host, path), "/a://b");
}

TEST(CompatPaths, OfTemporaryFiles) {
  const std::string name = io::GetTempFilename("txt");
  EXPECT_EQ(io::Extension(name), "txt");
  EXPECT_EQ(unlink(name.c_str()), 0);
}

TEST(CompatCoding, WritesToMemory) {
  char bytes[core::kMaxVarint64Bytes];
  EXPECT_EQ(core::EncodeVarint32(bytes, 300) - bytes, 2);
  EXPECT_EQ(core::EncodeVarint32(bytes, kuint32max) - bytes, core::kMaxVarint32Bytes);
  EXPECT_EQ(core::EncodeVarint64(bytes, kuint64max) - bytes, 10);
  tstring text;
  core::PutVarint32(&text, 300);
  core::PutVarint64(&text, 1);
  EXPECT_EQ(text, "\xac\x02\x01");
  std::string fixed;
  core::PutFixed16(&fixed, 0x1234);
  EXPECT_EQ(core::DecodeFixed16(fixed.data()), 0x1234);
}

TEST(CompatBase64, GoesThereAndBack) {
  std::string text;
  TF_CHECK_OK(Base64Encode("\xfb\xef\xff?", &text));
  EXPECT_EQ(text, "--__Pw");
  tstring padded, bytes;
  TF_CHECK_OK(Base64Encode("\xfb\xef\xff?", true, &padded));
  EXPECT_EQ(padded, "--__Pw==");
  TF_CHECK_OK(Base64Decode(padded, &bytes));
  EXPECT_EQ(bytes, "\xfb\xef\xff?");
  EXPECT_TRUE(errors::IsInvalidArgument(Base64Decode("ab+/", &bytes)));
  EXPECT_TRUE(errors::IsInvalidArgument(Base64Decode("abcde", &bytes)));
}

TEST(CompatHashes, OfBytesNeverChange) {
  EXPECT_EQ(Hash32("seven..", 7, 3), 0x350100d2u);
  EXPECT_EQ(crc32c::Value("123456789", 9), 0xe3069283u);
  EXPECT_EQ(crc32c::Extend(crc32c::Value("1234", 4), "56789", 5), 0xe3069283u);
  EXPECT_EQ(crc32c::Mask(0xe3069283u), 0xc78ab0e5u);
  EXPECT_EQ(crc32c::Unmask(crc32c::Mask(0xe3069283u)), 0xe3069283u);
  const std::pair<std::string, int> pair("a", 1);
  EXPECT_EQ((hash<std::pair<std::string, int>>()(pair)), Hash64Combine(Hash64("a"), 1));
}

TEST(CompatHashes, FingerprintTexts) {
  EXPECT_EQ(Fingerprint64(Letters(0)), 0x9ae16a3b2f90404fu);
  EXPECT_EQ(Fingerprint64(Letters(3)), 0x24a5b3a074e7f369u);
  EXPECT_EQ(Fingerprint64(Letters(7)), 0x3c40c92b1ccb7355u);
  EXPECT_EQ(Fingerprint64(Letters(16)), 0x54630bad7705cebdu);
  EXPECT_EQ(Fingerprint64(Letters(32)), 0xff96b8a54087359au);
  EXPECT_EQ(Fingerprint64(Letters(64)), 0x9c4a595c23bb9bfau);
  EXPECT_EQ(Fingerprint64(Letters(65)), 0x2434d8917886fe2au);
  EXPECT_EQ(Fingerprint64(Letters(300)), 0x93480430f4019a90u);
  EXPECT_EQ(FingerprintCat64(1, 2), 0xc89a2574412ac8e4u);
}

TEST(CompatHashes, FingerprintTextsIn128Bits) {
  const Fprint128 little = Fingerprint128(Letters(7)), some = Fingerprint128(Letters(100));
  const Fprint128 many = Fingerprint128(Letters(300));
  EXPECT_TRUE(little == (Fprint128{0x9e5daa7baf7e4573u, 0xcfb5d54dd0ac6959u}));
  EXPECT_TRUE(some == (Fprint128{0x24ebdf44e8e2d2e3u, 0x24fdade4d7118084u}));
  EXPECT_TRUE(many == (Fprint128{0x57c7b6bccf1e7ab7u, 0x27d5a3f18df3e634u}));
  EXPECT_EQ(Fprint128Hasher()(many), many.low64);
  EXPECT_NE(many.low64, many.high64);
}

}  // namespace

}  // namespace tensorflow

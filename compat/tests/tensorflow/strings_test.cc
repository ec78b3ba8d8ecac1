// compat/tests/tensorflow/strings_test.cc: parts of texts, file names, codes of numbers and bytes, and hashes that never
// change, by TensorFlow's names. The numbers are TensorFlow's.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <unordered_map>
#include <unordered_set>

#include "tensorflow/core/lib/core/coding.h"
#include "tensorflow/core/lib/hash/crc32c.h"
#include "tensorflow/core/lib/hash/hash.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/lib/strings/base64.h"
#include "tensorflow/core/lib/strings/numbers.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/fingerprint.h"

namespace tensorflow {
namespace {

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

TEST(CompatStrings, AreNumbersWithoutPlus) {
  int32 number = 0;
  uint64_t hex = 0;
  EXPECT_TRUE(strings::safe_strto32(" -12 ", &number));
  EXPECT_FALSE(strings::safe_strto32("+12", &number));
  EXPECT_FALSE(strings::HexStringToUint64(" ff", &hex));
  EXPECT_TRUE(strings::HexStringToUint64("ff", &hex));
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

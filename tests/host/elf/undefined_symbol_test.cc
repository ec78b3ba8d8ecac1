// tests/host/elf/undefined_symbol_test.cc: whose symbol it is decides what to do.
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/undefined_symbol.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

std::string RemedyFor(std::string_view symbol) {
  return ExplainUndefined("", symbol, 0).remedy;
}

TEST(ExplainUndefined, NamesTheSymbolAndCountsTheOthers) {
  EXPECT_EQ(ExplainUndefined("", "_ZN4acme4blurEi", 0).reason,
            "it uses the symbol acme::blur(int), which no library that it is linked with defines");
  EXPECT_EQ(ExplainUndefined("", "blur", 2).reason,
            "it uses the symbol blur, and 2 more symbols, which no library that it is linked with defines");
}

TEST(ExplainUndefined, LeadsToTheRightLibrary) {
  EXPECT_NE(RemedyFor("_ZN10tensorflow8OpKernelD2Ev").find("TensorFlow's include paths"), std::string::npos);
  EXPECT_EQ(RemedyFor("_ZN3tsl6StatusD2Ev"), RemedyFor("_ZN10tensorflow8OpKernelD2Ev"));
  EXPECT_NE(RemedyFor("_ZN4absl6StrCatEv").find("opsrun sdk --cflags --absl"), std::string::npos);
  EXPECT_NE(RemedyFor("_ZN6google8protobuf7MessageD2Ev").find("pkg-config --libs protobuf"), std::string::npos);
  EXPECT_EQ(RemedyFor("_ZN4acme4blurEPN10tensorflow6TensorE"), RemedyFor("blur"));
}

// What the library was compiled with is not in the hands of the plugin's author.
TEST(ExplainUndefined, OfALibraryIsNoQuestionOfFlags) {
  const Refusal refusal = ExplainUndefined("/lib/libx.so", "_ZN4absl6StrCatEv", 0);
  EXPECT_EQ(refusal.reason.find("/lib/libx.so uses the symbol absl::StrCat()"), 0u) << refusal.reason;
  EXPECT_EQ(refusal.remedy, ExplainUndefined("/lib/libx.so", "blur", 0).remedy);
}

TEST(ExplainUndefined, RecognizesSanitizers) {
  EXPECT_EQ(ExplainUndefined("", "__asan_init", 7).reason, "built with AddressSanitizer, this program is not");
}

}  // namespace
}  // namespace opsrun::host

// tests/host/examine/explain_symbols_test.cc: whose symbol it is decides what to do.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/explain_symbols.h"

#include <gtest/gtest.h>

#include "host/base/characters.h"

namespace opsrun::host {
namespace {

constexpr size_t kLongest = 303;  // with "..."

// f(B, A<B, B>, A<A<B, B>, A<B, B>>, ...): each type is twice as long as the one before it.
std::string Doubling(int types) {
  std::string name = "_Z1f1B1AIS_S_E";
  for (int i = 1; i < types; ++i) {
    const std::string last = "S" + std::string(1, static_cast<char>(i < 10 ? '0' + i : 'A' + i - 10)) + "_";
    name += "S0_I" + last + last + "E";
  }
  return name;
}

TEST(SymbolText, IsWhatASourceSays) {
  EXPECT_EQ(SymbolText("_ZN4acme4blurEPKfi"), "acme::blur(float const*, int)");
  EXPECT_EQ(SymbolText("_ZTIN10tensorflow8OpKernelE"), "typeinfo for tensorflow::OpKernel");
  // "i" would be the type int.
  for (const char* symbol :
       {"", "blur", "i", "_Z", "_ZN", "_ZN4acme", "_ZN99acmeE", "_ZN4acme4blurE!", "_Z99999999999999999999f"})
    EXPECT_EQ(SymbolText(symbol), symbol);
}

TEST(SymbolText, EndsInDotsIfItIsTooLong) {
  const std::string endless(1 << 20, 'x');
  EXPECT_EQ(SymbolText(endless), endless.substr(0, 300) + "...");
  const std::string long_name = "_ZN4acme400" + std::string(400, 'x') + "Ev";
  EXPECT_EQ(SymbolText(long_name), "acme::" + std::string(294, 'x') + "...");
  std::string umlauts = "x";  // not cut within a character
  for (int i = 0; i < 200; ++i) umlauts += "\xC3\xA4";
  EXPECT_TRUE(IsUtf8(SymbolText(umlauts)));
  EXPECT_EQ(SymbolText(umlauts), umlauts.substr(0, 299) + "...");
  EXPECT_EQ(SymbolText(std::string(1000, '\x80')), "...");
}

// Without a limit, 26 of them take 300 ms and 30 MB, 35 the memory of the machine.
TEST(SymbolText, IsNotWrittenOutIfItGrowsWithoutBound) {
  EXPECT_TRUE(SymbolText(Doubling(8)).starts_with("f(B, A<B, B>, A<A<B, B>, A<B, B>")) << SymbolText(Doubling(8));
  EXPECT_EQ(SymbolText(Doubling(8)).size(), kLongest);
  EXPECT_EQ(SymbolText(Doubling(35)), Doubling(35).substr(0, kLongest - 3) + "...");
  const std::string packs = "_Z1fIJ" + std::string(200, 'i') + "EEv1AIDpS_IDpS_IDpS_IDpT_EEEE";
  EXPECT_EQ(SymbolText(packs), packs);
}

TEST(IsOfNamespace, ComparesWholeNames) {
  for (const char* symbol :
       {"_ZN10tensorflow8OpKernelC2EPNS_20OpKernelConstructionE", "_ZNK10tensorflow6Tensor5shapeEv",
        "_ZTVN10tensorflow8OpKernelE", "_ZGVZN10tensorflow4noneEvE1x"})
    EXPECT_TRUE(IsOfNamespace(symbol, "tensorflow")) << symbol;
  EXPECT_TRUE(IsOfNamespace("_ZN6google8protobuf7MessageD2Ev", "google::protobuf"));
  EXPECT_FALSE(IsOfNamespace("_ZN6google10LogMessage6streamEv", "google::protobuf"));
  for (const char* symbol : {"_ZN12tensorflowxx4noneEv", "_ZN4acme10tensorflow4noneEv", "_ZN10tensorflowE",
                             "_Z4blurPN10tensorflow15OpKernelContextE"})  // the type of a parameter
    EXPECT_FALSE(IsOfNamespace(symbol, "tensorflow")) << symbol;
  for (const char* symbol : {"", "tensorflow", "_Z", "_ZN", "_ZZZZ", "_ZN10tensor",
                             "_ZN99999999999999999999tensorflow1xE", "_ZTV", "_ZNrVKRO", "N10tensorflow1xE"})
    EXPECT_FALSE(IsOfNamespace(symbol, "tensorflow")) << symbol;
}

}  // namespace
}  // namespace opsrun::host

// tests/fuzz/symbol_target.cc: the name of a symbol to text for people, and to advice.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/explain_symbols.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

void Eat(std::string_view bytes) {
  constexpr size_t kEnough = 1000;
  Require(host::SymbolText(bytes).size() < kEnough, "the text is short");
  Require(host::SymbolText(bytes).empty() == bytes.empty(), "it names the symbol");
  const host::Refusal refusal = host::ExplainUndefined("", bytes, 1);
  Require(!refusal.reason.empty() && !refusal.remedy.empty(), "a refusal has a reason and a remedy");
}

std::vector<std::string> Seeds() {
  return {"_ZN10tensorflow15OpKernelContext15allocate_outputEiRKNS_11TensorShapeEPPNS_6TensorE",
          "_ZTIN10tensorflow8OpKernelE",
          "_ZGVZN4absl4noneEvE1x",
          "_ZN6google8protobuf7MessageD2Ev",
          "_ZN4acme4blurIJifEEEvDpRKT_",
          "_Z1f1B1AIS_S_ES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_ES0_IS4_S4_ES0_IS5_S5_ES0_IS6_S6_E",
          "__asan_init"};
}

// What the grammar of names is made of.
std::vector<std::string> Words() {
  return {"S_", "S0_", "S1_", "T_", "T0_",  "Dp", "sp", "I",     "E", "J",
          "N",  "St",  "Ss",  "1A", "Dv4_", "X",  "L",  "fL0p_", "cv"};
}

}  // namespace

const Target kSymbol = {"symbol", Eat, Seeds, Words};

}  // namespace opsrun::fuzz

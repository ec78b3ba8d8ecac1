// tests/host/examine/judge_facts_test.cc: findings about facts that no compiler here would produce.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/examine/judge_library.h"

namespace opsrun::host {
namespace {

LibraryFacts Facts() {
  LibraryFacts facts;
  facts.exports.push_back({"entry", true, false});
  return facts;
}

std::string Reason(const LibraryFacts& facts, const Machine& machine) {
  const std::optional<Refusal> refusal = FirstRefusal(JudgeFacts(facts, machine, "entry"));
  return refusal ? refusal->reason + " | " + refusal->remedy : "";
}

TEST(JudgeFacts, TheInstructionSetIsNamed) {
  LibraryFacts facts = Facts();
  EXPECT_EQ(Reason(facts, {0, ""}), "") << "most files state none";
  facts.x86_isa = 4;
  EXPECT_EQ(Reason(facts, {7, ""}), "");
  EXPECT_EQ(Reason(facts, {15, ""}), "");
  EXPECT_EQ(Reason(facts, {3, ""}),
            "it requires an x86-64-v3 processor, but this one supports x86-64-v2 | build it with -march=x86-64-v2");
  facts.x86_isa = 8 | 4 | 2 | 1;
  EXPECT_EQ(Reason(facts, {1, ""}),
            "it requires an x86-64-v4 processor, but this one supports x86-64 | build it with -march=x86-64");
  facts.x86_isa = uint32_t{1} << 31;  // of the future
  EXPECT_EQ(Reason(facts, {15, ""}).find("it requires an x86-64-v32 processor"), 0u);
}

TEST(JudgeFacts, PackedRelocationsNeedALoaderThatKnowsThem) {
  LibraryFacts facts = Facts();
  facts.packed_relocations = true;
  for (const char* glibc : {"2.36", "2.100", "3.0"}) EXPECT_EQ(Reason(facts, {0, glibc}), "") << glibc;
  EXPECT_EQ(Reason(facts, {0, "2.35"}),
            "it has packed relative relocations (DT_RELR), which require glibc 2.36; this system has glibc 2.35 | link "
            "it with -z nopack-relative-relocs");
  EXPECT_NE(Reason(facts, {0, ""}), "");
  facts.static_tls = facts.text_relocations = true;
  EXPECT_EQ(Reason(facts, {0, "3.0"}).find("it uses static thread-local storage"), 0u) << "the first refusal counts";
}

TEST(IsOlder, ComparesNumbers) {
  for (const auto& [older, newer] : {std::pair("2.9", "2.36"), std::pair("2", "2.1"), std::pair("3.4.9", "3.4.10")})
    EXPECT_TRUE(IsOlder(older, newer)) << older;
  for (const auto& [one, other] :
       {std::pair("2.36", "2.36"), std::pair("2.36", "2.9"), std::pair("x", "x"), std::pair("", "")})
    EXPECT_FALSE(IsOlder(one, other)) << one;
}

}  // namespace
}  // namespace opsrun::host

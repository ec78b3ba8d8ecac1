// tests/host/examine/compatibility_test.cc: the words of each refusal that notes alone decide.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/compatibility.h"

#include <gtest/gtest.h>

#include "host/examine/plugin_note.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::host {
namespace {

opsrun_note_plugin UnitFrom(const char* sdk, const char* compiler) {
  opsrun_note_plugin unit = GoodUnit();
  std::strncpy(unit.sdk_version, sdk, sizeof(unit.sdk_version) - 1);
  std::strncpy(unit.compiler, compiler, sizeof(unit.compiler) - 1);
  return unit;
}

// "reason | remedy", or "" for none.
std::string Check(const std::vector<opsrun_note_plugin>& units) {
  PluginNote note;
  for (const opsrun_note_plugin& unit : units) note.units.push_back(*ParseUnitNote(BytesOf(unit)));
  const std::optional<Refusal> refusal = CheckCompatible(note, OPSRUN_LEVEL);
  return refusal ? refusal->reason + " | " + refusal->remedy : "";
}

TEST(CheckCompatible, AcceptsItsOwnHeaderAndANewerOneThatAsksForLittle) {
  EXPECT_EQ(Check({GoodUnit(), GoodUnit()}), "");
  opsrun_note_plugin unit = GoodUnit();
  unit.header_level = 9;
  EXPECT_EQ(Check({unit}), "");
  EXPECT_NE(Check({}), "") << "without a PLUGIN note";
}

TEST(CheckCompatible, NamesBothLevelsAndTheWayOut) {
  opsrun_note_plugin unit = UnitFrom("0.7.1", "clang 14.0.6");
  unit.min_level = 3;
  EXPECT_EQ(Check({GoodUnit(), unit, GoodUnit()}),
            "needs level 3 of opsrun, this opsrun offers 1 (built with SDK 0.7.1, clang 14.0.6) | use a newer opsrun, "
            "or build it again with -DOPSRUN_TARGET_LEVEL=1");
}

TEST(CheckCompatible, NamesTheStructOfTheOneOddUnit) {
  opsrun_note_plugin odd = UnitFrom("0.1.0", "gcc 12.2.0");
  odd.fp_tensor ^= 1;
  EXPECT_TRUE(Check({GoodUnit(), odd})
                  .starts_with("opsrun_tensor is laid out differently in it (built with SDK 0.1.0, gcc 12.2.0) | "));
  odd = GoodUnit();
  odd.fp_plugin ^= 1;
  EXPECT_EQ(Check({odd}).substr(0, 13), "opsrun_plugin");
}

TEST(CheckCompatible, RefusesASanitizerThatThisHostLacks) {
  opsrun_note_plugin unit = GoodUnit();
  unit.flags |= OPSRUN_BUILD_MSAN;
  EXPECT_TRUE(Check({unit}).starts_with("built with MemorySanitizer, this opsrun is not | "));
  EXPECT_NE(Check({GoodUnit(), unit}), "") << "also in a later unit";
  unit.flags = OPSRUN_BUILD_DEBUG_LIBRARY;
  EXPECT_EQ(Check({unit}), "") << "no C++ object crosses, so its library's mode does not matter";
}

}  // namespace
}  // namespace opsrun::host

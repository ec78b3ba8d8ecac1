// SPDX-License-Identifier: Apache-2.0
#include "host/spec/spec_error.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

using Kind = SpecError::Kind;
using Stage = SpecError::Stage;

TEST(SpecErrorsText, ShowsTheSpecAndACaret) {
  OpDef op;
  EXPECT_EQ(SpecErrorsText("Op", ParseOp(Strings({"T: {float, int3}"}, {}, {}), &op)),
            "op 'Op', Attr: expected a data type, found 'int3'; did you mean 'int32' or 'int8'?\n"
            "    T: {float, int3}\n"
            "               ^\n");
}

TEST(SpecErrorsText, ShowsEveryError) {
  OpDef op;
  EXPECT_EQ(SpecErrorsText("Op", ParseOp(Strings({"n int"}, {"X: float"}, {}), &op)),
            "op 'Op', Attr: expected ':' after the attr's name, found 'int'\n"
            "    n int\n"
            "      ^\n"
            "op 'Op', Input: a name of lower-case letters, digits and '_' comes first: \"name: TYPE\"\n"
            "    X: float\n"
            "    ^\n");
}

TEST(SpecErrorsText, KeepsTheCaretInPlaceBesideOddCharacters) {
  const SpecError error = {Stage::kParse, Kind::kTrailing, "Attr", "s:\tstring = '\xC3\xA9' x", 17, "m"};
  EXPECT_EQ(SpecErrorsText("Op", {error}),
            "op 'Op', Attr: m\n"
            "    s:\\tstring = '\xC3\xA9' x\n"
            "                     ^\n");
}

TEST(SpecErrorsText, CutsLongSpecs) {
  const SpecError error = {Stage::kParse, Kind::kTrailing, "Attr", std::string(100000, 'a'), 50000, "m"};
  EXPECT_EQ(SpecErrorsText("Op", {error}),
            "op 'Op', Attr: m\n    ..." + std::string(100, 'a') + "...\n    " + std::string(63, ' ') + "^\n");
}

TEST(SpecErrorsText, SendsNoControlCharactersToTheTerminal) {
  const SpecError error = {Stage::kValidate, Kind::kOpName, "op", "\x1B[2J", 0, "m"};
  EXPECT_EQ(SpecErrorsText("\x1B[2J", {error}), "op '\\x1b[2J': m\n    \\x1b[2J\n    ^\n");
}

TEST(SpecErrorsText, SurvivesAnOffsetPastTheEnd) {
  EXPECT_EQ(SpecErrorsText("Op", {{Stage::kParse, Kind::kName, "Attr", "ab", 99, "m"}}),
            "op 'Op', Attr: m\n    ab\n      ^\n");
}

}  // namespace
}  // namespace opsrun::host::spec

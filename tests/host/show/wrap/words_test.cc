// tests/host/show/wrap/words_test.cc: names, literals and comments of generated code.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/show/wrap/attr_code.h"
#include "host/show/wrap/cpp_header.h"
#include "host/show/wrap/wrapped_plugin.h"

namespace opsrun::host {
namespace {

TEST(UniqueNames, AppendsToWhatIsTaken) {
  UniqueNames names(IsCppReserved, {"op_"});
  EXPECT_EQ(names.Take("op_"), "op__");
  EXPECT_EQ(names.Take("int"), "int_");
  EXPECT_EQ(names.Take("int_"), "int__");
  EXPECT_EQ(names.Take("x"), "x");
}

TEST(Identifier, ReplacesWhatNoIdentifierHas) {
  EXPECT_EQ(Identifier("my-ops.v2"), "my_ops_v2");
  EXPECT_EQ(Identifier("2d"), "n2d");
  EXPECT_EQ(Identifier(""), "n");
}

TEST(IsCppNamespace, RefusesWhatIsNotTheUsers) {
  EXPECT_TRUE(IsCppNamespace("ops"));
  EXPECT_TRUE(IsCppNamespace("my::ops"));
  for (const char* const wrong :
       {"", "::ops", "ops::", "my:ops", "a b", "2d", "std", "std::ops", "class", "opsrun::embed"}) {
    EXPECT_FALSE(IsCppNamespace(wrong)) << wrong;
  }
}

TEST(CppString, CannotEndEarly) {
  EXPECT_EQ(CppString("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(CppString("\?\?/1"), R"("\?\?/1")");
  EXPECT_EQ(CppString("\n1\xC3"), R"("\0121\303")");
  EXPECT_EQ(CppString(std::string_view("\0", 1)), R"(std::string("\000", 1))");
}

TEST(PythonQuote, CannotEndEarly) {
  EXPECT_EQ(PythonQuote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(PythonQuote("\n\x7F\xC3\xA9\xFF"), "\"\\x0a\\x7f\xC3\xA9\xEF\xBF\xBD\"");
}

TEST(CppComment, NeverReachesTheNextLine) {
  EXPECT_EQ(CppComment("a \\\nb\n\nc", 2), "  // a \\ .\n  // b\n  //\n  // c\n");
  EXPECT_EQ(CppComment("trigraph \?\?/", 0), "// trigraph \?\?/ .\n");
  EXPECT_EQ(CppComment(std::string(130, 'x') + " y", 0, 4), "// " + std::string(130, 'x') + "\n//     y\n");
}

TEST(MadeBy, IsOneLine) {
  const std::string text = MadeBy({{"a", "1\nimport os\r#", {}}, {"b", "", {}}});
  EXPECT_EQ(text, "opsrun wrap of opsrun " OPSRUN_VERSION ", from plugin 'a' 1 import os #, plugin 'b'");
}

TEST(Fill, BreaksBetweenWords) {
  EXPECT_EQ(Fill("aa  bb\tcc", {6, 1, 2}), " aa bb\n  cc");
  EXPECT_EQ(Fill("\xC3\xA9\xC3\xA9 bb", {5, 0, 0}), "\xC3\xA9\xC3\xA9 bb") << "columns are characters";
  EXPECT_EQ(Fill("aaaaaaaa bb", {4, 0, 1}), "aaaaaaaa\n bb");
  EXPECT_EQ(Fill("", {4, 2, 0}), "  ");
}

}  // namespace

}  // namespace opsrun::host

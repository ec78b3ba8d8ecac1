// tests/host/plugin/open_library_test.cc: the dynamic linker's sentences in ours.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/open_library.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

// The reason for a message about /p/a.so, which needs these libraries, and the remedy.
Refusal Explain(const std::string& message, const std::vector<std::string>& needed = {}) {
  return ExplainLoaderMessage(message, "/p/a.so", needed);
}

TEST(ExplainLoaderMessage, NamesWhatIsMissingOrRefused) {
  const std::string cannot_open = ": cannot open shared object file: ";
  const std::string missing = "libx.so.2" + cannot_open + "No such file or directory";
  EXPECT_EQ(Explain(missing, {"libx.so.2"}).reason, "it needs the library libx.so.2, which is not found");
  const struct {
    std::string message;
    const char* reason;
  } rows[] = {{missing, "a library that it needs needs libx.so.2, which is not found"},
              {"libx.so.2" + cannot_open + "Permission denied",
               "a library that it needs needs libx.so.2, which cannot be read: permission denied"},
              {"/p/a.so" + cannot_open + "Too many open files", "it cannot be read: too many open files"},
              {"/p/a.so: undefined symbol: blur, version V1",
               "it uses the symbol blur, which no library that it is linked with defines"},
              {"/lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by /p/a.so)",
               "it needs GLIBCXX_3.4.99, which this machine's /lib/libstdc++.so.6 does not provide"},
              {"strange", "the dynamic linker says: strange"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Explain(row.message, {"liby.so"}).reason, row.reason);
    EXPECT_FALSE(Explain(row.message).out_of_memory) << row.message;
  }
  EXPECT_EQ(Explain(rows[1].message).remedy.find("make the file"), 0u);
  EXPECT_EQ(Explain("/lib/dep.so: undefined symbol: blur").reason.substr(0, 11), "/lib/dep.so");
  EXPECT_NE(Explain(rows[4].message).remedy.find("-static-libstdc++"), std::string::npos);
  const Refusal refusal = Explain("/p/a.so: cannot create shared object descriptor: Cannot allocate memory");
  EXPECT_TRUE(refusal.out_of_memory);
  EXPECT_EQ(refusal.remedy.find("build"), std::string::npos);
}

}  // namespace
}  // namespace opsrun::host

// tests/host/plugin/open_library_test.cc: the dynamic linker's sentences in ours.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/open_library.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(ExplainLoaderMessage, NamesAMissingLibraryAndWhoNeedsIt) {
  const char* message = "libx.so.2: cannot open shared object file: No such file or directory";
  EXPECT_EQ(ExplainLoaderMessage(message, "/p/a.so", {"libx.so.2"}).reason,
            "it needs the library libx.so.2, which is not found");
  EXPECT_EQ(ExplainLoaderMessage(message, "/p/a.so", {"liby.so"}).reason,
            "a library that it needs needs libx.so.2, which is not found");
}

// Build files of TensorFlow's custom ops link its library, which a plugin does not use.
TEST(ExplainLoaderMessage, AdvisesAgainstTheLibraryOfTensorFlow) {
  const char* message = "libtensorflow_framework.so.2: cannot open shared object file: No such file or directory";
  EXPECT_EQ(ExplainLoaderMessage(message, "/p/a.so", {"libtensorflow_framework.so.2"}).remedy,
            "link the plugin without it: the flags of 'opsrun sdk --cflags' are all that a plugin needs");
  EXPECT_EQ(ExplainLoaderMessage(message, "/p/a.so", {"liby.so"}).remedy.find("install the package"), 0u);
}

TEST(ExplainLoaderMessage, TellsWhatTheSystemRefusesFromWhatIsMissing) {
  Refusal refusal = ExplainLoaderMessage("libx.so.2: cannot open shared object file: Permission denied", "/p/a.so", {});
  EXPECT_EQ(refusal.reason, "a library that it needs needs libx.so.2, which cannot be read: permission denied");
  EXPECT_EQ(refusal.remedy.find("make it readable"), 0u);
  refusal = ExplainLoaderMessage("/p/a.so: cannot open shared object file: Too many open files", "/p/a.so", {});
  EXPECT_EQ(refusal.reason, "it cannot be read: too many open files");
  EXPECT_FALSE(refusal.out_of_memory);
  refusal =
      ExplainLoaderMessage("/p/a.so: cannot create shared object descriptor: Cannot allocate memory", "/p/a.so", {});
  EXPECT_TRUE(refusal.out_of_memory);
  EXPECT_EQ(refusal.remedy.find("build"), std::string::npos);
}

TEST(ExplainLoaderMessage, NamesAnUndefinedSymbol) {
  EXPECT_EQ(ExplainLoaderMessage("/p/a.so: undefined symbol: blur, version V1", "/p/a.so", {}).reason,
            "it uses the symbol blur, which no library that it is linked with defines");
  EXPECT_EQ(ExplainLoaderMessage("/lib/dep.so: undefined symbol: blur", "/p/a.so", {}).reason.substr(0, 11),
            "/lib/dep.so");
}

TEST(ExplainLoaderMessage, NamesAMissingVersion) {
  Refusal refusal = ExplainLoaderMessage(
      "/lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by /p/a.so)", "/p/a.so", {});
  EXPECT_EQ(refusal.reason, "it needs GLIBCXX_3.4.99, which this machine's /lib/libstdc++.so.6 does not have");
  EXPECT_NE(refusal.remedy.find("-static-libstdc++"), std::string::npos);
}

TEST(ExplainLoaderMessage, PassesOnWhatItDoesNotKnow) {
  EXPECT_EQ(ExplainLoaderMessage("strange", "/p/a.so", {}).reason, "the dynamic linker says: strange");
}

}  // namespace
}  // namespace opsrun::host

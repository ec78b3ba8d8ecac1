// tests/host/plugin/plugin_places_test.cc: the order of the places.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "host/plugin/catalog.h"

namespace opsrun::host {
namespace {

std::vector<std::string> Directories(const std::vector<PluginPlace>& places) {
  std::vector<std::string> directories;
  for (const PluginPlace& place : places) directories.push_back(place.directory);
  return directories;
}

TEST(PluginPlaces, AreSearchedInTheDocumentedOrder) {
  setenv("OPSRUN_PLUGIN_PATH", ":/env/one::relative:", 1);
  setenv("HOME", "/home/ada", 1);
  auto self = std::filesystem::read_symlink("/proc/self/exe");
  std::string bundled = self.parent_path().parent_path() / "lib/opsrun";
  EXPECT_EQ(Directories(PluginPlaces({"./mine", "/yours"}, true)),
            (std::vector<std::string>{"./mine", "/yours", "/env/one", "relative", "/home/ada/.local/lib/opsrun",
                                      "/usr/local/lib/opsrun", "/usr/lib/opsrun", bundled}));
}

TEST(PluginPlaces, AreOnlyTheNamedOnesWithoutDefaults) {
  setenv("OPSRUN_PLUGIN_PATH", "/env/one", 1);
  auto places = PluginPlaces({"mine"}, false);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_TRUE(places[0].required);
  EXPECT_EQ(places[0].origin, "--plugins");
}

TEST(PluginPlaces, NeverLeadIntoTheCurrentDirectory) {
  unsetenv("OPSRUN_PLUGIN_PATH");
  for (const char* home : {"", "relative"}) {
    setenv("HOME", home, 1);
    for (const std::string& directory : Directories(PluginPlaces({}, true))) EXPECT_EQ(directory[0], '/') << directory;
  }
}

}  // namespace
}  // namespace opsrun::host

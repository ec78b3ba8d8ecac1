// host/plugin/plugin_places.cc: where plugins are searched.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "host/base/own_file.h"
#include "host/plugin/catalog.h"

namespace opsrun::host {
namespace {

// The directories of the variable, empty entries left out.
void AddPathEntries(std::string_view path, std::vector<PluginPlace>* places) {
  while (!path.empty()) {
    size_t end = path.find(':');
    if (end != 0) places->push_back({std::string(path.substr(0, end)), "OPSRUN_PLUGIN_PATH", false});
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
}

std::string Environment(const char* name) {
  const char* value = secure_getenv(name);  // a program with more rights than its user has reads none
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<PluginPlace> PluginPlaces(const std::vector<std::string>& named, bool use_defaults) {
  std::vector<PluginPlace> places;
  for (const std::string& directory : named) places.push_back({directory, "--plugins", true});
  if (!use_defaults) return places;
  AddPathEntries(Environment("OPSRUN_PLUGIN_PATH"), &places);
  // A home that is not absolute would lead into the current directory.
  std::filesystem::path home = Environment("HOME");
  if (home.is_absolute()) places.push_back({home / ".local/lib/opsrun", "default", false, /*of_user=*/true});
  places.push_back({"/usr/local/lib/opsrun", "default", false});
  places.push_back({"/usr/lib/opsrun", "default", false});
  if (const std::filesystem::path prefix = AboveOwnFolder(1); !prefix.empty())
    places.push_back({prefix / "lib/opsrun", "default", false});
  return places;
}

}  // namespace opsrun::host

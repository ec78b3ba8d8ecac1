// host/plugin/plugin_places.cc: where plugins are searched.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

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
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The file that this code is in: the program, or the library that another program has loaded. Without links: an install
// may be reached through one.
std::filesystem::path OwnFile() {
  Dl_info info = {};
  std::error_code error;
  const bool known = dladdr(reinterpret_cast<const void*>(&PluginPlaces), &info) != 0 && info.dli_fname != nullptr;
  const std::filesystem::path file = known ? std::filesystem::canonical(info.dli_fname, error) : "";
  // The loader knows a program by the name that it was started with, which need not be a path.
  return !file.empty() && file.has_parent_path() ? file : std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::vector<PluginPlace> PluginPlaces(const std::vector<std::string>& named, bool use_defaults) {
  std::vector<PluginPlace> places;
  for (const std::string& directory : named) places.push_back({directory, "--plugins", true});
  if (!use_defaults) return places;
  AddPathEntries(Environment("OPSRUN_PLUGIN_PATH"), &places);
  // A home that is not absolute would lead into the current directory.
  std::filesystem::path home = Environment("HOME");
  if (home.is_absolute()) places.push_back({home / ".local/lib/opsrun", "default", false});
  places.push_back({"/usr/local/lib/opsrun", "default", false});
  places.push_back({"/usr/lib/opsrun", "default", false});
  if (const std::filesystem::path own = OwnFile(); !own.empty()) {
    places.push_back({own.parent_path().parent_path() / "lib/opsrun", "default", false});
  }
  return places;
}

}  // namespace opsrun::host

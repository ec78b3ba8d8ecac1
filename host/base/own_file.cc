// host/base/own_file.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/own_file.h"

#include <dlfcn.h>

#include <system_error>

namespace opsrun::host {

std::filesystem::path OwnFile() {
  Dl_info info = {};
  std::error_code error;
  const bool known = dladdr(reinterpret_cast<const void*>(&OwnFile), &info) != 0 && info.dli_fname != nullptr;
  const std::filesystem::path file = known ? std::filesystem::canonical(info.dli_fname, error) : "";
  // The loader knows a program by the name that it was started with, which need not be a path.
  return !file.empty() && file.has_parent_path() ? file : std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace opsrun::host

// host/cli/guard/file_on_stack.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/guard/file_on_stack.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <iterator>

namespace opsrun::host {
namespace {

bool IsOfTheSystem(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  constexpr std::string_view kSystem[] = {"libc.so",  "libc-",      "ld-linux", "libstdc++",
                                          "libgcc_s", "libpthread", "libm.so"};
  return std::any_of(std::begin(kSystem), std::end(kSystem), [&](std::string_view s) { return file.starts_with(s); });
}

}  // namespace

std::string_view FileAt(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : std::string_view();
}

bool IsOurs(const void* address) {
  Dl_info its = {}, ours = {};
  return dladdr(address, &its) != 0 && dladdr(reinterpret_cast<const void*>(&IsOurs), &ours) != 0 &&
         its.dli_fbase == ours.dli_fbase;
}

std::string_view FileOnStack() {
  void* frames[64];
  const int count = backtrace(frames, static_cast<int>(std::size(frames)));
  for (int i = 0; i < count; ++i) {
    const std::string_view file = FileAt(frames[i]);
    if (!file.empty() && !IsOfTheSystem(file) && !IsOurs(frames[i])) return file;
  }
  return {};
}

}  // namespace opsrun::host

// host/elf/missing_library.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/missing_library.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace opsrun::host {
namespace {

// What tf.sysconfig.get_link_flags() names, and what older build files do.
bool IsOfTensorFlow(std::string_view library) {
  return library.starts_with("libtensorflow") || library.starts_with("_pywrap_tensorflow");
}

}  // namespace

Refusal ExplainMissing(std::string_view library, std::string_view needed_by) {
  std::string install =
      fmt::format("install the package that holds {}, or link the plugin with an -rpath that leads to it", library);
  if (!needed_by.empty())
    return {fmt::format("{} needs {}, which is not found", needed_by, library), std::move(install)};
  return {fmt::format("it needs the library {}, which is not found", library),
          IsOfTensorFlow(library)
              ? "link the plugin without it: the flags of 'opsrun sdk --cflags' are all that a plugin needs"
              : std::move(install)};
}

Refusal ExplainUnreadable(std::string_view library, std::string_view needed_by, int error) {
  const std::string needs = needed_by.empty() ? "it needs the library" : fmt::format("{} needs", needed_by);
  return RefusedBySystem(fmt::format("{} {}, which cannot be read", needs, library), error);
}

}  // namespace opsrun::host
